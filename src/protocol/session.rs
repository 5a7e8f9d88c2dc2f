//! A connection after its handshake: asking for the state, signing in, signing out.

use std::time::Duration;

use serde_json::Value;
use tokio::time::Instant;

use super::status::read_status;
use super::{Dialect, quirks};
use crate::auth::{Evidence, Handshake, StatusReport};
use crate::connection::{Connection, Limit, Notification, SMALL};
use crate::error::{Failure, FailureKind, METHOD_NOT_FOUND, Phase};

/// How long an agent that was asked to give a request up may take to do so.
pub const CANCEL_GRACE: Duration = Duration::from_millis(300);

/// A connection that has agreed on a version.
pub struct Session {
    pub connection: Connection,
    pub handshake: Handshake,
    dialect: Dialect,
    agent: String,
    /// The longest wait for one answer.
    answer: Duration,
}

impl Session {
    pub fn new(
        agent: &str,
        connection: Connection,
        dialect: Dialect,
        handshake: Handshake,
        answer: Duration,
    ) -> Self {
        Self {
            connection,
            handshake,
            dialect,
            agent: agent.to_owned(),
            answer,
        }
    }

    /// Asks `auth/status`.
    ///
    /// # Errors
    /// `rejected` with the agent's error, `protocol` when the answer is none, or what ended the
    /// connection.
    pub async fn status(&self) -> Result<StatusReport, Failure> {
        let phase = Phase::Request("auth/status");
        let answer = self
            .connection
            .request(
                "auth/status",
                &self.dialect.status_params(),
                Limit::of(self.answer),
            )
            .await?;
        let mut remarks = Vec::new();
        let value = if answer.get().len() > SMALL {
            Err("it has more than 1 MiB".to_owned())
        } else {
            serde_json::from_str::<Value>(answer.get()).map_err(|error| error.to_string())
        };
        let report = value
            .and_then(|value| read_status(&value, Evidence::AuthStatus, &mut remarks))
            .map_err(|reason| {
                let reason = reason.chars().take(500).collect::<String>();
                let text = format!(
                    "{} answered auth/status with something else: {reason}",
                    self.agent
                );
                Failure::new(FailureKind::InvalidAnswer, phase, text)
                    .with_stderr(&self.connection.stderr_tail())
            });
        remarks
            .into_iter()
            .for_each(|remark| self.connection.remark(remark));
        report
    }

    /// The newest state the agent notified of since this was last called.
    pub fn heard(&self) -> Option<StatusReport> {
        self.connection
            .take_notifications()
            .iter()
            .filter_map(|notification| self.read_notification(notification))
            .max_by_key(|report| {
                // Of both kinds the official one is trusted more; within one the last counts.
                report.evidence == Some(Evidence::AuthStatusUpdate)
            })
    }

    /// Waits until the agent has notified of its state, up to `patience`.
    ///
    /// # Errors
    /// What ended the connection meanwhile.
    pub async fn wait_to_hear(&self, patience: Duration) -> Result<Option<StatusReport>, Failure> {
        let until = Instant::now() + patience;
        loop {
            if let Some(report) = self.heard() {
                return Ok(Some(report));
            }
            if let Some(failure) = self
                .connection
                .failure(Phase::Request("_auth/status_update"))
            {
                return Err(failure);
            }
            if Instant::now() >= until {
                return Ok(None);
            }
            self.connection.news(until).await;
        }
    }

    /// Has the agent sign in by one of its own methods.
    ///
    /// # Errors
    /// `rejected` with the agent's error, or what ended the connection.
    pub async fn login(&self, id: &str, limit: Option<Duration>) -> Result<(), Failure> {
        let limit = Limit {
            answer: limit,
            renewed_up_to: None,
        };
        let params = self.dialect.login_params(id);
        let answer = self
            .connection
            .request(self.dialect.login_method(), &params, limit)
            .await;
        match answer {
            // Agents built on an early draft of v2 know the request by its old name.
            Err(failure) if self.dialect == Dialect::V2 && failure.is_code(METHOD_NOT_FOUND) => {
                self.connection
                    .request(Dialect::V1.login_method(), &params, limit)
                    .await
                    .map(drop)
            }
            answer => answer.map(drop),
        }
    }

    /// Has the agent sign out.
    ///
    /// # Errors
    /// `rejected` with the agent's error, or what ended the connection.
    pub async fn logout(&self) -> Result<(), Failure> {
        self.connection
            .request(
                self.dialect.logout_method(),
                &self.dialect.logout_params(),
                Limit::of(self.answer),
            )
            .await
            .map(drop)
    }

    fn read_notification(&self, notification: &Notification) -> Option<StatusReport> {
        let params = notification
            .params
            .as_ref()
            .and_then(|params| serde_json::from_str(params.get()).ok());
        let params: Value = params.unwrap_or_default();
        let mut remarks = Vec::new();
        let report = if notification.method == "auth/status_update" {
            read_status(&params, Evidence::AuthStatusUpdate, &mut remarks).map_err(|reason| {
                crate::auth::Diagnostic::new(
                    "malformed_update",
                    format!("a notification auth/status_update with {reason}"),
                )
            })
        } else {
            quirks::read_pushed_status(&params)
        };
        remarks
            .into_iter()
            .for_each(|remark| self.connection.remark(remark));
        report.map_err(|remark| self.connection.remark(remark)).ok()
    }
}
