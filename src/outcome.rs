//! What a command came to, as plain data for the renderers.

use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use crate::agents::{Listed, Origin, Target, known_agent};
use crate::environment::environment;
use crate::exit::Exit;
use crate::flows::Asked;
use crate::json::map_strings;
use crate::model::{
    AuthMethod, AuthState, Diagnostic, Evidence, Failure, FailureKind, Handshake, Identification,
    Identity, Launch, NoIdentity, Operation, OperationKind, OperationResult, StatusReport,
};
use crate::redact::{MASKED, mask_fields, mask_text};
use crate::untrusted::Untrusted;

/// Something that may be a credential; its content was not looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Credential {
    /// A variable that is set in the agent's environment.
    Variable(String),
    /// A file, and when it was written.
    File { path: PathBuf, written: Option<SystemTime> },
}

/// Everything one agent was asked and said.
#[derive(Debug)]
pub struct AgentOutcome {
    pub name: String,
    pub target: Target,
    /// Whom this is about, and what only such a one can say.
    pub asked: Asked,
    pub origin: Origin,
    pub launch: Launch,
    pub handshake: Option<Handshake>,
    pub report: StatusReport,
    pub operation: Option<Operation>,
    pub failure: Option<Failure>,
    /// Whether only the methods were looked at.
    pub is_listing: bool,
    /// The account that was expected, and whether it is among those shown.
    pub expected: Option<(String, bool)>,
    pub diagnostics: Vec<Diagnostic>,
    /// The last that the agent wrote to stderr.
    pub stderr: String,
    /// How long a pushed state was waited for.
    pub push_patience: Duration,
    /// Whether account details have been replaced.
    pub masked: bool,
    /// Whether a method that needs a terminal can be used.
    pub has_terminal: bool,
    /// From the start of the agent to its answer; ending it is not part.
    pub duration: Duration,
    /// When the answer was there.
    pub observed_at: SystemTime,
}

impl AgentOutcome {
    /// The exit of a run that asked this agent only.
    #[must_use]
    pub fn exit(&self) -> Exit {
        let of_failure = self.failure.as_ref().map(Exit::from);
        match (&self.operation, of_failure) {
            // It was passed over, which is no fault.
            (_, Some(Exit::Success)) => Exit::Success,
            // What a command cannot do without outweighs what it found out.
            (
                _,
                Some(
                    exit @ (Exit::Usage
                    | Exit::TimedOut
                    | Exit::Failed
                    | Exit::Signalled(_)
                    | Exit::Bug),
                ),
            ) => exit,
            (Some(operation), _)
                if operation.kind == OperationKind::Login && self.is_wrong_account() =>
            {
                Exit::NotSignedIn
            }
            (Some(operation), _) => match operation.result {
                OperationResult::SignedIn
                | OperationResult::AlreadySignedIn
                | OperationResult::Accepted
                | OperationResult::SignedOut
                | OperationResult::AlreadySignedOut => Exit::Success,
                OperationResult::Declined | OperationResult::Failed => Exit::NotSignedIn,
                OperationResult::Unsupported => Exit::Unknown,
            },
            (None, None) if self.is_listing => match &self.handshake {
                Some(handshake) if !handshake.methods.is_empty() => Exit::Success,
                _ => Exit::Unknown,
            },
            (None, _) if self.is_wrong_account() => Exit::NotSignedIn,
            (None, _) => match self.report.state {
                AuthState::Authenticated | AuthState::NotRequired => Exit::Success,
                AuthState::Unauthenticated => Exit::NotSignedIn,
                AuthState::Unknown => Exit::Unknown,
            },
        }
    }

    /// Whether somebody else than expected is signed in, or nobody is shown.
    #[must_use]
    pub fn is_wrong_account(&self) -> bool {
        let is_claimed = self.report.state.is_usable()
            || self.operation.as_ref().is_some_and(|operation| {
                matches!(
                    operation.result,
                    OperationResult::SignedIn
                        | OperationResult::Accepted
                        | OperationResult::AlreadySignedIn
                )
            });
        is_claimed && self.expected.as_ref().is_some_and(|(_, matches)| !matches)
    }

