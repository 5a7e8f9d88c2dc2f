//! A connection after its handshake: asking for the state, signing in, signing out.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Serialize;
use serde_json::Value;
use tokio::sync::mpsc;
use tokio::time::Instant;

use super::elicitation::{Refusal, asks_for, read_elicitation, write_reply};
use super::quirks::VendorStatus;
use super::status::read_status;
use super::{Dialect, STATUS_NOTIFICATIONS, quirks};
use crate::model::{
    Diagnostic, DiagnosticKind, Elicitation, Evidence, Failure, FailureKind, Handshake,
    INVALID_PARAMS, KeyForm, METHOD_NOT_FOUND, Phase, Reply, Secret, StatusReport,
};
use crate::rpc::{Connection, IncomingRequest, Limit, Notification, SMALL};

/// A key that goes along with a request to sign in.
#[derive(Debug)]
pub struct Key {
    pub form: KeyForm,
    pub value: Secret,
}

/// The parameters of `authenticate` and `auth/login` (the same in v1 and v2), with the key where
/// the agent looks for it. Written straight into the line, so that no copy of the key is left.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct LoginParams<'a> {
    method_id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    auth_params: Option<BTreeMap<&'static str, &'a str>>,
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    meta: Option<BTreeMap<&'static str, KeyMeta<'a>>>,
}

/// `_meta["api-key"]` as gemini-cli 0.61 takes it, and as codex-acp 2.6 does.
#[derive(Serialize)]
#[serde(untagged)]
enum KeyMeta<'a> {
    Plain(&'a str),
    #[serde(rename_all = "camelCase")]
    Object {
        api_key: &'a str,
    },
}

impl<'a> LoginParams<'a> {
    fn new(method_id: &'a str, key: Option<&'a Key>) -> Self {
        let mut params = Self { method_id, auth_params: None, meta: None };
        let Some(key) = key else { return params };
        let value = key.value.reveal();
        let meta = |meta| Some(BTreeMap::from([("api-key", meta)]));
        match key.form {
            KeyForm::FirstProposal => params.auth_params = Some(BTreeMap::from([("key", value)])),
            KeyForm::Gemini => params.meta = meta(KeyMeta::Plain(value)),
            KeyForm::Codex => params.meta = meta(KeyMeta::Object { api_key: value }),
        }
        params
    }
}

/// A connection with an agent that has agreed on a version.
pub struct Client {
    pub connection: Connection,
    pub handshake: Handshake,
    pub(super) dialect: Dialect,
    pub(super) agent: String,
    /// The longest wait for one answer.
    pub(super) answer: Duration,
}

impl Client {
    pub fn new(
        agent: &str,
        connection: Connection,
        dialect: Dialect,
        handshake: Handshake,
        answer: Duration,
    ) -> Self {
        Self { connection, handshake, dialect, agent: agent.to_owned(), answer }
    }

