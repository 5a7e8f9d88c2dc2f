//! What an agent asks the person during a login, and the answer.

use serde_json::{Map, Value};
use url::Url;

use crate::untrusted::Untrusted;

/// A question of the agent.
#[derive(Debug)]
pub enum Elicitation {
    /// To open a page, `http` or `https`.
    Page {
        message: Untrusted,
        url: Url,
    },
    Form {
        message: Untrusted,
        fields: Vec<Field>,
    },
}

/// The person's answer.
#[derive(Debug)]
pub enum Reply {
    Accept(Map<String, Value>),
    Decline,
    Cancel,
}

/// One question of a form.
#[derive(Debug)]
pub struct Field {
    pub name: Untrusted,
    pub title: Option<Untrusted>,
    pub description: Option<Untrusted>,
    pub required: bool,
    pub kind: FieldKind,
}

/// What answers a field takes, and what it takes when none is given.
#[derive(Debug)]
pub enum FieldKind {
    Text {
        /// In characters.
        shortest: Option<u64>,
        longest: Option<u64>,
        pattern: Option<Untrusted>,
        format: Option<Untrusted>,
        default: Option<Untrusted>,
    },
    Number {
        whole: bool,
        least: Option<f64>,
        most: Option<f64>,
        default: Option<f64>,
    },
    Flag {
        default: Option<bool>,
    },
    One {
        options: Vec<FieldOption>,
        default: Option<Untrusted>,
    },
    Many {
        options: Vec<FieldOption>,
        least: Option<u64>,
        most: Option<u64>,
        default: Vec<Untrusted>,
    },
}

/// A value to choose, and how it is called.
#[derive(Debug, Clone)]
pub struct FieldOption {
    pub value: Untrusted,
    pub title: Option<Untrusted>,
}
