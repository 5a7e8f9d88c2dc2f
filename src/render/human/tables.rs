//! Tables: the states of many agents, and the definitions that were found.

use std::fmt::Write;

use owo_colors::OwoColorize;
use unicode_width::UnicodeWidthStr;

use super::{Block, prose, tidy, verdict};
use crate::agents::{Listed, Origin, OriginKind, known_agents};
use crate::outcome::{AgentOutcome, RunOutcome};
use crate::shell;

/// How wide the column of origins is.
const ORIGIN: usize = 9;

/// How wide a column of these names is, its title among them.
#[must_use]
pub fn name_width<'n>(names: impl Iterator<Item = &'n str>) -> usize {
    names.map(|name| tidy(name).width()).max().unwrap_or(0).max("NAME".len())
}

/// The titles of the table of states.
#[must_use]
pub fn row_titles(width: usize) -> String {
    let title = format!("{}  STATE\n", padded("NAME", width));
    title.dimmed().to_string()
}

/// One agent's row.
#[must_use]
pub fn row(outcome: &AgentOutcome, width: usize) -> String {
    let mut block = Block::default();
    verdict::in_short(&mut block, outcome);
    format!("{}  {}\n", padded(&tidy(&outcome.name), width), block.text.trim())
}

/// The definitions, a line each: whether it is the one its name refers to and its program is
/// there, the name, where it is defined, and the command or what is wrong with it.
#[must_use]
pub fn definitions(outcome: &RunOutcome) -> String {
    let listed = outcome.listed.as_deref().unwrap_or_default();
    let width = name_width(listed.iter().map(|agent| agent.entry.name.as_str()));
    let titles = format!("  {}  {}  COMMAND\n", padded("NAME", width), padded("FROM", ORIGIN));
    let mut text = titles.dimmed().to_string();
    for agent in listed {
        let mark = match (&agent.program, agent.wins) {
            (Ok(_), true) => "✓".green().to_string(),
            (Err(_), true) => "✗".red().to_string(),
            (_, false) => "-".to_owned(),
        };
        let name = padded(&tidy(&agent.entry.name), width);
        let origin = padded(origin_name(agent.entry.origin.kind), ORIGIN);
        let command = prose(&what(agent));
        // Writing to a string does not fail.
        let _ = writeln!(text, "{mark} {name}  {origin}  {command}");
        if let Some(place) = place(&agent.entry.origin) {
            let _ = writeln!(text, "  {}  {}", " ".repeat(width), tidy(&place).dimmed());
        }
    }
    text
}

/// The well-known agents, a line each: whether its program is on PATH, its name, its program, and how
/// it is installed.
#[must_use]
pub fn catalog() -> String {
    let known = known_agents();
    let width = name_width(known.iter().map(|agent| agent.name.as_str()));
    let programs = known.iter().map(|agent| agent.program.width());
    let room = programs.max().unwrap_or(0).max("PROGRAM".len());
    let titles = format!("  {}  {}  TO INSTALL\n", padded("NAME", width), padded("PROGRAM", room));
    let mut text = titles.dimmed().to_string();
    for agent in known {
        let mark = if agent.is_installed() { "✓".green().to_string() } else { "-".to_owned() };
        let name = padded(&agent.name, width);
        let program = padded(&agent.program, room);
        let install = agent.how_to_install().unwrap_or_else(|| "see its documents".to_owned());
        // Writing to a string does not fail.
        let _ = writeln!(text, "{mark} {name}  {program}  {install}");
    }
    text
}

fn what(agent: &Listed) -> String {
    let command = match &agent.entry.launch {
        Ok(launch) => shell::launched(launch),
        Err(reason) => return format!("cannot be used: {reason}"),
    };
    let note = match (agent.wins, &agent.program) {
        (true, Ok(_)) => "",
        (true, Err(reason)) => return format!("{command} ({reason})"),
        (false, _) if agent.entry.origin.kind == OriginKind::Project => {
            " (only with --trust-project)"
        }
        (false, _) => " (another definition of this name comes first)",
    };
    format!("{command}{note}")
}

fn place(origin: &Origin) -> Option<String> {
    let path = origin.path.as_ref()?.display();
    Some(match &origin.key {
        Some(key) => format!("{path}: {key}"),
        None => path.to_string(),
    })
}

fn origin_name(kind: OriginKind) -> &'static str {
    match kind {
        OriginKind::CommandLine => "command",
        OriginKind::Config => "config",
        OriginKind::Registry => "registry",
        OriginKind::Zed => "Zed",
        OriginKind::JetBrains => "JetBrains",
        OriginKind::Acpx => "acpx",
        OriginKind::McpConfig => "MCP file",
        OriginKind::Project => "project",
        OriginKind::Path => "PATH",
        OriginKind::BuiltIn => "built in",
    }
}

fn padded(text: &str, width: usize) -> String {
    format!("{text}{}", " ".repeat(width.saturating_sub(text.width())))
}
