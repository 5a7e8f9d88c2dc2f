//! What a shell completes at the prompt: agents' names, and methods as they were last seen.

use std::ffi::{OsStr, OsString};
use std::io::Write;

use clap_complete::engine::{ArgValueCompleter, CompletionCandidate};
use clap_complete::env::Shells;

use crate::agents::{Definitions, Places, is_plain, list, methods_seen};
use crate::environment::environment;
use crate::shell;
use crate::untrusted::Clean;

/// The names of agents that can be asked. Starts nothing.
pub fn agent_names() -> Vec<CompletionCandidate> {
    // A configuration that cannot be read is reported when the command runs.
    let config = environment().get("ACP_AUTH_CONFIG").filter(|path| !path.is_empty());
    let places = Places { config: config.map(Into::into), ..Places::default() };
    let Ok(definitions) = Definitions::read(places) else { return Vec::new() };
    let (listed, _) = list(&definitions);
    let winners = listed.into_iter().filter(|agent| agent.wins).map(|agent| agent.entry);
    winners
        // A shell inserts a candidate as it is.
        .filter(|agent| is_plain(&agent.name))
        .map(|agent| {
            let help = agent.launch.map(|launch| shell::launched(&launch)).unwrap_or_default();
            CompletionCandidate::new(agent.name).help(Some(Clean::line(&help).to_string().into()))
        })
        .collect()
}

/// The methods that the agent on the command line was last seen to offer, with their names.
pub fn method_ids() -> Vec<CompletionCandidate> {
    let words: Vec<String> =
        std::env::args_os().filter_map(|word| word.into_string().ok()).collect();
    let methods = words.iter().skip(1).flat_map(|word| methods_seen(word));
    methods
        .map(|method| {
            let name = Clean::line(&method.name).to_string();
            CompletionCandidate::new(method.id).help((!name.is_empty()).then(|| name.into()))
        })
        .collect()
}

/// The programs on PATH whose names begin so, for the first word after `--`.
fn programs(start: &OsStr) -> Vec<CompletionCandidate> {
    let Some(start) = start.to_str().filter(|start| !start.contains('/')) else {
        return Vec::new();
    };
    let paths = environment().get("PATH").map(std::env::split_paths);
    let files = paths.into_iter().flatten().filter_map(|path| path.read_dir().ok()).flatten();
    let mut names: Vec<String> = files
        .filter_map(|file| file.ok()?.file_name().into_string().ok())
        .filter(|name| name.starts_with(start) && is_plain(name))
        .collect();
    names.sort_unstable();
    names.dedup();
    names
        .into_iter()
        .filter(|name| which::which(name).is_ok())
        .map(CompletionCandidate::new)
        .collect()
}

/// A command line that is nothing but the words of a command: a program first, then anything.
fn of_command(is_first: bool) -> clap::Command {
    let word = clap::Arg::new("word").num_args(0..);
    let word = if is_first {
        word.add(ArgValueCompleter::new(programs))
    } else {
        word.value_hint(clap::ValueHint::AnyPath)
    };
    clap::Command::new("command").disable_help_flag(true).arg(word)
}

/// Answers a shell that asks for completions of a command line; gives whether it did. Options are
/// offered only where one was begun.
///
/// # Errors
/// That nothing could be written.
pub fn complete(variable: &str) -> std::io::Result<bool> {
    let shell = environment().text(variable);
    let shells = Shells::builtins();
    let Some(shell) = shell.and_then(|shell| shells.completer(shell)) else { return Ok(false) };
    let args: Vec<OsString> = std::env::args_os().skip_while(|arg| arg != "--").skip(1).collect();
    if args.is_empty() {
        // It asks for its script.
        return Ok(false);
    }
    let index = environment().text("_CLAP_COMPLETE_INDEX").and_then(|index| index.parse().ok());
    let at = index.unwrap_or(args.len() - 1);
    let current = args.get(at).cloned().unwrap_or_default();
    let begins_option = current.to_string_lossy().starts_with('-');
    let directory = std::env::current_dir().ok();
    let mut answer = Vec::new();
    match args.iter().take(at).position(|arg| arg == "--") {
        None => {
            shell.write_complete(&mut super::command(), args, directory.as_deref(), &mut answer)?;
        }
        // The engine takes what follows for more names of agents.
        Some(dashes) => {
            let mut words = vec![OsString::from("command"); at.min(args.len())];
            words.push(current);
            let mut command = of_command(at == dashes + 1);
            shell.write_complete(&mut command, words, directory.as_deref(), &mut answer)?;
        }
    }
    let separator = environment().text("_CLAP_IFS").and_then(|text| text.bytes().next());
    let separator = separator.unwrap_or(b'\n');
    let pieces: Vec<&[u8]> = answer.split(|byte| *byte == separator).collect();
    let fits = |piece: &&&[u8]| begins_option || !piece.starts_with(b"-");
    let kept: Vec<&[u8]> = pieces.iter().filter(fits).copied().collect();
    std::io::stdout().write_all(&kept.join(&separator))?;
    Ok(true)
}
