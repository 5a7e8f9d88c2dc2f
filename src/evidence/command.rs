//! An agent's own status command: documented, read-only, of the program that was launched.

use std::time::Duration;

use semver::Version;
use serde_json::Value;

use crate::agents::{Known, StatusCommand, Stream};
use crate::interrupt::Interrupt;
use crate::model::{
    Account, AuthState, Diagnostic, DiagnosticKind, Evidence, Failure, Finding, Handshake, Launch,
    Peer, Phase, StatusReport, in_words,
};
use crate::process::{Captured, capture, describe_exit};
use crate::redact::account_details;
use crate::untrusted::{Untrusted, clean_line, folded};

/// A status command that fits the agent that was spoken to.
pub struct OwnCommand {
    status: &'static StatusCommand,
    launch: Launch,
}

/// The status command of an agent, where the catalog has one for what the handshake names and the
/// program that was launched with nothing but the words that make it speak ACP.
///
/// # Errors
/// Why a command that is known is not used here.
pub fn own_command(
    known: Option<&'static Known>,
    handshake: &Handshake,
    launch: &Launch,
) -> Result<Option<OwnCommand>, Diagnostic> {
    let Some((known, status)) = known.and_then(|known| Some((known, known.status.as_ref()?)))
    else {
        return Ok(None);
    };
    let unused = |reason: String| {
        let text = format!("its status command `{}` was not used: {reason}", status.name);
        Err(Diagnostic::new(DiagnosticKind::StatusCommand, text))
    };
    let version = handshake.peer.as_ref().and_then(version_of);
    if !version.as_ref().is_some_and(|version| status.versions.matches(version)) {
        return unused(format!("it is known of the versions {}", status.versions));
    }
    let Some(position) = launch.position_of(known.npx.as_deref(), &known.program) else {
        return Ok(None);
    };
    // The first word is the program, so that its arguments begin one later.
    let (before, after) = launch.args.split_at(position);
    if after != known.args || launch.key.is_some() {
        return unused("the agent was started with further arguments".to_owned());
    }
    let args = before.iter().chain(&status.args).cloned().collect();
    Ok(Some(OwnCommand { status, launch: Launch { args, ..launch.clone() } }))
}

/// `1.2.3` of a version with more words.
fn version_of(peer: &Peer) -> Option<Version> {
    Version::parse(peer.version.as_ref()?.raw().split_whitespace().next()?).ok()
}

impl OwnCommand {
    /// Runs the command and reads its verdict; without one the finding before stands, with a remark
    /// on why, or with an interruption.
    pub async fn ask(
        &self,
        agent: &str,
        limit: Duration,
        interrupt: &Interrupt,
        before: Finding,
    ) -> (Finding, Option<Diagnostic>) {
        let name = &self.status.name;
        let remark = |reason: String| {
            let text = format!("its status command `{name}` gave no verdict: {reason}");
            Some(Diagnostic::new(DiagnosticKind::StatusCommand, text))
        };
        let read = match capture(&self.launch, agent, limit, interrupt).await {
            Ok(Captured::Ended { status, stdout, stderr }) => {
                let exit = (status.code(), describe_exit(status));
                read(self.status, &stdout, &stderr, exit)
            }
            Ok(Captured::TimedOut) => {
                return (before, remark(format!("it did not end within {}", in_words(limit))));
            }
            Ok(Captured::Interrupted(signal)) => {
                let failure = Failure::interrupted(signal, Phase::Request("auth/status"), agent);
                return (Finding { failure: Some(failure), ..before }, None);
            }
            Err(failure) => return (before, remark(failure.sentence().raw().to_owned())),
        };
        match read {
            Ok(report) => (Finding { report, ..Finding::default() }, None),
            Err(reason) => (before, remark(reason)),
        }
    }
}

