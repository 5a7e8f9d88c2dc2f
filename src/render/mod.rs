//! An outcome to bytes. The formats are distinguished here and nowhere else; each has a module of its own.

pub mod github;
mod human;
mod json;
mod query;

pub use human::name_width;
pub use query::{apply as apply_query, check as check_query};

use crate::model::Failure;
use crate::outcome::{AgentOutcome, RunOutcome};
use crate::ui::Answer;
use crate::untrusted::Clean;

/// The JSON Schema of what the JSON format prints.
pub const SCHEMA: &str = include_str!("schema.json");

/// How answers are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Format {
    /// For people: each agent as soon as it has answered.
    #[default]
    Human,
    /// For programs: one document at the end.
    Json,
}

/// How an answer about one of several agents is laid out.
#[derive(Debug, Clone, Copy)]
pub enum Layout {
    Block {
        verbose: u8,
    },
    /// A row of a table, whose column of names is that wide.
    Row {
        width: usize,
    },
}

impl Format {
    /// What is written as soon as the `index`th agent has answered.
    #[must_use]
    pub fn piece(self, outcome: &AgentOutcome, index: usize, layout: Layout) -> Option<Answer> {
        Some(match (self, layout) {
            (Self::Json, _) => return None,
            (Self::Human, Layout::Block { verbose }) => {
                let gap = if index > 0 { "\n" } else { "" };
                let text = format!("{gap}{}", human::agent(outcome, verbose));
                Answer::People(Clean::rendered(text))
            }
            (Self::Human, Layout::Row { width }) => {
                let head = if index == 0 { human::row_titles(width) } else { String::new() };
                let text = format!("{head}{}", human::row(outcome, width));
                Answer::Rows(Clean::rendered(text))
            }
        })
    }

    /// What is written at the end of a run.
    #[must_use]
    pub fn whole(self, outcome: &RunOutcome) -> Option<Answer> {
        match self {
            Self::Json => Some(Answer::Programs(json::document(outcome))),
            Self::Human if outcome.is_catalog => {
                Some(Answer::People(Clean::rendered(human::catalog())))
            }
            Self::Human if outcome.listed.is_some() => {
                Some(Answer::People(Clean::rendered(human::definitions(outcome))))
            }
            Self::Human => None,
        }
    }

    /// What is written when an agent that is watched has something new to say.
    #[must_use]
    pub fn change(self, outcome: &RunOutcome) -> Answer {
        match self {
            Self::Json => Answer::Programs(json::line(outcome)),
            Self::Human => {
                let lines = outcome.agents.iter().map(human::line).collect();
                Answer::People(Clean::rendered(lines))
            }
        }
    }

    /// What is written to stdout of a run that ended before there was an outcome.
    #[must_use]
    pub fn failure(self, command: Option<&str>, failure: &Failure) -> Option<Answer> {
        match self {
            Self::Json => Some(Answer::Programs(json::failure_document(command, failure))),
            Self::Human => None,
        }
    }
}

/// A failure with its hints, for stderr.
#[must_use]
pub fn complaint(failure: &Failure) -> Clean {
    Clean::rendered(human::failure(failure))
}

/// A failure in one line, for stderr.
#[must_use]
pub fn short_complaint(failure: &Failure) -> Clean {
    Clean::rendered(human::failure_line(failure))
}
