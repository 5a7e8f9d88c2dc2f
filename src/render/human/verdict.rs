//! The line that answers, and what it rests on.

use std::time::{Duration, SystemTime};

use super::methods::how_to_sign_in;
use super::{Block, prose};
use crate::flows::Asked;
use crate::model::{
    Account, AuthState, Contrast, Evidence, Failure, FailureKind, Identity, NoIdentity, Operation,
    OperationKind, OperationResult, in_words,
};
use crate::outcome::{AgentOutcome, Credential};
use crate::untrusted::{Clean, Untrusted};

/// What the person wanted to know, in one line, and what it rests on.
pub fn verdict(block: &mut Block, outcome: &AgentOutcome) {
    match &outcome.operation {
        Some(operation) => operated(block, outcome, operation),
        None => state(block, outcome),
    }
    let report = &outcome.report;
    let is_out = report.state == AuthState::Unauthenticated;
    if report.accounts.len() > 1 || is_out && !report.accounts.is_empty() {
        for account in &report.accounts {
            let active = match account.active {
                Some(true) => ", active",
                Some(false) => ", not active",
                None => "",
            };
            block.item(&format!("Account: {}{active}", describe(account)));
        }
    }
    if let Some(message) = &report.message {
        let who = if outcome.no_identity().is_some() { "In detail" } else { "The agent says" };
        block.item(&format!("{who}: {}", prose(message.raw())));
    }
    if let Some(evidence) = report.evidence {
        let worth = match report.state {
            AuthState::Authenticated if outcome.identity().is_some() => " (what the server says)",
            AuthState::Authenticated if report.verified => " (verified: the agent answered)",
            AuthState::Authenticated if report.contrast.is_some() => match report.contrast {
                Some(Contrast::BeforeLogin) => " (refused before, opened now)",
                Some(Contrast::BeforeStored) => {
                    " (opened with the stored sign-in, refused before: not verified)"
                }
                _ => " (opened here, refused without credentials: not verified)",
            },
            AuthState::Authenticated => " (credentials present, not verified)",
            _ => "",
        };
        block.item(&format!("Reported by: {}{worth}", evidence.name()));
    }
    expiry(block, outcome);
    if outcome.is_wrong_account()
        && let Some((expected, _)) = &outcome.expected
    {
        block.bad(&format!("Not the expected account: {expected} is not among what is shown"));
    }
    if outcome.operation.is_some() {
        return;
    }
    if matches!(outcome.asked, Asked::Server(_)) {
        if outcome.no_identity() == Some(NoIdentity::NotReported) {
            let command = outcome.target.command_line("status", &["--probe"]);
            block.command("To find out by its identity tool, if one is known", &command);
        }
        return;
    }
    credentials(block, outcome);
    match report.state {
        AuthState::Unauthenticated => how_to_sign_in(block, outcome),
        AuthState::Unknown
            if matches!(report.evidence, None | Some(Evidence::Command(_)))
                && outcome.prevented().is_none()
                && !was_probed(outcome) =>
        {
            let command = outcome.target.command_line("status", &["--probe", "session"]);
            block.command("To find out by opening a session", &command);
        }
        AuthState::Unknown if report.evidence == Some(Evidence::SessionNew) => {
            let command = outcome.target.command_line("status", &["--probe", "prompt"]);
            block.command("To find out by a prompt, which costs tokens", &command);
        }
        _ => {}
    }
}

/// The state in a few words, or what kept the agent from being asked.
pub fn in_short(block: &mut Block, outcome: &AgentOutcome) {
    let report = &outcome.report;
    let is_silent = outcome.failure.is_none()
        && report.reason.is_none()
        && report.reported_state.is_none()
        && matches!(report.evidence, None | Some(Evidence::Command(_)));
    match outcome.prevented() {
        Some(failure) => prevented(block, failure),
        None if report.state == AuthState::Unknown && is_silent => block.open("not reported"),
        None => state(block, outcome),
    }
}