/// What the command's output says: in, out, or neither with what it said; an error says why it says
/// nothing.
fn read(
    command: &'static StatusCommand,
    stdout: &str,
    stderr: &str,
    (code, exit): (Option<i32>, String),
) -> Result<StatusReport, String> {
    let document: Option<Value> = serde_json::from_str(stdout).ok();
    let text = if command.stream == Stream::Stdout { stdout } else { stderr };
    let lines: Vec<String> = text.lines().map(bare).filter(|line| !line.is_empty()).collect();
    let has = |pattern: &str| lines.iter().find(|line| fits(pattern, line));
    let evidence = Some(Evidence::Command(&command.name));
    let report = StatusReport { evidence, ..StatusReport::default() };
    let field = command.field.as_ref().and_then(|field| document.as_ref()?.pointer(field));
    let says_in = match field {
        Some(Value::Bool(said)) => Some(*said),
        Some(Value::String(said)) if !said.is_empty() => Some(true),
        _ => None,
    };
    let line_in = command.signed_in.iter().find(|line| has(&line.line).is_some());
    let line_out = command.signed_out.iter().find_map(|line| has(line));
    if let Some(said) = command.neither.iter().find_map(|line| has(line)) {
        return Ok(StatusReport { message: Some(said.as_str().into()), ..report });
    }
    let (is_in, expected) = match (says_in, line_in, line_out) {
        (Some(true), _, None) | (None, Some(_), None) => (true, command.exit_in),
        (Some(false), None, _) | (None, None, Some(_)) => (false, command.exit_out),
        _ => {
            let other =
                || stdout.lines().chain(stderr.lines()).find(|line| !line.trim().is_empty());
            let said = lines.first().map(String::as_str).or_else(other).unwrap_or("nothing");
            return Err(format!("it says {}", folded(said)));
        }
    };
    if code != Some(expected) {
        let word = if is_in { "signed in" } else { "not signed in" };
        return Err(format!("it says {word}, and it ended {exit}"));
    }
    if !is_in {
        return Ok(StatusReport { state: AuthState::Unauthenticated, ..report });
    }
    let label = line_in.and_then(|line| line.label.clone());
    let document = document.unwrap_or_default();
    Ok(StatusReport {
        state: AuthState::Authenticated,
        accounts: account(command, &document, label).into_iter().collect(),
        details: account_details(&document),
        expires_at: command.account.expires.as_ref().and_then(|pointer| {
            let text = document.pointer(pointer)?.as_str()?;
            humantime::parse_rfc3339_weak(text).ok()
        }),
        ..report
    })
}

fn account(command: &StatusCommand, document: &Value, label: Option<String>) -> Option<Account> {
    let pointers = &command.account;
    let text = |pointer: &String| {
        let text = document.pointer(pointer)?.as_str()?;
        (!text.is_empty()).then(|| Untrusted::from(text))
    };
    let field = |pointer: &Option<String>| pointer.as_ref().and_then(text);
    Some(Account {
        label: label.map(Untrusted::from).or_else(|| pointers.label.iter().find_map(text))?,
        description: field(&pointers.description),
        active: Some(true),
        name: None,
        email: field(&pointers.email),
        organization: field(&pointers.organization),
    })
}

/// A line without the boxes, colours and blanks around it.
fn bare(line: &str) -> String {
    let clean = clean_line(line);
    let is_frame = |c: char| c.is_whitespace() || ('\u{2500}'..='\u{257f}').contains(&c);
    clean.trim_matches(is_frame).to_owned()
}

/// Whether a whole line fits: `*` at the end is anything, `#` at the start is a number.
fn fits(pattern: &str, line: &str) -> bool {
    if let Some(rest) = pattern.strip_prefix('#') {
        let digits = line.trim_start_matches(|c: char| c.is_ascii_digit());
        return digits.len() < line.len() && digits == rest;
    }
    match pattern.strip_suffix('*') {
        Some(start) => line.len() > start.len() && line.starts_with(start),
        None => line == pattern,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_whole_line_decides() {
        assert!(fits("Not logged in", "Not logged in"));
        assert!(!fits("Not logged in", "Not logged in to the registry"));
        assert!(fits("Logged in using *", "Logged in using ChatGPT"));
        assert!(!fits("Logged in using *", "You are Logged in using x"));
        assert!(fits("# credentials", "12 credentials"));
        assert!(!fits("# credentials", "no credentials"));
        assert_eq!(bare("\u{2514}  0 credentials"), "0 credentials");
    }
}
