//! Visiting agents at once and answering in the order they were named in.

use std::cell::RefCell;
use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::time::Duration;

use tokio::sync::mpsc;
use tokio::task::{JoinError, JoinSet};
use tokio::time::Instant;

use super::Run;
use crate::agents::{AgentDefinition, Selection, demo, remember_methods};
use crate::cli::Settings;
use crate::flows::{Action, unopened};
use crate::model::{AgentKind, EraChoice, Failure, FailureKind, Phase, ProbeRequest};
use crate::outcome::{AgentOutcome, RunOutcome};
use crate::process::room;
use crate::render::{Layout, name_width};
use crate::untrusted::Clean;
use crate::untrusted::clean;

/// All agents are listed in a table when there are more than this.
const ROWS_FROM: usize = 3;

/// When it is looked again whether more agents can be asked at once.
const LOOK_AGAIN: Duration = Duration::from_millis(20);

/// With how many agents a run begins: they wait more than they compute, so that several share a core.
fn usual_jobs() -> usize {
    std::thread::available_parallelism().map_or(4, NonZeroUsize::get) * 4
}

/// How the state is asked for.
#[derive(Debug, Clone, Default)]
pub struct StatusOptions {
    /// How far an agent is tried; the environment and its definition may say it too.
    pub probe: Option<ProbeRequest>,
    pub era: EraChoice,
    /// The account that must be shown.
    pub expected: Option<String>,
}

impl StatusOptions {
    /// How far one agent is tried.
    #[must_use]
    pub fn probe_of(&self, agent: &AgentDefinition, settings: &Settings) -> ProbeRequest {
        let by_default = || {
            // Levels are of agents: what is said for all of them is not about a server.
            let level = settings.probe(agent).filter(|_| agent.kind == AgentKind::Acp);
            ProbeRequest::Level(level.unwrap_or_default())
        };
        self.probe.clone().unwrap_or_else(by_default)
    }
}

/// What is done at each agent.
#[derive(Debug, Clone)]
pub enum Task {
    Status(StatusOptions),
    /// Anything else.
    Other(Action),
}

/// Visits the selected agents, prints each answer as soon as it and those before it are known,
/// and returns when every agent has ended. At most `jobs` agents are asked at once; where that is not
/// said, as many as the machine bears.
pub async fn visit_all(
    run: &mut Run,
    command: &'static str,
    selection: Selection,
    task: &Task,
    jobs: Option<NonZeroUsize>,
) -> RunOutcome {
    let is_all = selection.all;
    let agents = match run.select(selection).await {
        Ok(agents) => agents,
        Err(failure) => return run.answer_failure(command, failure),
    };
    let count = agents.len();
    let verbose = run.settings.verbose;
    let layout = if is_all && count > ROWS_FROM && verbose == 0 {
        Layout::Row { width: name_width(agents.iter().map(|agent| agent.name.as_str())) }
    } else {
        Layout::Block { verbose }
    };
    let mut waiting_agents = agents.into_iter().enumerate();
    let (sender, mut outcomes) = mpsc::unbounded_channel();
    let mut visits = JoinSet::new();
    let asked: RefCell<Vec<(usize, String)>> = RefCell::default();
    let mut begin = |visits: &mut JoinSet<()>| {
        // An agent that waits for its turn is only its definition.
        if let Some((index, agent)) = waiting_agents.next() {
            asked.borrow_mut().push((index, agent.name.clone()));
            visits.spawn(visit(run.clone(), agent, task.clone(), index, sender.clone()));
        }
    };
    let mut under_way = jobs.map_or_else(usual_jobs, NonZeroUsize::get).clamp(1, count.max(1));
    (0..under_way).for_each(|_| begin(&mut visits));
    let collecting = async {
        let mut waiting: HashMap<usize, AgentOutcome> = HashMap::new();
        let mut known = Vec::new();
        let mut unwritten = None;
        while known.len() < count {
            let (index, outcome) = tokio::select! {
                Some(outcome) = outcomes.recv() => outcome,
                Some(ended) = visits.join_next() => {
                    go_on_panicking(ended);
                    begin(&mut visits);
                    continue;
                }
                () = tokio::time::sleep(LOOK_AGAIN), if jobs.is_none() && under_way < count => {
                    // Those that are under way wait: twice as many may do so.
                    let more = room().min(under_way).min(count - under_way);
                    (0..more).for_each(|_| begin(&mut visits));
                    under_way += more;
                    continue;
                }
            };
            asked.borrow_mut().retain(|(one, _)| *one != index);
            waiting.insert(index, outcome);
            while let Some(outcome) = waiting.remove(&known.len()) {
                let answered = run.answer_one(&outcome, known.len(), layout);
                unwritten = unwritten.or(answered.err());
                known.push(outcome);
            }
        }
        (known, unwritten)
    };
    let (known, unwritten) = match task {
        // A login says itself what it waits for.
        Task::Other(Action::Login(_) | Action::Logout(_)) => collecting.await,
        Task::Status(_) | Task::Other(_) => {
            run.ui.while_waiting(|| who(&asked.borrow()), collecting).await
        }
    };
    let outcome = RunOutcome { agents: known, failure: unwritten, ..RunOutcome::empty(command) };
    let outcome = run.answer_whole(outcome);
    finish(&mut visits).await;
    outcome
}

