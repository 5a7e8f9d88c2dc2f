//! From outcomes to the structs of JSON output.

use std::time::SystemTime;

use serde_json::Value;

use super::report::{
    AccountReport, AgentReport, CredentialKind, CredentialReport, DefinedIn, DefinedInKind,
    DefinitionReport, DiagnosticReport, ErrorKind, ErrorReport, Flow, IdentityReason,
    IdentityReport, IdentitySource, Kind, KnownReport, Label, LaunchReport, MethodReport,
    OperationName, OperationReport, Operations, PeerReport, Prose, ResultName, State,
    VersionReport,
};
use crate::agents::{Known, Listed, Origin, OriginKind};
use crate::flows::Asked;
use crate::model::{
    Account, AuthMethod, AuthState, Contrast, Diagnostic, Evidence, Failure, FailureKind, Identity,
    Launch, MethodFlow, NoIdentity, OperationKind, OperationResult, Version,
};
use crate::outcome::{AgentOutcome, Credential};
use crate::redact::{hide_in, secrets};
use crate::shell;
use crate::untrusted::Untrusted;

impl<'a> From<&'a AgentOutcome> for AgentReport<'a> {
    fn from(outcome: &'a AgentOutcome) -> Self {
        let handshake = outcome.handshake.as_ref();
        let offers = handshake.map(|handshake| handshake.offers).unwrap_or_default();
        Self {
            name: &outcome.name,
            kind: match outcome.asked {
                Asked::Agent => Kind::Acp,
                Asked::Server(_) => Kind::Mcp,
            },
            defined_in: DefinedIn::from(&outcome.origin),
            launch: LaunchReport::from(&outcome.launch),
            peer: handshake.and_then(|handshake| handshake.peer.as_ref()).map(|peer| PeerReport {
                name: peer.name.as_ref().map(Prose::from),
                title: peer.title.as_ref().map(Prose::from),
                version: peer.version.as_ref().map(Prose::from),
            }),
            protocol_version: handshake.map(|handshake| match &handshake.version {
                Version::Acp(version) => VersionReport::Acp(*version),
                Version::Mcp(version) => VersionReport::Mcp(Label::from(version)),
            }),
            state: State::from(outcome.report.state),
            reported_state: outcome.report.reported_state.as_ref().map(Label::from),
            verified: outcome.report.verified,
            evidence: outcome.report.evidence.map(Evidence::name),
            message: outcome.report.message.as_ref().map(Prose::from),
            contrast: outcome.report.contrast.map(|contrast| match contrast {
                Contrast::EmptyHome => "refused",
                Contrast::BeforeLogin => "refused_before_login",
                Contrast::BeforeStored => "refused_before_stored",
            }),
            reason: outcome.report.reason.as_ref().map(Prose::from),
            expires_at: outcome.report.expires_at.map(rfc3339),
            accounts: outcome.report.accounts.iter().map(AccountReport::from).collect(),
            identity: outcome.identity().map(IdentityReport::from),
            identity_reason: outcome.no_identity().map(IdentityReason::from),
            account_matches: outcome.expected.as_ref().map(|(_, matches)| *matches),
            accounts_masked: outcome.masked,
            auth_methods: handshake
                .iter()
                .flat_map(|handshake| &handshake.methods)
                .map(|method| MethodReport::new(method, outcome))
                .collect(),
            credential_variables: outcome.credential_variables(),
            credentials: outcome.credentials().into_iter().map(CredentialReport::from).collect(),
            operations: Operations {
                status: offers.status || offers.pushed_status,
                login: handshake.is_some_and(|handshake| {
                    handshake.methods.iter().any(|method| method.obstacle(true).is_none())
                }),
                logout: offers.logout,
            },
            operation: outcome.operation.as_ref().map(|operation| OperationReport {
                kind: match operation.kind {
                    OperationKind::Login => OperationName::Login,
                    OperationKind::Logout => OperationName::Logout,
                },
                method: operation.method.as_ref().map(Untrusted::raw),
                result: ResultName::from(operation.result),
                confirmed: operation.confirmed,
                verified: outcome.report.verified,
            }),
            error: outcome.failure.as_ref().map(ErrorReport::from),
            diagnostics: outcome.diagnostics.iter().map(DiagnosticReport::from).collect(),
            observed_at: rfc3339(outcome.observed_at),
            duration_ms: u64::try_from(outcome.duration.as_millis()).unwrap_or(u64::MAX),
        }
    }
}

