//! Visiting agents at once and answering in the order they were named in.

use std::sync::Arc;

use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::Instant;

use crate::agents::{AgentDefinition, Selection, select};
use crate::auth::{Finding, LoginOptions, Visit, sign_in, sign_out};
use crate::connection::{Question, Surroundings};
use crate::error::{Failure, FailureKind, Phase};
use crate::interrupt::Interrupt;
use crate::outcome::{AgentOutcome, RunOutcome};
use crate::protocol::{ELICITATION, NOBODY_THERE, Runner, STATUS_NOTIFICATIONS};
use crate::render::{human, json};
use crate::settings::Settings;
use crate::trace::Trace;
use crate::ui::Ui;

/// What is done at each agent.
#[derive(Debug, Clone)]
pub enum Action {
    Status,
    Login(LoginOptions),
    Logout,
}

/// Everything a command runs with.
pub struct Run {
    pub settings: Arc<Settings>,
    pub ui: Arc<Ui>,
    pub interrupt: Interrupt,
}

impl Run {
    /// Visits the selected agents, prints each answer as soon as it and those before it are known,
    /// and returns when every agent has ended.
    pub async fn visit_all(
        &self,
        command: &'static str,
        selection: &Selection,
        action: &Action,
    ) -> RunOutcome {
        let agents = match select(selection, &self.settings) {
            Ok(agents) => agents,
            Err(failure) => return self.answer_failure(command, failure),
        };
        let count = agents.len();
        let (sender, mut outcomes) = mpsc::unbounded_channel();
        let mut visits = JoinSet::new();
        for (index, agent) in agents.into_iter().enumerate() {
            let visit = self.visit(agent, action.clone(), index, sender.clone());
            visits.spawn(visit);
        }
        drop(sender);
        let collecting = async {
            let mut waiting: Vec<Option<AgentOutcome>> = (0..count).map(|_| None).collect();
            let mut known = Vec::with_capacity(count);
            let mut unwritten = None;
            while let Some((index, outcome)) = outcomes.recv().await {
                waiting[index] = Some(outcome);
                while let Some(outcome) = waiting.get_mut(known.len()).and_then(Option::take) {
                    let answered = self.answer_one(&outcome, known.len());
                    unwritten = unwritten.or(answered.err().map(|error| self.unwritten(&error)));
                    known.push(outcome);
                }
            }
            (known, unwritten)
        };
        let (known, unwritten) = match action {
            // A login says itself what it waits for.
            Action::Login(_) | Action::Logout => collecting.await,
            Action::Status => self.ui.while_waiting("the answer", collecting).await,
        };
        if known.len() < count {
            // A visit that told nothing has panicked; what it left behind is unwound first.
            finish(&mut visits).await;
        }
        let outcome = self.answer_document(RunOutcome {
            command,
            agents: known,
            failure: unwritten,
        });
        finish(&mut visits).await;
        self.report_cut_trace();
        outcome
    }

    /// One agent from its start to its end; the answer is sent off before the end.
    fn visit(
        &self,
        agent: AgentDefinition,
        action: Action,
        index: usize,
        sender: mpsc::UnboundedSender<(usize, AgentOutcome)>,
    ) -> impl Future<Output = ()> + Send + 'static {
        let settings = self.settings.clone();
        let ui = self.ui.clone();
        let interrupt = self.interrupt.clone();
        async move {
            let started = Instant::now();
            let runner = Runner {
                agent: agent.name.clone(),
                launch: agent.launch.clone(),
                protocol: settings.protocol(&agent),
                limits: settings.limits(&agent, ui.facts.can_prompt()),
                surroundings: Surroundings {
                    interrupt,
                    trace: settings
                        .trace
                        .clone()
                        .map(|file| Arc::new(Trace::new(file, &agent.name))),
                    listener: None,
                    question: ui.facts.can_prompt().then_some(Question {
                        method: ELICITATION,
                        idle_result: NOBODY_THERE,
                    }),
                    kept_notifications: STATUS_NOTIFICATIONS,
                },
            };
            let push_patience = runner.limits.push;
            let mut visit = Visit::new(runner);
            let finding = perform(&mut visit, &action, &ui).await;
            let mut outcome = AgentOutcome {
                name: agent.name,
                target: agent.target,
                kind: agent.kind,
                origin: agent.origin,
                launch: agent.launch,
                handshake: visit.handshake.clone(),
                report: finding.report,
                operation: finding.operation,
                failure: finding.failure,
                diagnostics: visit.diagnostics(),
                stderr: visit.stderr_tail(),
                push_patience,
                masked: false,
                has_terminal: ui.facts.can_prompt(),
                duration: started.elapsed(),
            };
            outcome.read_refusal();
            if ui.facts.is_unattended_ci() && !settings.show_accounts {
                outcome.mask_accounts();
            }
            // Nobody listens only when the whole run is being unwound.
            let _ = sender.send((index, outcome));
            drop(sender);
            visit.leave().await;
        }
    }

    fn answer_one(&self, outcome: &AgentOutcome, index: usize) -> std::io::Result<()> {
        if self.settings.json {
            return Ok(());
        }
        if self.settings.quiet
            && let Some(failure) = &outcome.failure
        {
            self.ui.error(&human::failure_line(failure));
        }
        let gap = if index > 0 { "\n" } else { "" };
        let text = human::agent(outcome, self.settings.verbose);
        self.ui.answer(&format!("{gap}{text}"))
    }

    /// Prints the document, where one is wanted; what cannot be written becomes the outcome.
    fn answer_document(&self, mut outcome: RunOutcome) -> RunOutcome {
        if self.settings.json
            && let Err(error) = Ui::data(&json::document(&outcome))
        {
            outcome.failure = Some(self.unwritten(&error));
        }
        outcome
    }

    /// Says that the answer could not be written: a script must not take that for an answer.
    fn unwritten(&self, error: &std::io::Error) -> Failure {
        let text = format!("the answer could not be written to stdout: {error}");
        let failure = Failure::new(FailureKind::Output, Phase::Output, text);
        self.ui.error(&human::failure(&failure));
        failure
    }

    /// Prints a failure that came before any agent was started.
    pub fn answer_failure(&self, command: &'static str, failure: Failure) -> RunOutcome {
        self.ui.error(&human::failure(&failure));
        self.answer_document(RunOutcome::failed(command, failure))
    }

    fn report_cut_trace(&self) {
        if self
            .settings
            .trace
            .as_ref()
            .is_some_and(|trace| !trace.is_complete())
        {
            self.ui
                .error("warning: the trace is incomplete, its file could not be written any more");
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

async fn perform(visit: &mut Visit, action: &Action, ui: &Ui) -> Finding {
    if let Err(failure) = visit.open().await {
        return Finding {
            failure: Some(failure),
            ..Finding::default()
        };
    }
    fail_on_purpose();
    match action {
        Action::Status => visit.ask().await,
        Action::Login(options) => sign_in(visit, options, ui).await,
        Action::Logout => sign_out(visit, ui).await,
    }
}

/// Lets a test see what a panic leaves behind; not in release builds.
fn fail_on_purpose() {
    #[cfg(debug_assertions)]
    assert!(
        std::env::var_os("ACP_AUTH_TEST_PANIC").is_none(),
        "a panic that was asked for"
    );
}
