//! What every command on agents runs with: settings, the person's side, and how answers are given.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use crate::agents::{AgentDefinition, Definitions, Places, Selection, names_to_offer, select};
use crate::cli::Settings;
use crate::environment::environment;
use crate::flows::{Action, Visit};
use crate::interrupt::Interrupt;
use crate::model::{Diagnostic, DiagnosticKind, EraChoice, Failure, FailureKind, Finding, Phase};
use crate::outcome::{AgentOutcome, RunOutcome};
use crate::render::{Format, Layout, apply_query, complaint, github, short_complaint};
use crate::rpc::Runner;
use crate::trace::{Trace, TraceFile};
use crate::ui::{Answer, Choice, Ui};
use crate::untrusted::Clean;
use crate::untrusted::clean;

/// The surroundings of a command. Clones share them.
#[derive(Clone)]
pub struct Run {
    pub settings: Arc<Settings>,
    pub ui: Arc<Ui>,
    pub interrupt: Interrupt,
    trace: Option<Arc<TraceFile>>,
}

impl Run {
    #[must_use]
    pub fn new(settings: Settings, ui: Ui, interrupt: Interrupt) -> Self {
        Self { settings: Arc::new(settings), ui: Arc::new(ui), interrupt, trace: None }
    }

    /// The agents a command is about. From here on messages are traced, where that is wanted.
    ///
    /// # Errors
    /// A usage or configuration failure; nothing has been started.
    pub async fn select(&mut self, selection: Selection) -> Result<Vec<AgentDefinition>, Failure> {
        let file = selection.mcp_config.clone();
        let selected =
            move |places| Definitions::read(places).and_then(|known| select(&selection, &known));
        let agents = self.with_files(file.as_deref(), selected).await?;
        if let Some(path) = self.settings.trace.clone() {
            let created = {
                let path = path.clone();
                move |_: Places| TraceFile::create(&path).map(Arc::new)
            };
            self.trace = Some(self.with_files(Some(&path), created).await?);
        }
        Ok(agents)
    }

    /// Has the person choose an agent where a command for one was given none and there are several.
    ///
    /// # Errors
    /// As [`Run::select`], or that nothing was chosen.
    pub async fn offer_agents(&self, selection: &mut Selection) -> Result<(), Failure> {
        if !self.ui.facts.can_prompt() {
            return Ok(());
        }
        let asked = selection.clone();
        let names = self.with_definitions(move |known| names_to_offer(&asked, known)).await?;
        if names.is_empty() {
            return Ok(());
        }
        let choice = |(name, command): &(String, String)| Choice {
            title: clean!("{name}"),
            detail: clean!("{}", Clean::line(command)),
        };
        let choices: Vec<Choice> = names.iter().map(choice).collect();
        let question = clean!("Which agent?");
        let verb = selection.verb;
        match self.ui.choose(verb, &question, &choices, 0).await? {
            Some(index) => selection.names.push(names[index].0.clone()),
            None => {
                let text = format!("no agent was chosen to {verb} at");
                return Err(Failure::choice(text).hint(format!("name one: acp-auth {verb} AGENT")));
            }
        }
        Ok(())
    }

