//! Questions to the person at the terminal. Each blocks a thread of its own, so that the agent is
//! listened to and signals are seen meanwhile.

use std::io;

use dialoguer::theme::{ColorfulTheme, SimpleTheme, Theme};
use unicode_width::UnicodeWidthStr;

use super::Ui;
use super::layout::in_locale;
use super::rows::cut;
use super::terminal::size;
use crate::environment::environment;
use crate::model::{Failure, Phase, Secret};
use crate::redact::secrets;
use crate::untrusted::Clean;

/// One line of a list to choose from, clean.
#[derive(Debug, Clone)]
pub struct Choice {
    pub title: Clean,
    pub detail: Clean,
}

/// Lays the lines of a list out in two columns, cut to the terminal: a line that wraps would be
/// counted as one when the list is drawn again.
fn lines(choices: &[Choice], columns: usize) -> Vec<String> {
    let width =
        choices.iter().map(|choice| choice.title.width()).max().unwrap_or(0).min(columns / 2);
    let line = |choice: &Choice| {
        let pad = " ".repeat(width.saturating_sub(choice.title.width()) + 2);
        cut(&in_locale(format!("{}{pad}{}", choice.title, choice.detail)), columns)
    };
    choices.iter().map(line).collect()
}

/// Whether the terminal cannot move its cursor.
fn is_dumb() -> bool {
    environment().text("TERM") == Some("dumb")
}

/// Rows and columns for the lines of a list.
fn room() -> (usize, usize) {
    // The question takes rows of its own, and a line begins with its mark.
    size().map_or((20, 74), |(rows, columns)| {
        (rows.saturating_sub(4).max(3), columns.saturating_sub(6).max(20))
    })
}

/// A check of an answer, giving what is wrong with it.
pub type Check = Box<dyn Fn(&str) -> Result<(), Clean> + Send>;

/// The questions, all of which end with `interrupted` when a signal comes.
impl Ui {
    /// Lets the person choose one; `None` when they chose nothing.
    ///
    /// # Errors
    /// `interrupted`, or `usage` when the terminal cannot be used.
    pub async fn choose(
        &self,
        agent: &str,
        question: &Clean,
        choices: &[Choice],
        first: usize,
    ) -> Result<Option<usize>, Failure> {
        // On lines of its own: one that wraps would be counted as one when the list is drawn again.
        self.console.paragraphs(&Clean::rendered(format!("? {question}")));
        let chosen = if is_dumb() {
            self.choose_by_number(agent, choices).await?
        } else {
            let (rows, columns) = room();
            let items = lines(choices, columns);
            self.ask(format!("while a choice for {agent} was open"), move |theme| {
                let list = dialoguer::FuzzySelect::with_theme(theme);
                let list = list.with_prompt("Type to filter, Esc leaves");
                let list = list.items(&items).default(first).max_length(rows);
                list.highlight_matches(false).report(false).interact_opt()
            })
            .await?
        };
        let answer = chosen.map_or_else(|| Clean::from("none"), |at| choices[at].title.clone());
        self.console.paragraphs(&Clean::rendered(format!("- Chosen: {answer}")));
        Ok(chosen)
    }

    /// A list for terminals that cannot move the cursor: a number chooses, an empty line none.
    async fn choose_by_number(
        &self,
        agent: &str,
        choices: &[Choice],
    ) -> Result<Option<usize>, Failure> {
        for (choice, number) in choices.iter().zip(1..) {
            let line = format!("  {number}) {}  {}", choice.title, choice.detail);
            self.console.paragraphs(&Clean::rendered(line));
        }
        let count = choices.len();
        loop {
            self.console.text(&Clean::from("Its number, or nothing to leave: "), 0);
            let line = self
                .ask(format!("while a choice for {agent} was open"), |_| {
                    Ok(io::stdin().lines().next())
                })
                .await?;
            let Some(Ok(line)) = line else { return Ok(None) };
            match line.trim().parse::<usize>() {
                Ok(number) if (1..=count).contains(&number) => return Ok(Some(number - 1)),
                _ if line.trim().is_empty() => return Ok(None),
                _ => self.console.line(&format!("there are the numbers 1 to {count}")),
            }
        }
    }