impl From<&'static Known> for KnownReport<'_> {
    fn from(known: &'static Known) -> Self {
        Self {
            name: &known.name,
            program: &known.program,
            args: &known.args,
            installed: known.is_installed(),
            install: known.how_to_install(),
        }
    }
}

fn rfc3339(time: SystemTime) -> String {
    humantime::format_rfc3339_seconds(time).to_string()
}

impl From<Credential> for CredentialReport {
    fn from(credential: Credential) -> Self {
        match credential {
            Credential::Variable(name) => Self {
                kind: CredentialKind::Variable,
                name: Some(name),
                path: None,
                written_at: None,
            },
            Credential::File { path, written } => Self {
                kind: CredentialKind::File,
                name: None,
                path: Some(path.display().to_string()),
                written_at: written.map(rfc3339),
            },
        }
    }
}

impl From<&Origin> for DefinedIn {
    fn from(origin: &Origin) -> Self {
        Self {
            kind: match origin.kind {
                OriginKind::CommandLine => DefinedInKind::CommandLine,
                OriginKind::Config => DefinedInKind::Config,
                OriginKind::Registry => DefinedInKind::Registry,
                OriginKind::Zed => DefinedInKind::Zed,
                OriginKind::JetBrains => DefinedInKind::JetBrains,
                OriginKind::Acpx => DefinedInKind::Acpx,
                OriginKind::McpConfig => DefinedInKind::McpConfig,
                OriginKind::Project => DefinedInKind::Project,
                OriginKind::Path => DefinedInKind::Path,
                OriginKind::BuiltIn => DefinedInKind::BuiltIn,
            },
            path: origin.path.as_ref().map(|path| path.display().to_string()),
            key: origin.key.clone(),
        }
    }
}

impl<'a> From<&'a Launch> for LaunchReport<'a> {
    fn from(launch: &'a Launch) -> Self {
        Self {
            command: &launch.program,
            args: launch.args.iter().map(|arg| secrets().exact(arg)).collect(),
            env_names: launch.env.iter().map(|(name, _)| name.as_str()).collect(),
        }
    }
}

impl<'a> From<&'a Listed> for DefinitionReport<'a> {
    fn from(listed: &'a Listed) -> Self {
        Self {
            name: &listed.entry.name,
            aliases: &listed.entry.aliases,
            defined_in: DefinedIn::from(&listed.entry.origin),
            launch: listed.entry.launch.as_ref().ok().map(LaunchReport::from),
            program: listed.program.as_ref().ok().map(|program| program.display().to_string()),
            wins: listed.wins,
            reason: listed.entry.launch.as_ref().err().map(String::as_str),
        }
    }
}

impl From<AuthState> for State {
    fn from(state: AuthState) -> Self {
        match state {
            AuthState::Authenticated => Self::Authenticated,
            AuthState::Unauthenticated => Self::Unauthenticated,
            AuthState::NotRequired => Self::NotRequired,
            AuthState::Unknown => Self::Unknown,
        }
    }
}

impl<'a> From<&'a Identity> for IdentityReport<'a> {
    fn from(identity: &'a Identity) -> Self {
        Self {
            subject: Label::from(&identity.subject),
            display_name: identity.display_name.as_ref().map(Label::from),
            provider: identity.provider.as_ref().map(Label::from),
            account_id: identity.account_id.as_ref().map(Label::from),
            organization: identity.organization.as_ref().map(Label::from),
            source: match identity.tool {
                Some(_) => IdentitySource::Tool,
                None => IdentitySource::Reported,
            },
            tool: identity.tool.as_deref(),
        }
    }
}

impl From<NoIdentity> for IdentityReason {
    fn from(reason: NoIdentity) -> Self {
        match reason {
            NoIdentity::NotReported => Self::NotReported,
            NoIdentity::ProbeNotAllowed => Self::ProbeNotAllowed,
            NoIdentity::NoKnownTool => Self::NoKnownTool,
            NoIdentity::UnmappedShape => Self::UnmappedShape,
            NoIdentity::ToolFailed => Self::ToolFailed,
        }
    }
}

