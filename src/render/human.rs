//! What a person sees of an outcome: a block an agent, in the manner of `gh auth status`.

use owo_colors::OwoColorize;

use crate::auth::{
    Account, AuthMethod, AuthState, Handshake, MethodFlow, Operation, OperationKind,
    OperationResult,
};
use crate::error::{Failure, Phase};
use crate::outcome::AgentOutcome;
use crate::redact::secrets;
use crate::ui::in_words;
use crate::untrusted::{Untrusted, clean_line, clean_text};

/// How many of the agent's last lines on stderr are shown with a failure.
const LAST_LINES: usize = 8;

/// A block under construction. What stands in it is clean and free of secrets.
#[derive(Default)]
struct Block {
    text: String,
}

impl Block {
    fn mark(&mut self, mark: impl std::fmt::Display, text: &str) {
        self.text.push_str(&format!("  {mark} {}\n", tidy(text)));
    }

    fn good(&mut self, text: &str) {
        self.mark("✓".green(), text);
    }

    fn bad(&mut self, text: &str) {
        self.mark("✗".red(), text);
    }

    fn open(&mut self, text: &str) {
        self.mark("?".yellow(), text);
    }

    fn warn(&mut self, text: &str) {
        self.mark("!".yellow(), text);
    }

    fn item(&mut self, text: &str) {
        self.mark("-", text);
    }

    fn below(&mut self, text: &str) {
        self.text.push_str(&format!("      {}\n", tidy(text)));
    }
}

/// One clean line without secrets.
fn tidy(text: &str) -> String {
    clean_line(&secrets().hide_tokens(text))
}

/// The block of one agent.
#[must_use]
pub fn agent(outcome: &AgentOutcome, verbose: u8) -> String {
    let mut block = Block::default();
    header(&mut block, outcome);
    verdict(&mut block, outcome);
    if verbose > 0 {
        launch(&mut block, outcome);
    }
    if let Some(handshake) = &outcome.handshake {
        offers(&mut block, outcome, handshake, verbose);
    }
    for diagnostic in &outcome.diagnostics {
        block.warn(diagnostic.message.raw());
    }
    if let Some(failure) = &outcome.failure {
        details(&mut block, failure);
    }
    if verbose > 1
        && outcome
            .failure
            .as_ref()
            .is_none_or(|failure| failure.stderr.is_none())
    {
        last_words(&mut block, &outcome.stderr);
    }
    block.text
}

fn header(block: &mut Block, outcome: &AgentOutcome) {
    let mut facts = Vec::new();
    if let Some(handshake) = &outcome.handshake {
        if let Some(peer) = &handshake.peer {
            let name = peer.title.as_ref().or(peer.name.as_ref());
            let words: Vec<String> = [name, peer.version.as_ref()]
                .into_iter()
                .flatten()
                .map(Untrusted::line)
                .collect();
            facts.push(words.join(" "));
        }
        facts.push(format!("ACP v{}", handshake.version));
    }
    let name = tidy(&outcome.name);
    let facts = tidy(&facts.join(" · "));
    let line = format!("{}  {facts}", name.bold());
    block.text.push_str(line.trim_end());
    block.text.push('\n');
}

/// What the person wanted to know, in one line, and what it rests on.
fn verdict(block: &mut Block, outcome: &AgentOutcome) {
    match &outcome.operation {
        Some(operation) => operated(block, outcome, operation),
        None => state(block, outcome),
    }
    let report = &outcome.report;
    if report.accounts.len() > 1 {
        for account in &report.accounts {
            let active = if account.active == Some(true) {
                ", active"
            } else {
                ""
            };
            block.item(&format!("Account: {}{active}", describe(account)));
        }
    }
    if let Some(message) = &report.message {
        block.item(&format!("The agent says: {}", message.raw()));
    }
    if let Some(evidence) = report.evidence {
        let worth = if report.state == AuthState::Authenticated {
            " (credentials present, not verified)"
        } else {
            ""
        };
        block.item(&format!("Reported by: {}{worth}", evidence.name()));
    }
    let wants_login = outcome
        .operation
        .as_ref()
        .is_none_or(|operation| operation.kind == OperationKind::Login);
    if report.state == AuthState::Unauthenticated && wants_login && outcome.operation.is_none() {
        how_to_sign_in(block, outcome);
    }
}

