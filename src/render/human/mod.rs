//! What a person sees of an outcome: a block an agent, in the manner of `gh auth status`.

mod methods;
mod tables;
mod verdict;

pub use tables::{catalog, definitions, name_width, row, row_titles};

use owo_colors::OwoColorize;

use crate::flows::Asked;
use crate::model::{Failure, Phase, Version, in_words};
use crate::outcome::AgentOutcome;
use crate::redact::{hide_in, secrets};
use crate::shell;
use crate::untrusted::{Clean, Untrusted, clean_line, cut, folded};

/// How many of the agent's last lines on stderr are shown with a failure.
const LAST_LINES: usize = 8;

/// As a text, for replacing.
const UNBROKEN_BLANK: &str = "\u{a0}";

/// A block under construction. Its text is clean and free of secrets.
#[derive(Default)]
struct Block {
    text: String,
}

impl Block {
    fn mark(&mut self, mark: impl std::fmt::Display, text: &str) {
        let indent = if self.text.ends_with(' ') { "" } else { "  " };
        self.text.push_str(&format!("{indent}{mark} {}\n", tidy(text)));
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

    /// An item that ends with a command to be copied.
    fn command(&mut self, label: &str, command: &str) {
        let command = tidy(command).replace(' ', UNBROKEN_BLANK);
        self.text.push_str(&format!("  - {label}: {command}\n"));
    }

    /// A command on a row of its own.
    fn command_below(&mut self, command: &str) {
        let command = tidy(command).replace(' ', UNBROKEN_BLANK);
        self.text.push_str(&format!("      {command}\n"));
    }

    fn below(&mut self, text: &str) {
        let text = tidy(text);
        // A runner of GitHub Actions obeys lines that begin so, blanks before it or not.
        let guard = if text.starts_with("::") || text.starts_with("##[") { "| " } else { "" };
        self.text.push_str(&format!("      {guard}{text}\n"));
    }
}

/// One clean line of foreign prose without secrets.
fn prose(text: &str) -> String {
    // Cut last: half of a secret would not be recognized.
    cut(&secrets().hide(&folded(text)))
}

/// One clean line of what answers, such as an account or an identifier: nothing is hidden in it.
fn tidy(text: &str) -> String {
    clean_line(text)
}

/// The block of one agent.
#[must_use]
pub fn agent(outcome: &AgentOutcome, verbose: u8) -> String {
    let mut block = Block::default();
    if outcome.was_declined() && verbose == 0 {
        // Who said no knows the rest.
        block.text.push_str(&format!("{}  ", tidy(&outcome.name).bold()));
        verdict::declined(&mut block, outcome);
        return block.text;
    }
    header(&mut block, outcome);
    if outcome.is_listing && outcome.failure.is_none() {
        methods::listing(&mut block, outcome);
    } else {
        verdict::verdict(&mut block, outcome);
    }
    if verbose > 0 {
        launch(&mut block, outcome);
    }
    if let Some(handshake) = &outcome.handshake
        && !outcome.is_listing
        && matches!(outcome.asked, Asked::Agent)
    {
        methods::offers(&mut block, outcome, handshake, verbose);
    }
    for diagnostic in &outcome.diagnostics {
        block.warn(&prose(diagnostic.message.raw()));
    }
    if let Some(failure) = &outcome.failure {
        details(&mut block, failure);
    }
    if verbose > 1 && outcome.failure.as_ref().is_none_or(|failure| failure.stderr.is_none()) {
        last_words(&mut block, &outcome.stderr);
    }
    block.text
}

/// The state of one agent in a few words, without colours and its mark.
#[must_use]
pub fn short(outcome: &AgentOutcome) -> String {
    let mut block = Block::default();
    verdict::in_short(&mut block, outcome);
    let text = console::strip_ansi_codes(block.text.trim()).into_owned();
    text.split_once(' ').map_or(text.clone(), |(_, words)| words.to_owned())
}

/// The state of one agent in one line, for a watch.
#[must_use]
pub fn line(outcome: &AgentOutcome) -> String {
    let mut block = Block::default();
    verdict::in_short(&mut block, outcome);
    let evidence = outcome.report.evidence.map(|evidence| format!("  [{}]", evidence.name()));
    let text = block.text.trim();
    format!("{}  {text}{}\n", tidy(&outcome.name).bold(), evidence.unwrap_or_default())
}

fn header(block: &mut Block, outcome: &AgentOutcome) {
    let mut facts = Vec::new();
    if let Some(handshake) = &outcome.handshake {
        if let Some(peer) = &handshake.peer {
            let name = peer.title.as_ref().or(peer.name.as_ref());
            let words: Vec<Clean> =
                [name, peer.version.as_ref()].into_iter().flatten().map(Untrusted::label).collect();
            facts.push(words.join(" "));
        }
        facts.push(match &handshake.version {
            Version::Acp(version) => format!("ACP v{version}"),
            Version::Mcp(version) => format!("MCP {}", version.label()),
        });
    }
    let name = tidy(&outcome.name);
    let facts = prose(&facts.join(" · "));
    let line = format!("{}  {facts}", name.bold());
    block.text.push_str(line.trim_end());
    block.text.push('\n');
}

fn launch(block: &mut Block, outcome: &AgentOutcome) {
    block.item(&format!("Started: {}", prose(&shell::launched(&outcome.launch))));
    if !outcome.launch.env.is_empty() {
        let names: Vec<&str> = outcome.launch.env.iter().map(|(name, _)| name.as_str()).collect();
        block.item(&format!("With variables: {}", names.join(", ")));
    }
    block.item(&format!("Answered after: {}", in_words(outcome.duration)));
}

/// Where it failed, what the agent sent with it and wrote before it, and what to do next.
fn details(block: &mut Block, failure: &Failure) {
    if !matches!(failure.phase, Phase::Choice | Phase::Configuration) {
        block.item(&format!("Failed at: {}", failure.phase.name()));
    }
    if let Some(data) = &failure.data {
        let mut data = data.clone();
        hide_in(&mut data, &|text| secrets().clean(text));
        let data = data.as_str().map_or_else(|| data.to_string(), ToOwned::to_owned);
        block.item(&format!("The agent adds: {}", prose(&data)));
    }
    if let Some(stderr) = &failure.stderr {
        last_words(block, stderr.raw());
    }
    for hint in &failure.hints {
        block.text.push_str(&format!("  {}\n", hint_line(hint)));
    }
}

fn last_words(block: &mut Block, stderr: &str) {
    let cleaned = secrets().clean(stderr);
    let is_telling = |line: &&str| line.chars().any(char::is_alphanumeric);
    let lines: Vec<&str> = cleaned.lines().filter(is_telling).collect();
    if lines.is_empty() {
        return;
    }
    block.item("Last words on stderr:");
    let last = lines.len().saturating_sub(LAST_LINES);
    // Traces of calls follow the cause, and would push it out.
    if let Some(cause) = lines[..last].iter().rfind(|line| names_a_cause(line)) {
        block.below(cause);
        block.below("[…]");
    }
    for line in &lines[last..] {
        block.below(line);
    }
}

/// Whether a line is the one that a trace of calls explains: `Error: …`, `TypeError: …`.
fn names_a_cause(line: &str) -> bool {
    let name = line.trim_start().split(':').next().unwrap_or_default();
    let is_word = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    line.contains(": ") && is_word && name.to_lowercase().ends_with("error")
}

/// The words after which the rest of a hint is a command to be copied.
const COMMAND_LABELS: [&str; 4] = ["it is: ", "also proposes: ", "own sign-in: ", "trust it: "];

/// A hint, whose command at its end stays whole.
fn hint_line(hint: &str) -> String {
    let mut hint = prose(hint);
    let commands = COMMAND_LABELS.iter().filter_map(|label| Some(hint.find(label)? + label.len()));
    let own = hint.find(": acp-auth ").map(|at| at + 2);
    if let Some(at) = commands.chain(own).min() {
        let (words, command) = hint.split_at(at);
        hint = format!("{words}{}", command.replace(' ', UNBROKEN_BLANK));
    }
    format!("{} {hint}", "hint:".cyan())
}

/// A failure of the whole run, with its hints.
#[must_use]
pub fn failure(failure: &Failure) -> String {
    let mut text = failure_line(failure);
    for hint in &failure.hints {
        text.push_str(&format!("\n{}", hint_line(hint)));
    }
    text
}

/// A failure in one line.
#[must_use]
pub fn failure_line(failure: &Failure) -> String {
    format!("{} {}", "error:".red(), prose(failure.sentence().raw()))
}
