//! Establishing the state level by level: the protocol, the agent's own command, a session and its
//! contrast, a prompt.

use super::agent::AgentVisit;
use crate::acp::{methods_in_error, named_methods};
use crate::agents::{Counterexample, Known, known_agent};
use crate::environment::environment;
use crate::evidence::{
    Opening, is_open, opened, own_command, refused, try_in_empty_home, try_prompt, try_session,
};
use crate::model::{
    AuthMethod, AuthState, Contrast, Evidence, Failure, FailureKind, Finding, ProbeLevel,
};
use crate::ui::Ui;

impl AgentVisit {
    /// Asks, and tries as far as it is requested; the refusal of a session is an answer.
    pub async fn probe(&mut self, level: ProbeLevel, ui: &Ui) -> Finding {
        let mut finding = self.establish(level).await;
        let goes_on = finding.failure.as_ref().is_none_or(Failure::leaves_connection);
        if level == ProbeLevel::Prompt && goes_on && self.ensure_open(&mut finding).await {
            finding = match &self.client {
                Some(client) => try_prompt(client, finding, ui).await,
                None => finding,
            };
            self.narrow(&finding);
            finding = self.weigh_refusal(finding);
        }
        if finding.report.state == AuthState::Unauthenticated {
            // The refusal was the answer.
            finding.failure = None;
        }
        finding
    }

    /// The state, by each level up to `level` until it is known. A refusal for want of sign-in stays
    /// as the failure beside the state.
    pub async fn establish(&mut self, level: ProbeLevel) -> Finding {
        let mut finding = self.ask().await;
        if level >= ProbeLevel::Command && is_open(&finding) {
            finding = Box::pin(self.ask_command(finding)).await;
        }
        if level >= ProbeLevel::Session && is_open(&finding) {
            finding = Box::pin(self.try_sessions(finding)).await;
        }
        finding
    }

    /// Whether the current process opens a session.
    pub async fn opens_session(&self) -> bool {
        match &self.client {
            Some(client) => try_session(client).await.is_ok(),
            None => false,
        }
    }

    /// The state after a login by a method or a logout, in a new process: a session that was refused
    /// before and opens now needs no other proof.
    pub async fn establish_after(
        &mut self,
        level: ProbeLevel,
        method: &str,
        before: &Finding,
    ) -> Finding {
        let mut finding = match self.renew().await {
            Ok(()) => self.establish(level.min(ProbeLevel::Command)).await,
            Err(failure) => return Finding::failed(failure),
        };
        if level < ProbeLevel::Session
            || !is_open(&finding)
            || !self.ensure_open(&mut finding).await
        {
            return finding;
        }
        let was_refused = before.report.state == AuthState::Unauthenticated
            && before.report.evidence == Some(Evidence::SessionNew);
        let is_telling = self.counterexample(Some(method)).is_none();
        if was_refused && is_telling && self.opens_session().await {
            return proved(finding, Contrast::BeforeLogin);
        }
        if !is_telling {
            return finding;
        }
        Box::pin(self.try_sessions(finding)).await
    }