    /// Compares what is shown with the account that is expected, letters in either case.
    pub fn expect_account(&mut self, expected: Option<&str>) {
        let Some(expected) = expected else { return };
        // Where one is in use, the others are not who would be working.
        let accounts = &self.report.accounts;
        let has_active = accounts.iter().any(|account| account.active == Some(true));
        let in_use = accounts.iter().filter(|account| !has_active || account.active == Some(true));
        let of_accounts = in_use.flat_map(|account| {
            [
                Some(&account.label),
                account.name.as_ref(),
                account.email.as_ref(),
                account.organization.as_ref(),
            ]
        });
        let of_identity = self.identity().into_iter().flat_map(|identity| {
            [
                Some(&identity.subject),
                identity.display_name.as_ref(),
                identity.account_id.as_ref(),
                identity.organization.as_ref(),
            ]
        });
        let wanted = expected.trim().to_lowercase();
        let is_wanted = |shown: &Untrusted| shown.raw().trim().to_lowercase() == wanted;
        let matches = of_accounts.chain(of_identity).flatten().any(is_wanted);
        self.expected = Some((expected.to_owned(), matches));
    }

    /// Whom an MCP server takes the user for.
    #[must_use]
    pub const fn identity(&self) -> Option<&Identity> {
        match &self.asked {
            Asked::Server(Some(Identification::Stated(identity))) => Some(identity),
            _ => None,
        }
    }

    /// Why an MCP server has no identity.
    #[must_use]
    pub const fn no_identity(&self) -> Option<NoIdentity> {
        match &self.asked {
            Asked::Server(Some(Identification::Missing(reason))) => Some(*reason),
            _ => None,
        }
    }

    /// Whether the person said no to what was asked for.
    #[must_use]
    pub fn was_declined(&self) -> bool {
        let result = self.operation.as_ref().map(|operation| operation.result);
        result == Some(OperationResult::Declined)
    }

    /// The failure that kept the agent from being asked at all.
    #[must_use]
    pub fn prevented(&self) -> Option<&Failure> {
        self.failure.as_ref().filter(|failure| failure.prevents_asking())
    }

    /// Replaces names, e-mail addresses and organizations, wherever they show.
    pub fn mask_accounts(&mut self) {
        self.masked = true;
        let details = self.report.account_details();
        let of_identity = self.identity().into_iter().flat_map(|identity| {
            [
                Some(&identity.subject),
                identity.display_name.as_ref(),
                identity.organization.as_ref(),
            ]
            .into_iter()
            .flatten()
        });
        let of_identity = of_identity.map(|detail| detail.raw().trim().to_owned());
        let mut known: Vec<String> =
            details.into_iter().chain(of_identity).filter(|detail| detail.len() > 2).collect();
        let mask = |text: &str, known: &[String]| mask_text(text, known);
        if let Some(data) = self.failure.as_mut().and_then(|failure| failure.data.as_mut()) {
            mask_fields(data, &mut known);
        }
        let hide = |text: &mut Untrusted| *text = mask(text.raw(), &known).into();
        for account in &mut self.report.accounts {
            if self.report.evidence == Some(Evidence::PushedStatus) {
                // There it is the kind of credential.
                hide(&mut account.label);
            } else {
                account.label = MASKED.into();
            }
            account.description.iter_mut().for_each(hide);
            for detail in [&mut account.name, &mut account.email, &mut account.organization] {
                if detail.is_some() {
                    *detail = Some(MASKED.into());
                }
            }
        }
        if let Asked::Server(Some(Identification::Stated(identity))) = &mut self.asked {
            identity.subject = MASKED.into();
            for detail in
                [&mut identity.display_name, &mut identity.account_id, &mut identity.organization]
            {
                if detail.is_some() {
                    *detail = Some(MASKED.into());
                }
            }
        }
        self.stderr = mask(&self.stderr, &known);
        self.report.message.iter_mut().for_each(hide);
        if let Some((expected, _)) = &mut self.expected {
            MASKED.clone_into(expected);
        }
        if let Some(handshake) = &mut self.handshake {
            for method in &mut handshake.methods {
                hide(&mut method.name);
                method.description.iter_mut().for_each(hide);
                map_strings(&mut method.raw, &|text| mask(text, &known));
            }
            for text in handshake.peer.iter_mut().flat_map(|peer| {
                [&mut peer.name, &mut peer.title, &mut peer.version].into_iter().flatten()
            }) {
                hide(text);
            }
        }
        self.diagnostics.iter_mut().for_each(|remark| hide(&mut remark.message));
        if let Some(failure) = &mut self.failure {
            hide(&mut failure.message);
            failure.reply.iter_mut().for_each(hide);
            failure.stderr.iter_mut().for_each(hide);
            failure.hints.iter_mut().for_each(|hint| *hint = mask(hint, &known));
            if let Some(data) = &mut failure.data {
                map_strings(data, &|text| mask(text, &known));
            }
        }
    }