/// The state in one line.
fn state(block: &mut Block, outcome: &AgentOutcome) {
    let report = &outcome.report;
    if let Some(failure) = outcome.prevented().filter(|_| report.state == AuthState::Unknown) {
        return prevented(block, failure);
    }
    match (report.state, &outcome.failure) {
        (AuthState::Authenticated, _) if outcome.identity().is_some() => {
            let who = outcome.identity().map(connected).unwrap_or_default();
            block.good(&format!("Connected as {who}"));
        }
        (AuthState::Authenticated, _) if report.contrast.is_some() => {
            block.good("Signed in by contrast (not verified)");
        }
        (AuthState::Authenticated, _) => block.good(&format!("Signed in{}", who(outcome))),
        (AuthState::NotRequired, _) => block.good("No sign-in needed"),
        (AuthState::Unauthenticated, _) => block.bad("Not signed in"),
        (AuthState::Unknown, Some(failure)) if report.reason.is_none() => {
            block.open(&format!("Unknown: {}", prose(failure.sentence().raw())));
        }
        (AuthState::Unknown, _) => block.open(&format!("Unknown: {}", why_unknown(outcome))),
    }
}

/// What kept the agent from being asked.
fn prevented(block: &mut Block, failure: &Failure) {
    let text = prose(failure.sentence().raw());
    match failure.kind {
        FailureKind::Skipped => block.item(&format!("Skipped: {text}")),
        _ => block.bad(&text),
    }
}

/// Whether a session was tried, and failed.
fn was_probed(outcome: &AgentOutcome) -> bool {
    outcome.failure.as_ref().is_some_and(|failure| failure.phase.name().starts_with("session/"))
}

/// What may be a credential, by name and age, never by content.
fn credentials(block: &mut Block, outcome: &AgentOutcome) {
    let worth = match outcome.report.state {
        AuthState::Unauthenticated => "not enough by itself",
        AuthState::NotRequired => return,
        _ => "whether the agent uses it is not known",
    };
    for credential in outcome.credentials() {
        match credential {
            Credential::Variable(name) => block.item(&format!("Set: {name} ({worth})")),
            Credential::File { path, written } => {
                let age = written.and_then(|written| written.elapsed().ok());
                let age = age.map(|age| format!(", written {}", ago(age))).unwrap_or_default();
                block.item(&format!("Found: {}{age} ({worth})", path.display()));
            }
        }
    }
}

/// `3 days ago`.
fn ago(age: Duration) -> String {
    let seconds = age.as_secs();
    let (count, unit) = match seconds {
        0..60 => return "just now".to_owned(),
        60..3600 => (seconds / 60, "minute"),
        3600..86_400 => (seconds / 3600, "hour"),
        _ => (seconds / 86_400, "day"),
    };
    format!("{count} {unit}{} ago", if count == 1 { "" } else { "s" })
}

/// When the sign-in ends, or has ended: agents say "signed in" with credentials that are dead.
fn expiry(block: &mut Block, outcome: &AgentOutcome) {
    let Some(expires) = outcome.report.expires_at else { return };
    let date = humantime::format_rfc3339_seconds(expires);
    if expires <= SystemTime::now() {
        block.warn(&format!("Its sign-in ended on {date}, whatever the agent says"));
    } else {
        block.item(&format!("Signed in until {date}"));
    }
}

/// `Alice Example (alice@example.com) on example.com`, and the organization.
fn connected(identity: &Identity) -> String {
    let subject = identity.subject.line();
    let name = identity.display_name.as_ref().map(Untrusted::line).filter(|name| *name != subject);
    let mut text = name.map_or_else(|| subject.to_string(), |name| format!("{name} ({subject})"));
    if let Some(provider) = &identity.provider {
        text.push_str(&format!(" on {}", provider.line()));
    }
    if let Some(organization) = &identity.organization {
        text.push_str(&format!(", {}", organization.line()));
    }
    text
}

