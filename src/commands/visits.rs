//! Visiting agents at once and answering in the order they were named in.

use std::sync::Arc;

use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::Instant;

use crate::agents::{AgentDefinition, Selection, select};
use crate::auth::{Finding, LoginOptions, Visit, sign_in, sign_out};
use crate::connection::Surroundings;
use crate::error::{Failure, FailureKind, Phase};
use crate::interrupt::Interrupt;
use crate::outcome::{AgentOutcome, RunOutcome};
use crate::protocol::{Runner, STATUS_NOTIFICATIONS};
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
            while let Some((index, outcome)) = outcomes.recv().await {
                waiting[index] = Some(outcome);
                while let Some(outcome) = waiting.get_mut(known.len()).and_then(Option::take) {
                    self.answer_one(&outcome, known.len());
                    known.push(outcome);
                }
            }
            known
        };
        let known = match action {
            // A login says itself what it waits for.
            Action::Login(_) | Action::Logout => collecting.await,
            Action::Status => self.ui.while_waiting("the answer", collecting).await,
        };
        let outcome = RunOutcome {
            command,
            agents: known,
            failure: None,
        };
        let outcome = self.answer_document(outcome);
        while let Some(visit) = visits.join_next().await {
            if let Err(error) = visit
                && error.is_panic()
            {
                std::panic::resume_unwind(error.into_panic());
            }
        }
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
                    kept_notifications: STATUS_NOTIFICATIONS,
                },
            };
            let mut visit = Visit::new(&runner);
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
                push_patience: runner.limits.push,
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

    fn answer_one(&self, outcome: &AgentOutcome, index: usize) {
        if self.settings.json {
            return;
        }
        let gap = if index > 0 { "\n" } else { "" };
        let text = human::agent(outcome, self.settings.verbose);
        self.report_output(self.ui.answer(&format!("{gap}{text}")));
        if self.settings.quiet
            && let Some(failure) = &outcome.failure
        {
            self.ui.error(&human::failure_line(failure));
        }
    }

    /// Prints the document, where one is wanted; what cannot be written becomes the outcome.
    fn answer_document(&self, mut outcome: RunOutcome) -> RunOutcome {
        if self.settings.json
            && let Err(error) = self.ui.data(&json::document(&outcome))
        {
            outcome.failure = Some(Failure::new(
                FailureKind::Internal,
                Phase::Output,
                format!("the answer could not be written to stdout: {error}"),
            ));
        }
        outcome
    }

    /// Prints a failure that came before any agent was started.
    pub fn answer_failure(&self, command: &'static str, failure: Failure) -> RunOutcome {
        self.ui.error(&human::failure(&failure));
        self.answer_document(RunOutcome::failed(command, failure))
    }

    fn report_output(&self, written: std::io::Result<()>) {
        if let Err(error) = written {
            self.ui.error(&format!(
                "error: the answer could not be written to stdout: {error}"
            ));
        }
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

async fn perform(visit: &mut Visit<'_>, action: &Action, ui: &Ui) -> Finding {
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