    /// What may be a credential of this agent, by its existence alone: hints, not a state. Those of
    /// the catalog only where the agent does not say by its own word that somebody is signed in.
    #[must_use]
    pub fn credentials(&self) -> Vec<Credential> {
        let mut names: Vec<String> =
            self.credential_variables().into_iter().map(ToOwned::to_owned).collect();
        let mut files = Vec::new();
        let peer = self.handshake.as_ref().and_then(|handshake| handshake.peer.as_ref());
        let is_said = self.report.state.is_usable() && self.report.contrast.is_none();
        let known = if is_said { None } else { known_agent(&self.launch, peer) };
        if let Some(known) = known {
            names.extend(known.variables.iter().filter(|name| self.is_set(name)).cloned());
            files.extend(known.credential_files(&self.launch));
        }
        names.sort_unstable();
        names.dedup();
        let files = files.into_iter().filter_map(|path| {
            let written = path.metadata().ok().filter(std::fs::Metadata::is_file)?.modified().ok();
            Some(Credential::File { path, written })
        });
        names.into_iter().map(Credential::Variable).chain(files).collect()
    }

    fn is_set(&self, name: &str) -> bool {
        environment().is_set_for(&self.launch, name)
    }

    /// The environment variables that are set for the agent and that one of its methods names.
    #[must_use]
    pub fn credential_variables(&self) -> Vec<&str> {
        let methods = self.handshake.iter().flat_map(|handshake| &handshake.methods);
        let mut names: Vec<&str> =
            methods.flat_map(AuthMethod::variables).filter(|name| self.is_set(name)).collect();
        names.sort_unstable();
        names.dedup();
        names
    }
}

/// A run of status, login or logout.
#[derive(Debug)]
pub struct RunOutcome {
    pub command: &'static str,
    pub agents: Vec<AgentOutcome>,
    /// The definitions, where they were asked for.
    pub listed: Option<Vec<Listed>>,
    /// Whether the well-known agents were asked for.
    pub is_catalog: bool,
    /// The files that could not be read.
    pub problems: Vec<Failure>,
    /// What stopped the run before any agent was started.
    pub failure: Option<Failure>,
    /// Whether the state that was waited for has come, which is all that counts then.
    pub reached: bool,
}

impl RunOutcome {
    /// A run that has come to nothing yet.
    #[must_use]
    pub const fn empty(command: &'static str) -> Self {
        Self {
            command,
            agents: Vec::new(),
            listed: None,
            is_catalog: false,
            problems: Vec::new(),
            failure: None,
            reached: false,
        }
    }

    /// Whether a signal ended it.
    #[must_use]
    pub fn was_interrupted(&self) -> bool {
        let is_signal = |failure: &Failure| matches!(failure.kind, FailureKind::Interrupted(_));
        self.agents.iter().filter_map(|agent| agent.failure.as_ref()).any(is_signal)
    }

    #[must_use]
    pub fn failed(command: &'static str, failure: Failure) -> Self {
        Self { failure: Some(failure), ..Self::empty(command) }
    }

    #[must_use]
    pub fn exit(&self) -> Exit {
        if self.reached && self.failure.is_none() {
            return Exit::Success;
        }
        let own = self.failure.as_ref().map(Exit::from);
        let is_skipped = |agent: &AgentOutcome| {
            agent.failure.as_ref().is_some_and(|failure| failure.kind == FailureKind::Skipped)
        };
        if !self.agents.is_empty() && self.agents.iter().all(is_skipped) {
            // Nobody was asked.
            return Exit::worst([Exit::Unknown].into_iter().chain(own));
        }
        Exit::worst(self.agents.iter().map(AgentOutcome::exit).chain(own))
    }
}
