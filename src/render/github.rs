//! What a job of GitHub Actions shows beside its log: annotations, and the table of its summary.

use super::human;
use crate::exit::Exit;
use crate::outcome::{AgentOutcome, RunOutcome};
use crate::redact::secrets;
use crate::untrusted::{Clean, clean_line};

/// A workflow command a line for every agent of which the run did not hear that somebody is signed in.
#[must_use]
pub fn annotations(outcome: &RunOutcome) -> Vec<Clean> {
    let of_agent = |agent: &AgentOutcome| {
        let level = match agent.exit() {
            Exit::Success => return None,
            Exit::Unknown => "warning",
            _ => "error",
        };
        Some(command(level, &agent.name, &human::short(agent)))
    };
    let whole = outcome.failure.as_ref();
    let whole = whole.map(|failure| command("error", outcome.command, failure.sentence().raw()));
    outcome.agents.iter().filter_map(of_agent).chain(whole).collect()
}

/// The table of a job's summary, in Markdown.
#[must_use]
pub fn summary(outcome: &RunOutcome) -> String {
    let mut text = format!("### acp-auth {}\n\n| agent | state | evidence |\n", outcome.command);
    text.push_str("| --- | --- | --- |\n");
    for agent in &outcome.agents {
        let evidence = agent.report.evidence.map(|evidence| format!("`{}`", evidence.name()));
        text.push_str(&format!(
            "| {} | {} | {} |\n",
            cell(&agent.name),
            cell(&human::short(agent)),
            evidence.unwrap_or_default(),
        ));
    }
    if let Some(failure) = &outcome.failure {
        text.push_str(&format!("\n{}\n", cell(failure.sentence().raw())));
    }
    text + "\n"
}

/// `::LEVEL title=TITLE::TEXT`, escaped as the runner reads it.
fn command(level: &str, title: &str, text: &str) -> Clean {
    let escaped = |text: &str| text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A");
    let title = escaped(&clean_line(title)).replace(':', "%3A").replace(',', "%2C");
    let text = escaped(&secrets().hide(&clean_line(text)));
    Clean::rendered(format!("::{level} title=acp-auth {title}::{text}"))
}

/// Text that is nothing but text in a cell of a table in Markdown.
fn cell(text: &str) -> String {
    let text = secrets().hide(&clean_line(text));
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '<' => escaped.push_str("&lt;"),
            '&' => escaped.push_str("&amp;"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '!' | '#' | '@' => {
                escaped.push('\\');
                escaped.push(character);
            }
            _ => escaped.push(character),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn foreign_text_is_text_in_both() {
        let line = command("error", "a,b:c", "x\n::stop-commands::y 100%");
        assert_eq!(&*line, "::error title=acp-auth a%2Cb%3Ac::x ::stop-commands::y 100%25");
        assert_eq!(cell("a|b <img> [x](y) @z"), "a\\|b &lt;img> \\[x\\](y) \\@z");
    }
}
