//! A session opened to see what happens: `session/new`, `session/prompt`, and its end.

use std::path::Path;
use std::pin::pin;

use serde_json::{Value, json};
use tokio::time::Instant;

use super::{CANCEL_GRACE, Client, Dialect, quirks};
use crate::model::{Failure, FailureKind, Phase};
use crate::rpc::{Limit, Notification};
use crate::untrusted::Untrusted;

/// What is asked: as short as an answer can be wanted.
const PROMPT: &str = "Reply with the single word OK.";

/// How a prompt ended.
#[derive(Debug)]
pub enum Prompted {
    /// The first text that came.
    Answered(Untrusted),
    /// The turn ended without any text.
    Silent,
}

/// What an update of a session means for a prompt.
enum Sign {
    Text(String),
    Failed(Failure),
    Idle,
}

impl Client {
    /// Opens a session in an empty directory, without MCP servers; gives its identifier.
    ///
    /// # Errors
    /// `rejected` with the agent's error, `protocol` without an identifier, or what ended the
    /// connection.
    pub async fn open_session(&self, directory: &Path) -> Result<String, Failure> {
        let params = json!({"cwd": directory, "mcpServers": []});
        let answer = self.connection.request("session/new", &params, Limit::of(self.answer)).await;
        let answer = answer.map_err(quirks::read_refusal)?;
        let answer: Value = serde_json::from_str(answer.get()).unwrap_or_default();
        answer["sessionId"].as_str().map(ToOwned::to_owned).ok_or_else(|| {
            Failure::new(
                FailureKind::InvalidAnswer,
                Phase::Request("session/new"),
                format!("{} answered session/new without a sessionId", self.agent),
            )
        })
    }

    /// Closes and deletes a session, where the agent offers that. A refusal changes nothing.
    pub async fn end_session(&self, id: &str) {
        let params = json!({"sessionId": id});
        let offers = self.handshake.offers;
        for (offered, method) in
            [(offers.close_session, "session/close"), (offers.delete_session, "session/delete")]
        {
            if offered {
                // The process is ended next, whatever it says to this.
                let _ = self.connection.request(method, &params, Limit::of(self.answer)).await;
            }
        }
    }

    /// Sends one short prompt and gives it up as soon as the first text has come.
    ///
    /// # Errors
    /// `rejected` with the agent's error, or what ended the connection.
    pub async fn prompt(&self, id: &str) -> Result<Prompted, Failure> {
        let phase = Phase::Request("session/prompt");
        let params = json!({"sessionId": id, "prompt": [{"type": "text", "text": PROMPT}]});
        let until = Instant::now() + self.answer;
        let mut request =
            pin!(self.connection.request("session/prompt", &params, Limit::of(self.answer)));
        let mut is_answered = false;
        loop {
            let updates = self.connection.take_notifications();
            match updates.iter().find_map(|notification| self.sign(id, notification)) {
                Some(Sign::Text(text)) => {
                    self.connection.notify("session/cancel", &json!({"sessionId": id}));
                    if !is_answered {
                        // What it says to being cancelled does not matter any more.
                        let _ = tokio::time::timeout(CANCEL_GRACE, &mut request).await;
                    }
                    return Ok(Prompted::Answered(text.into()));
                }
                Some(Sign::Failed(failure)) => return Err(failure),
                Some(Sign::Idle) => return Ok(Prompted::Silent),
                // In v1 the answer is the end of the turn, and its text came before it.
                None if is_answered && self.dialect == Dialect::V1 => return Ok(Prompted::Silent),
                None => {}
            }
            if let Some(failure) = self.connection.failure(phase) {
                return Err(failure);
            }
            if Instant::now() >= until {
                let what = format!("{} did not finish session/prompt", self.agent);
                return Err(Failure::timeout(phase, self.answer, &what)
                    .with_stderr(&self.connection.stderr_tail()));
            }
            tokio::select! {
                answer = &mut request, if !is_answered => {
                    answer.map_err(quirks::read_refusal)?;
                    is_answered = true;
                }
                () = self.connection.activity(until) => {}
            }
        }
    }

    /// Reads a `session/update` of this session; v2 ends a turn by a `state_update`.
    fn sign(&self, id: &str, notification: &Notification) -> Option<Sign> {
        if notification.method != "session/update" {
            return None;
        }
        let params: Value = serde_json::from_str(notification.params.as_ref()?.get()).ok()?;
        if params["sessionId"] != id {
            return None;
        }
        let update = &params["update"];
        match update["sessionUpdate"].as_str()? {
            "agent_message_chunk" | "agent_message" => {
                let content = &update["content"];
                let block = content.as_array().and_then(|blocks| blocks.first()).unwrap_or(content);
                let text = block["text"].as_str().filter(|text| !text.trim().is_empty())?;
                Some(Sign::Text(text.to_owned()))
            }
            "state_update" if update["state"] == "idle" => match update["stopReason"].as_str() {
                Some("error") => Some(Sign::Failed(self.turn_failure(&update["error"]))),
                _ => Some(Sign::Idle),
            },
            _ => None,
        }
    }

    fn turn_failure(&self, error: &Value) -> Failure {
        let message = error["message"].as_str().unwrap_or("no message");
        let code = error["code"].as_i64();
        let mut text = format!("{} ended the turn with an error: {message}", self.agent);
        if let Some(code) = code {
            text.push_str(&format!(" ({code})"));
        }
        let mut failure =
            Failure::new(FailureKind::Rejected, Phase::Request("session/prompt"), text);
        failure.reply = Some(message.into());
        failure.code = code;
        failure.data = Some(error["data"].clone()).filter(|data| !data.is_null());
        quirks::read_refusal(failure)
    }
}