    /// Reads the definitions and does something with them.
    ///
    /// # Errors
    /// A usage or configuration failure, `timeout`, `interrupted`.
    pub async fn with_definitions<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Definitions) -> T + Send + 'static,
    ) -> Result<T, Failure> {
        let work = |places| Definitions::read(places).map(|definitions| work(&definitions));
        self.with_files(None, work).await
    }

    /// Opens files, one more among them. What is not a regular file may never be opened, as a pipe,
    /// so that a thread of its own waits for it and signals and limits are seen meanwhile.
    async fn with_files<T: Send + 'static>(
        &self,
        file: Option<&Path>,
        work: impl FnOnce(Places) -> Result<T, Failure> + Send + 'static,
    ) -> Result<T, Failure> {
        let phase = Phase::Configuration;
        let places = self.settings.places.clone();
        let named = places.config.iter().chain(&places.registry).map(PathBuf::as_path).chain(file);
        let is_special = |path: &Path| path.metadata().is_ok_and(|facts| !facts.is_file());
        if !named.into_iter().any(is_special) {
            return work(places);
        }
        let working = tokio::task::spawn_blocking(move || work(places));
        let limit = self.settings.file_limit();
        tokio::select! {
            done = working => done.unwrap_or_else(|error| {
                let text = "files could not be opened";
                Err(Failure::new(FailureKind::Internal, phase, text).because(error))
            }),
            signal = self.interrupt.raised() => {
                let kind = FailureKind::Interrupted(signal);
                Err(Failure::new(kind, phase, "interrupted while files were opened"))
            }
            () = tokio::time::sleep(limit) => {
                Err(Failure::timeout(phase, limit, "files could not be read"))
            }
        }
    }

    /// A visit to one agent or server.
    #[must_use]
    pub fn visit(&self, agent: &AgentDefinition, era: EraChoice, action: &Action) -> Visit {
        let has_person = self.ui.facts.can_prompt();
        // Where nobody can be asked, a page can be printed and agreed to beforehand, and a key can
        // be given; some agents offer the method that takes one only to clients that can be asked.
        let is_agreed = matches!(
            action,
            Action::Login(options) if options.with_token || options.yes && options.no_browser
        );
        let can_ask = has_person || is_agreed;
        let runner = Runner {
            agent: agent.name.clone(),
            launch: agent.launch.clone(),
            limits: self.settings.limits(agent, has_person),
            interrupt: self.interrupt.clone(),
            trace: self.trace.clone().map(|file| Arc::new(Trace::new(file, &agent.name))),
            can_ask,
        };
        Visit::new(agent.kind, runner, self.settings.protocol(agent), era, action)
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
        let can_prompt = self.ui.facts.can_prompt();
        let mut outcome = AgentOutcome {
            name: agent.name.clone(),
            target: agent.target.clone(),
            asked: visit.asked(finding.identification),
            origin: agent.origin.clone(),
            launch: agent.launch.clone(),
            handshake: visit.handshake().cloned(),
            report: finding.report,
            operation: finding.operation,
            failure: finding.failure,
            is_listing: finding.is_listing,
            expected: None,
            diagnostics: visit.diagnostics(),
            stderr: visit.stderr_tail(),
            push_patience: self.settings.limits(agent, can_prompt).push,
            masked: false,
            has_terminal: can_prompt,
            duration,
            observed_at: SystemTime::now(),
        };
        let remark = agent.remark.iter().cloned();
        let remark = remark.map(|text| Diagnostic::new(DiagnosticKind::OtherDefinition, text));
        outcome.diagnostics.extend(remark);
        outcome.expect_account(expected);
        if self.ui.masks {
            outcome.mask_accounts();
        }
        outcome
    }

    /// Writes what is said of the `index`th agent of this run as soon as it has answered.
    ///
    /// # Errors
    /// That it could not be written.
    pub fn answer_one(
        &self,
        outcome: &AgentOutcome,
        index: usize,
        layout: Layout,
    ) -> Result<(), Failure> {
        let Some(answer) = self.settings.format.piece(outcome, index, layout) else {
            return Ok(());
        };
        if self.settings.look.quiet
            && let Some(failure) = &outcome.failure
        {
            self.ui.error(&short_complaint(failure));
        }
        self.write(&answer)
    }

    /// Writes what is said at the end of a run; what cannot be written becomes the outcome.
    #[must_use]
    pub fn answer_whole(&self, mut outcome: RunOutcome) -> RunOutcome {
        for problem in &outcome.problems {
            self.ui.note(&clean!("not read: {}", problem.sentence().line()));
        }
        self.tell_github(&outcome);
        if let Some(answer) = self.settings.format.whole(&outcome)
            && let Err(failure) = self.write(&answer)
        {
            outcome.failure = Some(failure);
        }
        outcome
    }

    /// In a job of GitHub Actions, a line for each agent that stands out in the log, and a table for
    /// the job's summary. Lines go with answers for people only.
    fn tell_github(&self, outcome: &RunOutcome) {
        if !environment().is_on("GITHUB_ACTIONS") || outcome.listed.is_some() || outcome.is_catalog
        {
            return;
        }
        if self.settings.format == Format::Human {
            github::annotations(outcome).iter().for_each(|line| self.ui.command(line));
        }
        let Some(path) = environment().get("GITHUB_STEP_SUMMARY").filter(|path| !path.is_empty())
        else {
            return;
        };
        let file = OpenOptions::new().append(true).create(true).open(path);
        let written = file.and_then(|mut file| file.write_all(github::summary(outcome).as_bytes()));
        if let Err(error) = written {
            self.ui.note(&clean!("the job's summary could not be written: {}", error.to_string()));
        }
    }

    /// Writes what is new of an agent that is watched.
    #[must_use]
    pub fn answer_change(&self, mut outcome: RunOutcome) -> RunOutcome {
        if let Err(failure) = self.write(&self.settings.format.change(&outcome)) {
            outcome.failure = Some(failure);
        }
        outcome
    }

    /// Writes a failure that came before any agent was started.
    #[must_use]
    pub fn answer_failure(&self, command: &'static str, failure: Failure) -> RunOutcome {
        self.ui.error(&complaint(&failure));
        self.answer_whole(RunOutcome::failed(command, failure))
    }

    /// A script must not take an answer that could not be written for one.
    fn write(&self, answer: &Answer) -> Result<(), Failure> {
        if let (Some(query), Answer::Programs(document)) = (&self.settings.query, answer) {
            let filtered = apply_query(query, document).inspect_err(|failure| {
                self.ui.error(&complaint(failure));
            })?;
            return self.write_out(&Answer::Programs(filtered));
        }
        self.write_out(answer)
    }

    fn write_out(&self, answer: &Answer) -> Result<(), Failure> {
        self.ui.answer(answer).map_err(|error| {
            let text = "the answer could not be written to stdout";
            let failure = Failure::new(FailureKind::Output, Phase::Output, text).because(error);
            self.ui.error(&complaint(&failure));
            failure
        })
    }

    /// Sets the terminal back and writes what is left of the trace, saying so when it lacks something.
    pub fn close(&self) {
        self.ui.terminal.restore();
        if self.trace.as_ref().is_some_and(|trace| !trace.finish()) {
            let text = "warning: the trace is incomplete, its file could not be written any more";
            self.ui.error(&Clean::from(text));
        }
    }
}