    /// Asks `auth/status`.
    ///
    /// # Errors
    /// `rejected` with the agent's error, `protocol` when the answer is not one, or what ended the
    /// connection.
    pub async fn status(&self) -> Result<StatusReport, Failure> {
        let phase = Phase::Request("auth/status");
        let answer = self
            .connection
            .request("auth/status", &self.dialect.status_params(), Limit::of(self.answer))
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
                let text =
                    format!("{} answered auth/status, but not with a state: {reason}", self.agent);
                Failure::new(FailureKind::InvalidAnswer, phase, text)
                    .with_stderr(&self.connection.stderr_tail())
            });
        remarks.into_iter().for_each(|remark| self.connection.remark(remark));
        report
    }

    /// Asks a vendor's own request for the state, where this agent answers one. A refusal or an
    /// answer that was never seen says nothing.
    ///
    /// # Errors
    /// What ended the connection.
    pub async fn vendor_status(&self) -> Result<Option<StatusReport>, Failure> {
        let Some(vendor) = self.handshake.vendor_status.and_then(VendorStatus::named) else {
            return Ok(None);
        };
        let params = serde_json::json!({});
        let asked = self.connection.request(vendor.method(), &params, Limit::of(self.answer)).await;
        match asked {
            Ok(answer) => {
                let answer: Value = serde_json::from_str(answer.get()).unwrap_or_default();
                Ok(vendor.read(&answer))
            }
            Err(failure) if failure.leaves_connection() => Ok(None),
            Err(failure) => Err(failure),
        }
    }

    /// The newest state the agent notified of since this was last called.
    pub fn take_update(&self) -> Option<StatusReport> {
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
    pub async fn wait_for_update(
        &self,
        patience: Duration,
    ) -> Result<Option<StatusReport>, Failure> {
        let until = Instant::now() + patience;
        loop {
            if let Some(report) = self.take_update() {
                return Ok(Some(report));
            }
            if let Some(failure) = self.connection.failure(Phase::Request("_auth/status_update")) {
                return Err(failure);
            }
            if Instant::now() >= until {
                return Ok(None);
            }
            self.connection.activity(until).await;
        }
    }

    /// Has the agent sign in by one of its own methods, with a key where the method takes one.
    ///
    /// # Errors
    /// `rejected` with the agent's error, or what ended the connection.
    pub async fn login(
        &self,
        id: &str,
        key: Option<&Key>,
        limit: Option<Duration>,
    ) -> Result<(), Failure> {
        let limit = Limit { answer: limit, renewed_up_to: None, option: "--login-timeout" };
        let params = LoginParams::new(id, key);
        let answer = self.connection.request(self.dialect.login_method(), &params, limit).await;
        match answer {
            // Agents built on an early draft of v2 know the request by its old name.
            Err(failure) if self.dialect == Dialect::V2 && failure.is_code(METHOD_NOT_FOUND) => {
                self.connection.request(Dialect::V1.login_method(), &params, limit).await.map(drop)
            }
            answer => answer.map(drop),
        }
    }

    /// The longest wait for one answer.
    #[must_use]
    pub const fn patience(&self) -> Duration {
        self.answer
    }

    /// The agent's name in messages.
    #[must_use]
    pub fn agent(&self) -> &str {
        &self.agent
    }

    /// Takes over what the agent asks the person, until [`Client::release_questions`].
    pub fn take_questions(&self) -> mpsc::Receiver<IncomingRequest> {
        self.connection.take_questions()
    }

    /// Has what the agent asks cancelled from now on.
    pub fn release_questions(&self) {
        self.connection.release_questions();
    }

    /// Reads a question.
    ///
    /// # Errors
    /// What to tell the agent instead of putting it to the person.
    pub fn read_question(&self, request: &IncomingRequest) -> Result<Elicitation, Refusal> {
        let params =
            request.params.as_ref().and_then(|params| serde_json::from_str(params.get()).ok());
        let params: Value = params.unwrap_or_default();
        if let Some(id) = asks_for(&params)
            && !self.connection.awaits(&id)
        {
            let text = format!("authenticateRequestId {id} is not of the login that is under way");
            return Err(Refusal { code: INVALID_PARAMS, message: text });
        }
        read_elicitation(&params)
    }

    /// Sends the person's answer.
    pub fn answer_question(&self, request: &IncomingRequest, reply: Reply) {
        self.connection.answer(request, "result", &write_reply(reply));
    }

    /// Tells the agent that its question was not put to anybody.
    pub fn refuse_question(&self, request: &IncomingRequest, refusal: &Refusal) {
        let error = serde_json::json!({"code": refusal.code, "message": refusal.message});
        self.connection.answer(request, "error", &error);
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
        let params =
            notification.params.as_ref().and_then(|params| serde_json::from_str(params.get()).ok());
        let params: Value = params.unwrap_or_default();
        let mut remarks = Vec::new();
        if !STATUS_NOTIFICATIONS.contains(&notification.method.as_str()) {
            return None;
        }
        let report = if notification.method == "auth/status_update" {
            read_status(&params, Evidence::AuthStatusUpdate, &mut remarks).map_err(|reason| {
                Diagnostic::new(
                    DiagnosticKind::MalformedUpdate,
                    format!("a notification auth/status_update with {reason}"),
                )
            })
        } else {
            quirks::read_pushed_status(&params)
        };
        remarks.into_iter().for_each(|remark| self.connection.remark(remark));
        report.map_err(|remark| self.connection.remark(remark)).ok()
    }
}
