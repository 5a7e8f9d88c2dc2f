//! One visit: its current process, new ones where a flow needs them, and what all of them said.

use super::agent::AgentVisit;
use super::server::ServerVisit;
use super::{Action, Wait};
use crate::agents::SeenMethod;
use crate::model::{
    AgentKind, AuthMethod, Diagnostic, DiagnosticKind, EraChoice, Failure, Finding, Handshake,
    Identification, ProbeLevel, ProbeRequest, ProtocolChoice,
};
use crate::redact::secrets;
use crate::rpc::{ConnectFailure, Connection, Runner};
use crate::ui::Ui;

/// Who is visited. The only place that distinguishes agents and servers while a command runs.
pub enum Visit {
    Agent(Box<AgentVisit>),
    Server(Box<ServerVisit>),
}

/// Whom an outcome is about, and what only such a one can say.
#[derive(Debug)]
pub enum Asked {
    Agent,
    /// An MCP server, and whom it takes the user for, where it could be asked.
    Server(Option<Identification>),
}

impl Visit {
    /// A visit to an agent or a server; `follows_sessions` keeps what an agent's sessions say.
    #[must_use]
    pub fn new(
        kind: AgentKind,
        runner: Runner,
        protocol: ProtocolChoice,
        era: EraChoice,
        action: &Action,
    ) -> Self {
        match kind {
            AgentKind::Acp => {
                let follows_sessions =
                    matches!(action, Action::Status(ProbeRequest::Level(ProbeLevel::Prompt)));
                Self::Agent(Box::new(AgentVisit::new(runner, protocol, follows_sessions)))
            }
            AgentKind::Mcp => Self::Server(Box::new(ServerVisit::new(runner, era))),
        }
    }

    /// Starts a process and does what is wanted.
    pub async fn perform(&mut self, action: &Action, ui: &Ui) -> Finding {
        match self {
            Self::Agent(visit) => visit.perform(action, ui).await,
            Self::Server(visit) => visit.perform(action).await,
        }
    }

    /// Waits until something else is said than in the finding before.
    pub async fn next_change(&mut self, before: &Finding, wait: &Wait) -> Finding {
        match self {
            Self::Agent(visit) => visit.next_change(&before.report, wait).await,
            Self::Server(visit) => visit.next_change(wait).await,
        }
    }

    /// Whom the finding is about.
    #[must_use]
    pub fn asked(&self, identification: Option<Identification>) -> Asked {
        match self {
            Self::Agent(_) => Asked::Agent,
            Self::Server(_) => Asked::Server(identification),
        }
    }

    /// The last handshake.
    #[must_use]
    pub fn handshake(&self) -> Option<&Handshake> {
        self.record().handshake.as_ref()
    }

    /// All methods that were offered, unless only some of them are known.
    #[must_use]
    pub fn offered_methods(&self) -> Option<Vec<SeenMethod>> {
        let record = self.record();
        let handshake = record.handshake.as_ref().filter(|_| !record.is_narrowed)?;
        matches!(self, Self::Agent(_)).then(|| handshake.methods.iter().map(seen).collect())
    }

    /// Everything remarked on so far, each once.
    #[must_use]
    pub fn diagnostics(&self) -> Vec<Diagnostic> {
        self.record().diagnostics(self.connection())
    }

    /// The last that the current process wrote to stderr.
    #[must_use]
    pub fn stderr_tail(&self) -> String {
        self.connection().map(Connection::stderr_tail).unwrap_or_default()
    }

    /// Ends the current process, if there is one.
    pub async fn leave(&mut self) {
        match self {
            Self::Agent(visit) => visit.leave().await,
            Self::Server(visit) => visit.leave().await,
        }
    }

    fn record(&self) -> &Record {
        match self {
            Self::Agent(visit) => &visit.record,
            Self::Server(visit) => &visit.record,
        }
    }

    fn connection(&self) -> Option<&Connection> {
        match self {
            Self::Agent(visit) => visit.connection(),
            Self::Server(visit) => visit.connection(),
        }
    }
}

/// What the processes of one visit said, those that have ended among them.
#[derive(Default)]
pub struct Record {
    /// The last handshake.
    pub handshake: Option<Handshake>,
    /// Whether the methods are only those that fit here.
    pub is_narrowed: bool,
    earlier: Vec<Diagnostic>,
    /// A process whose handshake failed, until it is ended.
    pub failed: Option<Connection>,
}

impl Record {
    /// Keeps a handshake that failed, whose process may still run.
    pub fn keep(&mut self, failed: ConnectFailure) -> Failure {
        self.earlier.extend(failed.diagnostics);
        self.failed = failed.connection;
        failed.failure
    }

    /// Notes something the person should know.
    pub fn remark(&mut self, remark: Diagnostic) {
        self.earlier.push(remark);
    }

    /// Drops remarks that have turned out otherwise.
    pub fn forget(&mut self, kind: DiagnosticKind) {
        self.earlier.retain(|remark| remark.kind != kind);
    }

    /// Keeps what a process had remarked on that is about to end.
    pub fn take_over(&mut self, connection: &Connection) {
        self.earlier.extend(connection.diagnostics());
    }

    fn diagnostics(&self, current: Option<&Connection>) -> Vec<Diagnostic> {
        let mut all: Vec<Diagnostic> = Vec::new();
        let current = current.map(Connection::diagnostics).unwrap_or_default();
        for remark in self.earlier.iter().cloned().chain(current) {
            if !all.contains(&remark) {
                all.push(remark);
            }
        }
        all
    }
}

fn seen(method: &AuthMethod) -> SeenMethod {
    // An address would be somebody's.
    let name = secrets().hide(&method.name.label());
    let name = if name.contains('@') { String::new() } else { name };
    SeenMethod { id: method.id.raw().to_owned(), name }
}