/// Who is waited for, in one line.
fn who(asked: &[(usize, String)]) -> Clean {
    /// More names than these would not fit beside the time.
    const NAMED: usize = 3;
    let names: Vec<&str> = asked.iter().take(NAMED).map(|(_, name)| name.as_str()).collect();
    match (names.as_slice(), asked.len().saturating_sub(NAMED)) {
        ([], _) => Clean::from("the rest"),
        (names, 0) => clean!("{}", names.join(", ")),
        (names, more) => clean!("{} and {more} more", names.join(", ")),
    }
}

/// One agent from its start to its end; the answer is sent off before the end.
async fn visit(
    run: Run,
    agent: AgentDefinition,
    task: Task,
    index: usize,
    sender: mpsc::UnboundedSender<(usize, AgentOutcome)>,
) {
    let started = Instant::now();
    let (action, era, expected) = match task {
        Task::Status(options) => {
            let probe = options.probe_of(&agent, &run.settings);
            (Action::Status(probe), options.era, options.expected)
        }
        Task::Other(action) => {
            let expected = match &action {
                Action::Login(options) => options.expected.clone(),
                _ => None,
            };
            (action, EraChoice::Auto, expected)
        }
    };
    let mut visit = run.visit(&agent, era, &action);
    let mut finding = match (&agent.failure, run.interrupt.signal()) {
        (Some(failure), _) => unopened(&action, failure.clone()),
        // It waited for its turn, which does not come any more.
        (None, Some(signal)) => {
            unopened(&action, Failure::interrupted(signal, Phase::Start, &agent.name))
        }
        (None, None) => visit.perform(&action, &run.ui).await,
    };
    finding.failure = finding.failure.map(|failure| advise(failure, &agent));
    let outcome = run.outcome(&agent, &visit, finding, started.elapsed(), expected.as_deref());
    // Nobody listens only when the whole run is being unwound.
    let _ = sender.send((index, outcome));
    drop(sender);
    let offered = visit.offered_methods();
    visit.leave().await;
    // Long after the answer, which must not wait for it.
    if let (Some(name), Some(methods)) = (&agent.target.name, offered) {
        remember_methods(name, &methods);
    }
}

/// Adds what only somebody can say who knows how the agent was asked for.
fn advise(failure: Failure, agent: &AgentDefinition) -> Failure {
    match (failure.kind, agent.kind) {
        (FailureKind::Unsupported, AgentKind::Mcp) => {
            let status = agent.target.command_line("status", &[]);
            failure.hint(format!("to see who it thinks you are: {status}"))
        }
        (FailureKind::StartFailed, _) if agent.launch.program == demo::NAME => {
            failure.hint("the built-in agent is a name, and comes before `--`")
        }
        _ => failure,
    }
}

/// Waits until every visit has ended its agent.
async fn finish(visits: &mut JoinSet<()>) {
    while let Some(ended) = visits.join_next().await {
        go_on_panicking(ended);
    }
}

/// A panic of a visit goes on here.
fn go_on_panicking(ended: Result<(), JoinError>) {
    if let Err(error) = ended
        && error.is_panic()
    {
        std::panic::resume_unwind(error.into_panic());
    }
}