    /// The catalog's entry of this agent.
    pub fn known(&self) -> Option<&'static Known> {
        let peer = self.record.handshake.as_ref().and_then(|handshake| handshake.peer.as_ref());
        known_agent(&self.runner.launch, peer)
    }

    async fn ask_command(&mut self, before: Finding) -> Finding {
        let Some(handshake) = &self.record.handshake else { return before };
        let command = match own_command(self.known(), handshake, &self.runner.launch) {
            Ok(Some(command)) => command,
            Ok(None) => return before,
            Err(remark) => {
                self.remark(remark);
                return before;
            }
        };
        // Two processes of one program can spend one refresh token.
        self.leave().await;
        let runner = &self.runner;
        let (finding, remark) =
            command.ask(&runner.agent, runner.limits.answer, &runner.interrupt, before).await;
        remark.into_iter().for_each(|remark| self.remark(remark));
        finding
    }

    /// Whether there is a process to ask; a new one is started where there is none.
    async fn ensure_open(&mut self, finding: &mut Finding) -> bool {
        if self.client.is_some() {
            return true;
        }
        match self.open().await {
            Ok(()) => true,
            Err(failure) => {
                finding.failure = Some(failure);
                false
            }
        }
    }

    /// Tries a session here, and where it opens, in an empty home.
    pub async fn try_sessions(&mut self, mut before: Finding) -> Finding {
        if !self.ensure_open(&mut before).await {
            return before;
        }
        let Some(client) = &self.client else { return before };
        match try_session(client).await {
            Err(failure) => {
                let finding = refused(failure, Evidence::SessionNew, before);
                self.narrow(&finding);
                self.weigh_refusal(finding)
            }
            Ok(Opening::AfterStored) => proved(before, Contrast::BeforeStored),
            Ok(Opening::AtOnce) => self.weigh_opened(opened(before)).await,
        }
    }

    /// A refusal that may have another reason than that nobody is signed in says nothing.
    fn weigh_refusal(&self, mut finding: Finding) -> Finding {
        let Some(known) =
            self.known().filter(|_| finding.report.state == AuthState::Unauthenticated)
        else {
            return finding;
        };
        let set = known.variables.iter().find(|name| self.is_set(name));
        let (Some(why), Some(name)) = (&known.checks_online, set) else { return finding };
        finding.report.state = AuthState::Unknown;
        let reason = format!("refused; {name} is set, and could not be checked ({why})");
        finding.report.reason = Some(reason.into());
        finding.failure = None;
        finding
    }

    /// A session that opened proves something only where the same agent refuses one without
    /// credentials.
    async fn weigh_opened(&mut self, mut finding: Finding) -> Finding {
        let unproved = |reason: String| {
            let text = format!("a session can be opened, which proves nothing: {reason}");
            Some(text.into())
        };
        if let Some(reason) = self.counterexample(None) {
            finding.report.reason = unproved(reason);
            return finding;
        }
        let methods = self.methods().to_vec();
        self.leave().await;
        let tried = try_in_empty_home(&self.runner, self.protocol, &methods);
        match Box::pin(tried).await {
            Err(failure) if failure.kind == FailureKind::SignInRequired => {
                return proved(finding, Contrast::EmptyHome);
            }
            Err(failure) if matches!(failure.kind, FailureKind::Interrupted(_)) => {
                finding.failure = Some(failure);
            }
            Err(failure) => {
                let why = failure.sentence();
                let text =
                    format!("in an empty home, for contrast, this came of it: {}", why.raw());
                finding.report.reason = unproved(text);
            }
            Ok(_) => {
                let text = "it opens in an empty home without credentials too";
                finding.report.reason = unproved(text.to_owned());
            }
        }
        finding
    }

    /// Why a session that opens proves nothing of this agent: by the method that is named, or by the
    /// one that is selected in its settings.
    pub fn counterexample(&self, method: Option<&str>) -> Option<String> {
        let example: &Counterexample = self.known()?.counterexample.as_ref()?;
        let is_selected = || {
            let file = self.known()?.place(&example.file, &self.runner.launch)?;
            let text = std::fs::read_to_string(file).ok()?;
            let settings: serde_json::Value = serde_json::from_str(&text).ok()?;
            Some(settings.pointer(&example.pointer)? == example.method.as_str())
        };
        let applies = method == Some(example.method.as_str())
            || self.is_set(&example.variable)
            || is_selected() == Some(true);
        applies.then(|| example.reason.clone())
    }

    /// Whether a variable has a value in the agent's environment.
    pub fn is_set(&self, name: &str) -> bool {
        environment().is_set_for(&self.runner.launch, name)
    }

    /// Takes over the methods that only an error has, and keeps those that it says fit here.
    fn narrow(&mut self, finding: &Finding) {
        let (Some(failure), Some(handshake)) = (&finding.failure, &mut self.record.handshake)
        else {
            return;
        };
        let arrived = failure.data.iter();
        let arrived = arrived.flat_map(|data| methods_in_error(&handshake.version, data));
        for method in arrived.collect::<Vec<_>>() {
            if handshake.methods.iter().all(|known| known.id != method.id) {
                handshake.methods.push(method);
            }
        }
        let named = named_methods(failure);
        let is_named = |method: &AuthMethod| named.iter().any(|id| id == method.id.raw());
        if handshake.methods.iter().any(is_named) {
            self.record.is_narrowed = true;
            handshake.methods.retain(is_named);
        }
    }
}

/// Somebody is signed in, for a session opened that somebody else is refused.
fn proved(before: Finding, contrast: Contrast) -> Finding {
    let mut finding = opened(before);
    finding.report.state = AuthState::Authenticated;
    finding.report.contrast = Some(contrast);
    finding.report.verified = contrast == Contrast::BeforeLogin;
    finding
}