fn state(block: &mut Block, outcome: &AgentOutcome) {
    let report = &outcome.report;
    match (report.state, &outcome.failure) {
        (AuthState::Authenticated, _) => block.good(&format!("Signed in{}", who(outcome))),
        (AuthState::NotRequired, _) => block.good("No sign-in needed"),
        (AuthState::Unauthenticated, _) => block.bad("Not signed in"),
        (AuthState::Unknown, Some(failure)) if outcome.could_not_be_asked() => {
            block.bad(failure.message.raw());
        }
        (AuthState::Unknown, Some(failure)) => {
            block.open(&format!("Unknown: {}", failure.message.raw()));
        }
        (AuthState::Unknown, None) => block.open(&format!("Unknown: {}", why_unknown(outcome))),
    }
}

fn why_unknown(outcome: &AgentOutcome) -> String {
    let report = &outcome.report;
    if let Some(reported) = &report.reported_state {
        return format!("the agent reports the state {}", reported.raw());
    }
    if report.evidence.is_some() {
        return "the agent cannot tell whether it is signed in".to_owned();
    }
    let pushes = outcome
        .handshake
        .as_ref()
        .is_some_and(|handshake| handshake.offers.pushed_status);
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
    match (operation.result, operation.verified) {
        (OperationResult::SignedIn, true) => block.good(&format!("Signed in{who}")),
        (OperationResult::SignedIn, false) => {
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
                block.item(&format!("To change the account, sign out first: {logout}"));
            }
            let again = outcome.target.command_line("login", &["--force"]);
            block.item(&format!("To sign in all the same: {again}"));
        }
        (OperationResult::SignedOut, true) => block.good("Signed out"),
        (OperationResult::SignedOut, false) => {
            block.good(
                "Logout accepted, not verified: the agent does not say whether it is signed in",
            );
        }
        (OperationResult::AlreadySignedOut, _) => block.good("Signed out already"),
        (OperationResult::Declined, _) => block.bad("Not signed in: you chose no method"),
        (OperationResult::Failed | OperationResult::Unsupported, _) => {
            let reason = outcome
                .failure
                .as_ref()
                .map_or("no reason was given", |failure| failure.message.raw());
            block.bad(reason);
        }
    }
    if let Some(method) = &operation.method {
        block.item(&format!("Method: {}", method.raw()));
    }
    if operation.in_new_process {
        block.item("A new agent process was asked: the one that was running had not noticed");
    }
}

fn offers_logout(outcome: &AgentOutcome) -> bool {
    outcome
        .handshake
        .as_ref()
        .is_some_and(|handshake| handshake.offers.logout)
}

