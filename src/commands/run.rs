//! What every command on agents runs with: settings, the person's side, and how answers are given.

use std::sync::Arc;
use std::time::Duration;

use crate::agents::{AgentDefinition, Selection, select};
use crate::auth::{Finding, Visit};
use crate::connection::{Question, Surroundings};
use crate::error::{Failure, FailureKind, Phase};
use crate::interrupt::Interrupt;
use crate::outcome::{AgentOutcome, RunOutcome};
use crate::protocol::{
    ELICITATION, NOBODY_THERE, PROBE_NOTIFICATIONS, Runner, STATUS_NOTIFICATIONS,
};
use crate::render::{human, json};
use crate::settings::Settings;
use crate::trace::Trace;
use crate::ui::Ui;

/// The surroundings of a command. Clones share them.
#[derive(Clone)]
pub struct Run {
    pub settings: Arc<Settings>,
    pub ui: Arc<Ui>,
    pub interrupt: Interrupt,
}

impl Run {
    /// The agents a command is about.
    ///
    /// # Errors
    /// A usage or configuration failure; nothing has been started.
    pub fn select(&self, selection: &Selection) -> Result<Vec<AgentDefinition>, Failure> {
        select(selection, &self.settings)
    }

    /// How one agent is started and spoken to; `follows_sessions` keeps what its sessions say.
    #[must_use]
    pub fn runner(&self, agent: &AgentDefinition, follows_sessions: bool) -> Runner {
        let can_prompt = self.ui.facts.can_prompt();
        let trace = self.settings.trace.clone();
        Runner {
            agent: agent.name.clone(),
            launch: agent.launch.clone(),
            protocol: self.settings.protocol(agent),
            limits: self.settings.limits(agent, can_prompt),
            surroundings: Surroundings {
                interrupt: self.interrupt.clone(),
                trace: trace.map(|file| Arc::new(Trace::new(file, &agent.name))),
                listener: None,
                question: can_prompt
                    .then_some(Question { method: ELICITATION, idle_result: NOBODY_THERE }),
                kept_notifications: if follows_sessions {
                    PROBE_NOTIFICATIONS
                } else {
                    STATUS_NOTIFICATIONS
                },
            },
        }
    }

    /// Everything about one agent that was visited, with account details masked where they must be.
    #[must_use]
    pub fn outcome(
        &self,
        agent: &AgentDefinition,
        visit: &Visit,
        finding: Finding,
        duration: Duration,
        expected: Option<&str>,
    ) -> AgentOutcome {
        let mut outcome = AgentOutcome {
            name: agent.name.clone(),
            target: agent.target.clone(),
            kind: agent.kind,
            origin: agent.origin.clone(),
            launch: agent.launch.clone(),
            handshake: visit.handshake.clone(),
            report: finding.report,
            operation: finding.operation,
            failure: finding.failure,
            is_listing: finding.is_listing,
            identity: finding.identity,
            no_identity: finding.no_identity,
            expected: None,
            diagnostics: visit.diagnostics(),
            stderr: visit.stderr_tail(),
            push_patience: visit.runner.limits.push,
            masked: false,
            has_terminal: self.ui.facts.can_prompt(),
            duration,
        };
        outcome.read_refusal();
        outcome.expect_account(expected);
        if self.ui.masks {
            outcome.mask_accounts();
        }
        outcome
    }

    /// Prints one agent's block for people, the `index`th of this run.
    ///
    /// # Errors
    /// What writing gave.
    pub fn answer_one(&self, outcome: &AgentOutcome, index: usize) -> std::io::Result<()> {
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

    /// Prints one agent's row of a table, the `index`th of this run.
    ///
    /// # Errors
    /// What writing gave.
    pub fn answer_row(
        &self,
        outcome: &AgentOutcome,
        index: usize,
        width: usize,
    ) -> std::io::Result<()> {
        if self.settings.json {
            return Ok(());
        }
        let head = if index == 0 { human::row_titles(width) } else { String::new() };
        self.ui.answer(&format!("{head}{}", human::row(outcome, width)))
    }

    /// Prints the list of definitions.
    #[must_use]
    pub fn answer_listing(&self, mut outcome: RunOutcome) -> RunOutcome {
        for problem in &outcome.problems {
            self.ui.note(&format!("not read: {}", problem.message.line()));
        }
        if !self.settings.json
            && let Err(error) = self.ui.answer(&human::definitions(&outcome))
        {
            outcome.failure = Some(self.unwritten(&error));
        }
        self.answer_document(outcome)
    }

    /// Prints the document, where one is wanted; what cannot be written becomes the outcome.
    #[must_use]
    pub fn answer_document(&self, mut outcome: RunOutcome) -> RunOutcome {
        if self.settings.json
            && let Err(error) = Ui::data(&json::document(&outcome))
        {
            outcome.failure = Some(self.unwritten(&error));
        }
        outcome
    }

    /// Prints a state of an agent that is watched: a line for people, a document in one line.
    #[must_use]
    pub fn answer_change(&self, mut outcome: RunOutcome) -> RunOutcome {
        let written = if self.settings.json {
            Ui::data(&json::line(&outcome))
        } else {
            let lines: String = outcome.agents.iter().map(human::line).collect();
            self.ui.answer(&lines)
        };
        if let Err(error) = written {
            outcome.failure = Some(self.unwritten(&error));
        }
        outcome
    }

    /// Says that the answer could not be written: a script must not take that for an answer.
    pub fn unwritten(&self, error: &std::io::Error) -> Failure {
        let text = format!("the answer could not be written to stdout: {error}");
        let failure = Failure::new(FailureKind::Output, Phase::Output, text);
        self.ui.error(&human::failure(&failure));
        failure
    }

    /// Prints a failure that came before any agent was started.
    #[must_use]
    pub fn answer_failure(&self, command: &'static str, failure: Failure) -> RunOutcome {
        self.ui.error(&human::failure(&failure));
        self.answer_document(RunOutcome::failed(command, failure))
    }

    /// Says that a trace lacks something.
    pub fn report_cut_trace(&self) {
        if self.settings.trace.as_ref().is_some_and(|trace| !trace.is_complete()) {
            self.ui
                .error("warning: the trace is incomplete, its file could not be written any more");
        }
    }
}
