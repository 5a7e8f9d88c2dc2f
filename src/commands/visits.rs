//! Visiting agents at once and answering in the order they were named in.

use std::sync::Arc;

use tokio::sync::{Semaphore, mpsc};
use tokio::task::JoinSet;
use tokio::time::Instant;

use super::Run;
use crate::agents::{AgentDefinition, AgentKind, Selection, remember_methods};
use crate::auth::{
    AuthState, Evidence, Finding, IdentityProbe, LoginOptions, Operation, OperationKind,
    OperationResult, Probe, StatusReport, Visit, ask_identity, probe, sign_in, sign_out,
};
use crate::connection::interrupted;
use crate::error::{Failure, FailureKind, Phase};
use crate::outcome::{AgentOutcome, RunOutcome};
use crate::protocol::mcp::EraChoice;
use crate::protocol::means_sign_in_required;
use crate::render::human;
use crate::ui::Ui;

/// All agents are told of in a table when there are more than this.
const ROWS_FROM: usize = 3;

/// How the state is asked for.
#[derive(Debug, Clone, Default)]
pub struct StatusOptions {
    /// How far an agent is tried; its definition may say it too.
    pub how_far: Option<Probe>,
    /// How far an MCP server is tried.
    pub identity: IdentityProbe,
    pub era: EraChoice,
    /// The account that must be shown.
    pub expected: Option<String>,
}

/// What is done at each agent.
#[derive(Debug, Clone)]
pub enum Action {
    /// Ask for the state.
    Status(Box<StatusOptions>),
    /// List the methods.
    List,
    Login(LoginOptions),
    Logout,
}

/// Visits the selected agents, prints each answer as soon as it and those before it are known,
/// and returns when every agent has ended. At most `jobs` agents are asked at once.
pub async fn visit_all(
    run: &Run,
    command: &'static str,
    selection: &Selection,
    action: &Action,
    jobs: usize,
) -> RunOutcome {
    let agents = match run.select(selection) {
        Ok(agents) => agents,
        Err(failure) => return run.answer_failure(command, failure),
    };
    let count = agents.len();
    let as_table = selection.all && count > ROWS_FROM && run.settings.verbose == 0;
    let width = human::name_width(agents.iter().map(|agent| agent.name.as_str()));
    let places = Arc::new(Semaphore::new(jobs.max(1)));
    let (sender, mut outcomes) = mpsc::unbounded_channel();
    let mut visits = JoinSet::new();
    for (index, agent) in agents.into_iter().enumerate() {
        let visit = visit(run.clone(), agent, action.clone(), index, sender.clone());
        let places = places.clone();
        visits.spawn(async move {
            // The semaphore is never closed.
            let _place = places.acquire().await;
            visit.await;
        });
    }
    drop(sender);
    let collecting = async {
        let mut waiting: Vec<Option<AgentOutcome>> = (0..count).map(|_| None).collect();
        let mut known = Vec::with_capacity(count);
        let mut unwritten = None;
        while let Some((index, outcome)) = outcomes.recv().await {
            waiting[index] = Some(outcome);
            while let Some(outcome) = waiting.get_mut(known.len()).and_then(Option::take) {
                let answered = if as_table {
                    run.answer_row(&outcome, known.len(), width)
                } else {
                    run.answer_one(&outcome, known.len())
                };
                unwritten = unwritten.or(answered.err().map(|error| run.unwritten(&error)));
                known.push(outcome);
            }
        }
        (known, unwritten)
    };
    let (known, unwritten) = match action {
        // A login says itself what it waits for.
        Action::Login(_) | Action::Logout => collecting.await,
        Action::Status(_) | Action::List => run.ui.while_waiting("the answer", collecting).await,
    };
    if known.len() < count {
        // A visit that told nothing has panicked; what it left behind is unwound first.
        finish(&mut visits).await;
    }
    let outcome = RunOutcome { agents: known, failure: unwritten, ..RunOutcome::empty(command) };
    let outcome = run.answer_document(outcome);
    finish(&mut visits).await;
    run.report_cut_trace();
    outcome
}

/// One agent from its start to its end; the answer is sent off before the end.
async fn visit(
    run: Run,
    agent: AgentDefinition,
    action: Action,
    index: usize,
    sender: mpsc::UnboundedSender<(usize, AgentOutcome)>,
) {
    let started = Instant::now();
    if agent.kind == AgentKind::Mcp {
        return visit_server(&run, &agent, &action, index, sender).await;
    }
    let (how_far, expected) = match &action {
        Action::Status(options) => {
            (options.how_far.or(agent.options.probe), options.expected.as_deref())
        }
        _ => (None, None),
    };
    let mut visit = Visit::new(run.runner(&agent, how_far.is_some()));
    let opened = match (&agent.failure, run.interrupt.signal()) {
        (Some(failure), _) => Err(failure.clone()),
        // It waited for its turn, which does not come any more.
        (None, Some(signal)) => Err(interrupted(signal, Phase::Start, &agent.name)),
        (None, None) => visit.open().await,
    };
    let finding = match opened {
        Ok(()) => perform(&mut visit, &action, how_far, &run.ui).await,
        Err(failure) => unopened(&action, failure),
    };
    let outcome = run.outcome(&agent, &visit, finding, started.elapsed(), expected);
    if let (Some(name), Some(handshake)) = (&agent.target.name, &visit.handshake) {
        remember_methods(name, handshake.methods.iter().map(|method| method.id.raw().to_owned()));
    }
    // Nobody listens only when the whole run is being unwound.
    let _ = sender.send((index, outcome));
    drop(sender);
    visit.leave().await;
}