/// The one account there is, or those in use, as the end of a sentence.
fn who(outcome: &AgentOutcome) -> String {
    let accounts = &outcome.report.accounts;
    let active: Vec<&Account> = match accounts.as_slice() {
        [only] => vec![only],
        several => several
            .iter()
            .filter(|account| account.active == Some(true))
            .collect(),
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
    let mut details: Vec<String> = Vec::new();
    for detail in [
        &account.email,
        &account.name,
        &account.organization,
        &account.description,
    ] {
        let Some(detail) = detail.as_ref().map(Untrusted::line) else {
            continue;
        };
        if !detail.is_empty() && detail != label && !details.contains(&detail) {
            details.push(detail);
        }
    }
    if details.is_empty() {
        label
    } else {
        format!("{label} ({})", details.join(", "))
    }
}

/// The exact command that signs in, where there is a method acp-auth can carry out.
fn how_to_sign_in(block: &mut Block, outcome: &AgentOutcome) {
    let methods = outcome
        .handshake
        .as_ref()
        .map_or(&[][..], |handshake| &handshake.methods);
    // A terminal method is worth naming in a pipe too: the person runs the command at a terminal.
    let drivable: Vec<&AuthMethod> = methods
        .iter()
        .filter(|method| method.obstacle(true).is_none())
        .collect();
    match drivable.as_slice() {
        [] => {}
        [_] => block.item(&format!(
            "To sign in: {}",
            outcome.target.command_line("login", &[])
        )),
        [first, ..] => {
            let id = first.id.line();
            block.item(&format!(
                "To sign in: {}",
                outcome.target.command_line("login", &["--method", &id])
            ));
        }
    }
}

fn launch(block: &mut Block, outcome: &AgentOutcome) {
    let words = std::iter::once(&outcome.launch.program).chain(&outcome.launch.args);
    block.item(&format!("Started: {}", shell_words::join(words)));
    if !outcome.launch.env.is_empty() {
        let names: Vec<&str> = outcome
            .launch
            .env
            .iter()
            .map(|(name, _)| name.as_str())
            .collect();
        block.item(&format!("With variables: {}", names.join(", ")));
    }
    block.item(&format!("Answered after: {}", in_words(outcome.duration)));
}

fn offers(block: &mut Block, outcome: &AgentOutcome, handshake: &Handshake, verbose: u8) {
    let methods = &handshake.methods;
    if methods.is_empty() {
        block.item("Sign-in methods: none");
    } else if verbose > 0 {
        block.item("Sign-in methods:");
        for method in methods {
            let description = method
                .description
                .as_ref()
                .map(|text| format!(" — {}", text.line()));
            block.below(&format!(
                "{} ({}): {}{}",
                method_with_obstacle(method, outcome.has_terminal),
                method.type_name.line(),
                method.name.line(),
                description.unwrap_or_default(),
            ));
        }
    } else {
        let listed: Vec<String> = methods
            .iter()
            .map(|method| method_with_obstacle(method, outcome.has_terminal))
            .collect();
        block.item(&format!("Sign-in methods: {}", listed.join(", ")));
    }
    let logout = if handshake.offers.logout {
        "supported"
    } else {
        "not supported"
    };
    block.item(&format!("Signing out: {logout}"));
}

fn method_with_obstacle(method: &AuthMethod, has_terminal: bool) -> String {
    let id = method.id.line();
    match (method.obstacle(has_terminal), &method.flow) {
        (None, _) => id,
        (Some(reason), MethodFlow::Unsupported(_)) if !method.type_name.raw().is_empty() => {
            format!("{id} [{}, {reason}]", method.type_name.line())
        }
        (Some(reason), _) => format!("{id} [{reason}]"),
    }
}

/// Where it failed, what the agent sent with it and wrote before it, and what to do next.
fn details(block: &mut Block, failure: &Failure) {
    if failure.phase != Phase::Choice {
        block.item(&format!("Failed at: {}", failure.phase.name()));
    }
    if let Some(data) = &failure.data {
        let data = data
            .as_str()
            .map_or_else(|| data.to_string(), ToOwned::to_owned);
        block.item(&format!("The agent adds: {data}"));
    }
    if let Some(stderr) = &failure.stderr {
        last_words(block, stderr.raw());
    }
    for hint in &failure.hints {
        block
            .text
            .push_str(&format!("  {} {}\n", "hint:".cyan(), tidy(hint)));
    }
}

fn last_words(block: &mut Block, stderr: &str) {
    let cleaned = clean_text(&secrets().hide_tokens(stderr));
    let lines: Vec<&str> = cleaned
        .lines()
        .filter(|line| !line.trim().is_empty())
        .collect();
    if lines.is_empty() {
        return;
    }
    block.item("Last words on stderr:");
    for line in &lines[lines.len().saturating_sub(LAST_LINES)..] {
        block.below(line);
    }
}

/// A failure of the whole run, with its hints.
#[must_use]
pub fn failure(failure: &Failure) -> String {
    let mut text = failure_line(failure);
    for hint in &failure.hints {
        text.push_str(&format!("\n{} {}", "hint:".cyan(), tidy(hint)));
    }
    text
}

/// A failure in one line.
#[must_use]
pub fn failure_line(failure: &Failure) -> String {
    format!("{} {}", "error:".red(), tidy(failure.message.raw()))
}