    /// Lets the person choose several; `None` when they left the list.
    ///
    /// # Errors
    /// As [`Ui::choose`].
    pub async fn choose_several(
        &self,
        agent: &str,
        question: &Clean,
        choices: &[Choice],
        chosen: Vec<bool>,
    ) -> Result<Option<Vec<usize>>, Failure> {
        let (rows, columns) = room();
        let items = lines(choices, columns);
        let question = format!("{question} (space selects, Enter goes on, Esc leaves)");
        self.ask(format!("while a choice for {agent} was open"), move |theme| {
            let list = dialoguer::MultiSelect::with_theme(theme).with_prompt(question);
            list.items(&items).max_length(rows).defaults(&chosen).report(false).interact_opt()
        })
        .await
    }

    /// Asks for a yes or no; `None` when the person left the question.
    ///
    /// # Errors
    /// As [`Ui::choose`].
    pub async fn confirm(
        &self,
        agent: &str,
        question: &Clean,
        default: bool,
    ) -> Result<Option<bool>, Failure> {
        let question = question.to_string();
        self.ask(format!("while a question about {agent} was open"), move |theme| {
            let question = dialoguer::Confirm::with_theme(theme).with_prompt(question);
            question.default(default).interact_opt()
        })
        .await
    }

    /// Asks for a line of text that is seen; it may be empty.
    ///
    /// # Errors
    /// As [`Ui::choose`].
    pub async fn ask_text(
        &self,
        agent: &str,
        question: &Clean,
        default: Option<Clean>,
        check: Check,
    ) -> Result<String, Failure> {
        let question = question.to_string();
        self.ask(format!("while an answer for {agent} was being typed"), move |theme| {
            let mut input = dialoguer::Input::<String>::with_theme(theme)
                .with_prompt(question)
                .allow_empty(true)
                .validate_with(move |answer: &String| check(answer));
            if let Some(default) = default {
                input = input.default(default.into());
            }
            input.interact_text()
        })
        .await
    }

    /// Asks for a line that is not seen.
    ///
    /// # Errors
    /// As [`Ui::choose`].
    pub async fn ask_secret(&self, agent: &str, question: &Clean) -> Result<Secret, Failure> {
        let question = question.to_string();
        self.ask(format!("while a key for {agent} was being typed"), move |theme| {
            let prompt = dialoguer::Password::with_theme(theme).with_prompt(question);
            prompt
                .allow_empty_password(true)
                .report(false)
                .interact()
                .map(|value| secrets().take(value))
        })
        .await
    }

    async fn ask<T: Send + 'static>(
        &self,
        doing: String,
        question: impl FnOnce(&dyn Theme) -> dialoguer::Result<T> + Send + 'static,
    ) -> Result<T, Failure> {
        let _still = self.console.hold_spinner();
        let is_plain = self.console.is_plain() || is_dumb();
        let asking = tokio::task::spawn_blocking(move || {
            if is_plain { question(&SimpleTheme) } else { question(&ColorfulTheme::default()) }
        });
        let answer = tokio::select! {
            answer = asking => answer,
            signal = self.interrupt.raised() => return Err(self.abandon_prompt(signal, &doing)),
        };
        match answer {
            Ok(Ok(answer)) => Ok(answer),
            Ok(Err(dialoguer::Error::IO(error))) if error.kind() == io::ErrorKind::Interrupted => {
                Err(self.abandon_prompt(self.interrupt.raised().await, &doing))
            }
            Ok(Err(error)) => Err(unusable_terminal(&error.to_string())),
            Err(error) => Err(unusable_terminal(&error.to_string())),
        }
    }

    /// Leaves a prompt whose thread still reads: the terminal is set back under it.
    fn abandon_prompt(&self, signal: u8, doing: &str) -> Failure {
        self.leave_prompt();
        Failure::interrupted_when(signal, Phase::Choice, doing)
    }

    /// The same, where a question is open at all.
    pub fn leave_prompt_if_open(&self) {
        if self.console.is_held() {
            self.leave_prompt();
        }
    }

    /// Sets the terminal back after a question that nobody will answer any more.
    pub fn leave_prompt(&self) {
        self.terminal.restore();
        self.console.show_cursor();
    }
}

fn unusable_terminal(reason: &str) -> Failure {
    Failure::choice(format!("the terminal cannot be used for a question: {reason}"))
        .hint("pass what is asked for as options, see `acp-auth login --help`")
}