/// One MCP server, asked who it thinks the user is.
async fn visit_server(
    run: &Run,
    agent: &AgentDefinition,
    action: &Action,
    index: usize,
    sender: mpsc::UnboundedSender<(usize, AgentOutcome)>,
) {
    let started = Instant::now();
    let mut visit = Visit::new(run.runner(agent, false));
    let asked = match (action, &agent.failure, run.interrupt.signal()) {
        (_, Some(failure), _) => Err(failure.clone()),
        (_, None, Some(signal)) => Err(interrupted(signal, Phase::Start, &agent.name)),
        (Action::Status(options), None, None) => Ok(options),
        (action, None, None) => Err(not_for_servers(action, agent)),
    };
    let expected = asked.as_ref().ok().and_then(|options| options.expected.clone());
    let finding = match asked {
        Ok(options) => ask_server(&mut visit, options).await,
        Err(failure) => unopened(action, failure),
    };
    let outcome = run.outcome(agent, &visit, finding, started.elapsed(), expected.as_deref());
    // Nobody listens only when the whole run is being unwound.
    let _ = sender.send((index, outcome));
    drop(sender);
    visit.leave().await;
}

async fn ask_server(visit: &mut Visit, options: &StatusOptions) -> Finding {
    if options.how_far.is_some() {
        let text =
            "an MCP server has no sessions to try; --probe without a value calls its identity tool";
        return Finding { failure: Some(Failure::usage(text)), ..Finding::default() };
    }
    match visit.open_server(options.era).await {
        Ok(server) => {
            let finding = ask_identity(&server, &visit.runner.launch, &options.identity).await;
            visit.hold(server);
            finding
        }
        Err(failure) => Finding { failure: Some(failure), ..Finding::default() },
    }
}

/// Signing in and out is no business of the protocol of MCP servers over stdio.
fn not_for_servers(action: &Action, agent: &AgentDefinition) -> Failure {
    let what = if matches!(action, Action::Logout) { "sign out of" } else { "sign in to" };
    let text = format!("{} is an MCP server, and acp-auth does not {what} those", agent.name);
    let status = agent.target.command_line("status", &[]);
    Failure::new(FailureKind::Unsupported, Phase::Choice, text)
        .hint("a server is given its credential by whoever starts it, mostly as a variable in its `env`")
        .hint(format!("to see who it thinks you are: {status}"))
}

async fn perform(visit: &mut Visit, action: &Action, how_far: Option<Probe>, ui: &Ui) -> Finding {
    fail_on_purpose();
    match action {
        Action::Status(_) => {
            let finding = visit.ask().await;
            match how_far {
                Some(how_far) => probe(visit, how_far, finding, ui).await,
                None => finding,
            }
        }
        Action::List => Finding { is_listing: true, ..Finding::default() },
        Action::Login(options) => sign_in(visit, options, ui).await,
        Action::Logout => sign_out(visit, ui).await,
    }
}

/// What an agent that could not be spoken to comes to.
fn unopened(action: &Action, failure: Failure) -> Finding {
    let is_signed_out = means_sign_in_required(&failure);
    let signed_out = |message| StatusReport {
        state: AuthState::Unauthenticated,
        evidence: Some(Evidence::Initialize),
        message,
        ..StatusReport::default()
    };
    let result = OperationResult::of_failure(&failure);
    let failed = |kind| Some(Operation::new(kind, result));
    match action {
        Action::Status(_) | Action::List => {
            Finding { failure: Some(failure), ..Finding::default() }
        }
        Action::Login(_) => {
            let hint = "it does not say how to sign in before that; sign in with its own program";
            let (report, failure) = if is_signed_out {
                (signed_out(failure.reply.clone()), failure.hint(hint))
            } else {
                (StatusReport::default(), failure)
            };
            let operation = failed(OperationKind::Login);
            Finding { report, operation, failure: Some(failure), ..Finding::default() }
        }
        Action::Logout if is_signed_out => Finding {
            report: signed_out(failure.reply),
            operation: Some(Operation {
                verified: true,
                ..Operation::new(OperationKind::Logout, OperationResult::AlreadySignedOut)
            }),
            ..Finding::default()
        },
        Action::Logout => {
            let operation = failed(OperationKind::Logout);
            Finding { operation, failure: Some(failure), ..Finding::default() }
        }
    }
}

/// Waits until every visit has ended its agent; a panic of one goes on here.
async fn finish(visits: &mut JoinSet<()>) {
    while let Some(visit) = visits.join_next().await {
        if let Err(error) = visit
            && error.is_panic()
        {
            std::panic::resume_unwind(error.into_panic());
        }
    }
}

/// Lets a test see what a panic leaves behind; not in release builds.
fn fail_on_purpose() {
    #[cfg(debug_assertions)]
    assert!(std::env::var_os("ACP_AUTH_TEST_PANIC").is_none(), "a panic that was asked for");
}
