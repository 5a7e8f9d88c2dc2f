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
/// there, the name, where it is defined, and the command; below it its place and what is wrong.
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
            let _ = writeln!(text, "    {}", tidy(&place).dimmed());
        }
        if let Some(reason) = unused(agent) {
            let _ = writeln!(text, "    {}", prose(&reason));
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
    match &agent.entry.launch {
        Ok(launch) => shell::launched(launch),
        Err(_) => "cannot be used".to_owned(),
    }
}

/// Why a definition is not the one that is asked, or cannot be.
fn unused(agent: &Listed) -> Option<String> {
    match (agent.wins, &agent.entry.launch, &agent.program) {
        (_, Err(reason), _) | (true, Ok(_), Err(reason)) => Some(reason.clone()),
        (true, ..) => None,
        (false, ..) if agent.entry.origin.kind == OriginKind::Project => {
            Some("only with --trust-project".to_owned())
        }
        (false, ..) => Some("another definition of this name comes first".to_owned()),
    }
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