fn why_unknown(outcome: &AgentOutcome) -> String {
    let report = &outcome.report;
    match outcome.no_identity() {
        None => {}
        Some(NoIdentity::NotReported) => {
            return "this server does not say who it thinks you are".to_owned();
        }
        Some(NoIdentity::NoKnownTool) => {
            return "no identity tool is known for this server".to_owned();
        }
        Some(NoIdentity::ProbeNotAllowed) => {
            return "its identity tool may not be called".to_owned();
        }
        Some(NoIdentity::UnmappedShape) => {
            return "its identity tool answers in a shape that is not known".to_owned();
        }
        Some(NoIdentity::ToolFailed) => return "its identity tool failed".to_owned(),
    }
    if let Some(reason) = &report.reason {
        return prose(reason.raw());
    }
    if let Some(reported) = &report.reported_state {
        return format!("the agent reports the state {}", reported.label());
    }
    if report.evidence == Some(Evidence::SessionNew) {
        return "a session can be opened, which proves nothing by itself".to_owned();
    }
    if report.evidence == Some(Evidence::SessionPrompt) {
        return "a prompt was sent, and no answer came that would tell".to_owned();
    }
    if let Some(Evidence::Command(_)) = report.evidence {
        return "the agent's own status command gives no verdict".to_owned();
    }
    if report.evidence.is_some() {
        return "the agent cannot tell whether it is signed in".to_owned();
    }
    let pushes = outcome.handshake.as_ref().is_some_and(|handshake| handshake.offers.pushed_status);
    if pushes {
        return format!(
            "this agent says that it reports its state by itself, and did not within {}",
            in_words(outcome.push_patience),
        );
    }
    "this agent does not report whether it is signed in (it does not offer auth/status)".to_owned()
}

fn operated(block: &mut Block, outcome: &AgentOutcome, operation: &Operation) {
    let who = who(outcome);
    match (operation.result, operation.kind) {
        (OperationResult::SignedIn, _) => block.good(&format!("Signed in{who}")),
        (OperationResult::Accepted, OperationKind::Login) => {
            block.good(
                "Login accepted, not verified: the agent does not say whether it is signed in",
            );
        }
        (OperationResult::AlreadySignedIn, _) if outcome.report.state == AuthState::NotRequired => {
            block.good("Nothing to do: this agent already works without sign-in");
        }
        (OperationResult::AlreadySignedIn, _) => {
            block.good(&format!("Signed in already{who}"));
            if offers_logout(outcome) {
                let logout = outcome.target.command_line("logout", &[]);
                block.command("To change the account, sign out first", &logout);
            }
            let again = outcome.target.command_line("login", &["--force"]);
            block.command("To sign in all the same", &again);
        }
        (OperationResult::SignedOut, _) => block.good("Signed out"),
        (OperationResult::Accepted, OperationKind::Logout) => {
            block.good(
                "Logout accepted, not verified: the agent does not say whether it is signed in",
            );
        }
        (OperationResult::AlreadySignedOut, _) => block.good("Signed out already"),
        (OperationResult::Declined, _) => declined(block, outcome),
        (OperationResult::Failed | OperationResult::Unsupported, _) => {
            let reason = outcome.failure.as_ref().map(Failure::sentence);
            block.bad(&prose(reason.as_ref().map_or("no reason was given", Untrusted::raw)));
        }
    }
    if let Some(method) = &operation.method {
        block.item(&format!("Method: {}", method.label()));
    }
    if operation.in_new_process {
        block.item("A new agent process was asked: the one that was running had not noticed");
    }
}

/// That the person said no, and what that leaves.
pub fn declined(block: &mut Block, outcome: &AgentOutcome) {
    if outcome.report.state.is_usable() {
        block.bad("Nothing was changed: you declined");
    } else {
        block.bad("Not signed in: you declined");
    }
}

fn offers_logout(outcome: &AgentOutcome) -> bool {
    outcome.handshake.as_ref().is_some_and(|handshake| handshake.offers.logout)
}

/// The one account there is, or those in use, as the end of a sentence.
pub fn who(outcome: &AgentOutcome) -> String {
    let accounts = &outcome.report.accounts;
    let active: Vec<&Account> = match accounts.as_slice() {
        [only] => vec![only],
        several => several.iter().filter(|account| account.active == Some(true)).collect(),
    };
    if active.is_empty() {
        return String::new();
    }
    let described: Vec<String> = active.into_iter().map(describe).collect();
    format!(": {}", described.join("; "))
}

/// `Label (e-mail, name, organization, description)`, without what the label says already.
fn describe(account: &Account) -> String {
    let label = account.label.line();
    let mut details: Vec<Clean> = Vec::new();
    for detail in [&account.email, &account.name, &account.organization, &account.description] {
        let Some(detail) = detail.as_ref().map(Untrusted::line) else {
            continue;
        };
        if !detail.is_empty() && detail != label && !details.contains(&detail) {
            details.push(detail);
        }
    }
    match (label.is_empty(), details.is_empty()) {
        (true, true) => "an account without a name".to_owned(),
        (true, false) => details.join(", "),
        (false, true) => label.into(),
        (false, false) => format!("{label} ({})", details.join(", ")),
    }
}