impl From<&Account> for AccountReport {
    fn from(account: &Account) -> Self {
        Self {
            label: Label::from(&account.label),
            description: account.description.as_ref().map(Label::from),
            active: account.active,
            name: account.name.as_ref().map(Label::from),
            email: account.email.as_ref().map(Label::from),
            organization: account.organization.as_ref().map(Label::from),
        }
    }
}

impl<'a> MethodReport<'a> {
    fn new(method: &'a AuthMethod, outcome: &AgentOutcome) -> Self {
        let obstacle = method.obstacle(outcome.has_terminal);
        Self {
            id: method.id.raw(),
            name: Prose::from(&method.name),
            r#type: Label::from(&method.type_name),
            description: method.description.as_ref().map(Prose::from),
            usable: obstacle.is_none(),
            flow: match &method.flow {
                MethodFlow::Agent => Flow::Agent,
                MethodFlow::Terminal { .. } => Flow::Terminal,
                MethodFlow::Recipe(_) => Flow::ProposedCommand,
                MethodFlow::Values { .. } => Flow::Values,
                MethodFlow::Unsupported(_) => Flow::Unsupported,
            },
            obstacle,
            command: shell::of_method(method, &outcome.launch)
                .map(|command| secrets().exact(&command)),
            variables: method.variables().collect(),
            raw: hidden(&method.raw, &|text| secrets().exact(text)),
        }
    }
}

impl From<OperationResult> for ResultName {
    fn from(result: OperationResult) -> Self {
        match result {
            OperationResult::SignedIn => Self::SignedIn,
            OperationResult::Accepted => Self::Accepted,
            OperationResult::AlreadySignedIn => Self::AlreadySignedIn,
            OperationResult::SignedOut => Self::SignedOut,
            OperationResult::AlreadySignedOut => Self::AlreadySignedOut,
            OperationResult::Declined => Self::Declined,
            OperationResult::Failed => Self::Failed,
            OperationResult::Unsupported => Self::Unsupported,
        }
    }
}

impl<'a> From<&'a Failure> for ErrorReport<'a> {
    fn from(failure: &'a Failure) -> Self {
        Self {
            kind: match failure.kind {
                FailureKind::Usage => ErrorKind::Usage,
                FailureKind::Config => ErrorKind::Config,
                FailureKind::Skipped => ErrorKind::Skipped,
                FailureKind::StartFailed => ErrorKind::StartFailed,
                FailureKind::Exited => ErrorKind::Exited,
                FailureKind::Protocol | FailureKind::InvalidAnswer => ErrorKind::Protocol,
                FailureKind::UnsupportedVersion => ErrorKind::UnsupportedVersion,
                FailureKind::Unsupported => ErrorKind::Unsupported,
                FailureKind::Rejected | FailureKind::SignInRequired => ErrorKind::Rejected,
                FailureKind::Timeout => ErrorKind::Timeout,
                FailureKind::Interrupted(_) => ErrorKind::Interrupted,
                FailureKind::Output => ErrorKind::Output,
                FailureKind::Internal => ErrorKind::Internal,
            },
            phase: failure.phase.name(),
            message: Prose::from(&failure.sentence()),
            causes: failure.causes().map(|cause| Prose::from(cause.as_str())).collect(),
            code: failure.code,
            data: failure.data.as_ref().map(|data| hidden(data, &|text| secrets().clean(text))),
            stderr: failure.stderr.as_ref().map(Prose::from),
            hints: failure.hints.iter().map(|hint| Prose::from(hint.as_str())).collect(),
        }
    }
}

impl From<&Diagnostic> for DiagnosticReport {
    fn from(diagnostic: &Diagnostic) -> Self {
        Self { kind: diagnostic.kind, message: Prose::from(&diagnostic.message) }
    }
}

/// A foreign value without secrets, its texts passed through `change`.
fn hidden(value: &Value, change: &dyn Fn(&str) -> String) -> Value {
    let mut value = value.clone();
    hide_in(&mut value, change);
    value
}
