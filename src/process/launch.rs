//! How an agent's program is started: look-up, environment, directory, process group.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use tokio::process::Command;

use super::child::{self, Child};
use crate::environment::environment;
use crate::model::{Failure, FailureKind, Launch, Phase, Secret};

/// Starts the program as the leader of its own process group, with all three streams piped.
///
/// # Errors
/// `start_failed`, with the reason and where the program was looked for.
pub fn start_piped(launch: &Launch, agent: &str) -> Result<Child, Failure> {
    let mut command = command(launch, agent)?;
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
    child::spawn_group(command).map_err(|error| spawn_failure(launch, agent, error))
}

/// Starts the program on the terminal of acp-auth, in its foreground process group.
///
/// # Errors
/// `start_failed`, as [`start_piped`].
pub fn start_on_terminal(launch: &Launch, agent: &str) -> Result<tokio::process::Child, Failure> {
    let mut command = command(launch, agent)?;
    // Our stdout may be a file that JSON goes to; the terminal is certain on stderr.
    command.stdout(Stdio::from(io::stderr()));
    command.spawn().map_err(|error| spawn_failure(launch, agent, error))
}

/// Finds the program without starting it.
///
/// # Errors
/// `start_failed`, with where it was looked for.
pub fn locate(launch: &Launch, agent: &str) -> Result<PathBuf, Failure> {
    find(launch, agent, &directory(launch, agent)?)
}

fn command(launch: &Launch, agent: &str) -> Result<Command, Failure> {
    let directory = directory(launch, agent)?;
    let program = find(launch, agent, &directory)?;
    let mut command = Command::new(program);
    command.args(&launch.args).args(launch.key.iter().map(Secret::reveal));
    for name in &launch.unset {
        command.env_remove(name);
    }
    command.envs(launch.env.iter().map(|(name, value)| (name, value.reveal())));
    if launch.cwd.is_some() {
        command.current_dir(directory);
    }
    Ok(command)
}

fn directory(launch: &Launch, agent: &str) -> Result<PathBuf, Failure> {
    let current = std::env::current_dir().map_err(|error| {
        start_failed(agent, "the current directory cannot be read".to_owned()).because(error)
    })?;
    let Some(cwd) = &launch.cwd else {
        return Ok(current);
    };
    let directory = current.join(cwd);
    if directory.is_dir() {
        return Ok(directory);
    }
    Err(start_failed(
        agent,
        format!("its working directory {} does not exist", directory.display()),
    ))
}

/// The program's full path, by the PATH that the agent itself will see.
fn find(launch: &Launch, agent: &str, directory: &Path) -> Result<PathBuf, Failure> {
    let own = launch.variable("PATH").map(|value| OsString::from(value.reveal()));
    let paths = own.or_else(|| environment().get("PATH").map(OsStr::to_owned));
    which::which_in(&launch.program, paths.as_ref(), directory)
        .map_err(|_| not_found(launch, agent, directory, paths.as_deref()))
}

fn not_found(launch: &Launch, agent: &str, directory: &Path, paths: Option<&OsStr>) -> Failure {
    let program = Path::new(&launch.program);
    let is_line = launch.program.contains(char::is_whitespace);
    let split = "a program and its arguments are separate words; a line is split only where no `args` are given";
    if program.components().count() > 1 {
        let full = directory.join(program);
        let reason = if full.is_file() {
            format!("{} is not executable", full.display())
        } else {
            format!("there is no program {}", full.display())
        };
        let failure = start_failed(agent, reason);
        return if is_line { failure.hint(split) } else { failure };
    }
    let mut searched: Vec<String> = Vec::new();
    for path in paths.map(std::env::split_paths).into_iter().flatten() {
        let path = path.display().to_string();
        if !searched.contains(&path) {
            searched.push(path);
        }
    }
    let reason = format!("the program {} was not found on PATH", launch.program);
    let failure = start_failed(agent, reason);
    let failure = if is_line { failure.hint(split) } else { failure };
    match searched.as_slice() {
        [] => failure.hint("PATH is empty"),
        searched => failure.hint(format!("looked in {}", searched.join(", "))),
    }
}

fn spawn_failure(launch: &Launch, agent: &str, error: io::Error) -> Failure {
    let is_missing = error.kind() == io::ErrorKind::NotFound;
    let failure = start_failed(agent, format!("{} did not start", launch.program)).because(error);
    if is_missing {
        return failure.hint("the file exists, so the interpreter in its first line is missing");
    }
    failure
}

fn start_failed(agent: &str, reason: String) -> Failure {
    Failure::new(
        FailureKind::StartFailed,
        Phase::Start,
        format!("could not start {agent}: {reason}"),
    )
}
