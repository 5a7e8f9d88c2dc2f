//! The JSON that `--json` prints; `schema.json` is made from its structs.

mod convert;
mod report;

use crate::agents::known_agents;
use crate::exit::Exit;
use crate::model::Failure;
use crate::outcome::RunOutcome;
use crate::untrusted::is_unseen;
use report::{AgentReport, DefinitionReport, Document, ErrorReport, KnownReport, SCHEMA_VERSION};

/// The document of a run, secrets hidden, with a line feed at its end.
#[must_use]
pub fn document(outcome: &RunOutcome) -> String {
    print(&report(outcome), true)
}

/// The same in one line.
#[must_use]
pub fn line(outcome: &RunOutcome) -> String {
    print(&report(outcome), false)
}

fn report(outcome: &RunOutcome) -> Document<'_> {
    Document {
        schema_version: SCHEMA_VERSION,
        command: Some(outcome.command),
        exit_code: outcome.exit().code(),
        agents: outcome.agents.iter().map(AgentReport::from).collect(),
        definitions: outcome
            .listed
            .as_ref()
            .map(|listed| listed.iter().map(DefinitionReport::from).collect()),
        known: outcome.is_catalog.then(|| known_agents().iter().map(KnownReport::from).collect()),
        problems: outcome.problems.iter().map(ErrorReport::from).collect(),
        error: outcome.failure.as_ref().map(ErrorReport::from),
    }
}

/// The document of a run that ended before there was a command.
#[must_use]
pub fn failure_document(command: Option<&str>, failure: &Failure) -> String {
    print(
        &Document {
            schema_version: SCHEMA_VERSION,
            command,
            exit_code: Exit::from(failure).code(),
            agents: Vec::new(),
            definitions: None,
            known: None,
            problems: Vec::new(),
            error: Some(ErrorReport::from(failure)),
        },
        true,
    )
}

#[expect(clippy::expect_used, reason = "the structs above contain only what JSON can express")]
fn print(document: &Document<'_>, in_lines: bool) -> String {
    let text = if in_lines {
        serde_json::to_string_pretty(document)
    } else {
        serde_json::to_string(document)
    };
    let text = text.expect("plain data is JSON");
    escape_unseen(&text) + "\n"
}

/// Writes what could act on a terminal as `\u` escapes: the same JSON, harmless when looked at.
fn escape_unseen(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        // Line feeds are between the members only; inside a string they are escaped already.
        if character != '\n' && is_unseen(character) {
            let mut units = [0; 2];
            for unit in character.encode_utf16(&mut units) {
                escaped.push_str(&format!("\\u{unit:04x}"));
            }
        } else {
            escaped.push(character);
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_schema_is_up_to_date() {
        let mut schema =
            serde_json::to_string_pretty(&schemars::schema_for!(Document<'static>)).unwrap();
        schema.push('\n');
        crate::generated::assert_current("src/render/schema.json", &schema);
    }

    #[test]
    fn json_is_harmless_to_look_at_and_says_the_same() {
        let text = "\u{1b}[31m\u{9b}\u{202e}\u{e0041}é";
        let json = serde_json::to_string(text).unwrap();
        let escaped = escape_unseen(&json);
        assert!(!escaped.chars().any(is_unseen), "{escaped}");
        assert_eq!(serde_json::from_str::<String>(&escaped).unwrap(), text);
    }
}
