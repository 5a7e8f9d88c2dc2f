//! How an agent's program is started: look-up, environment, directory, process group.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use tokio::process::{Child, Command};

use crate::error::{Failure, FailureKind, Phase};

/// A program with everything it is started with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Launch {
    /// A name to look for on PATH, or a path.
    pub program: String,
    pub args: Vec<String>,
    /// Set over the inherited environment, in this order.
    pub env: Vec<(String, String)>,
    /// The working directory; the current one when absent.
    pub cwd: Option<PathBuf>,
}

impl Launch {
    /// The same program with more arguments and variables, as a terminal login runs it.
    #[must_use]
    pub fn extended(
        &self,
        args: &[String],
        env: impl IntoIterator<Item = (String, String)>,
    ) -> Self {
        let mut launch = self.clone();
        launch.args.extend_from_slice(args);
        launch.env.extend(env);
        launch
    }

    /// Starts the program as the leader of its own process group, with all three streams piped.
    ///
    /// # Errors
    /// `start_failed`, with the reason and where the program was looked for.
    pub fn start_piped(&self, agent: &str) -> Result<Child, Failure> {
        let mut command = self.command(agent)?;
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        #[cfg(unix)]
        command.process_group(0);
        command.spawn().map_err(|error| self.spawn_failure(agent, &error))
    }

    /// Starts the program on the terminal of acp-auth, in its foreground process group.
    ///
    /// # Errors
    /// `start_failed`, as [`Launch::start_piped`].
    pub fn start_on_terminal(&self, agent: &str) -> Result<Child, Failure> {
        let mut command = self.command(agent)?;
        // Our stdout may be a file that JSON goes to; the terminal is certain on stderr.
        command.stdout(Stdio::from(io::stderr()));
        command.spawn().map_err(|error| self.spawn_failure(agent, &error))
    }

    /// The command as a person would type it.
    #[must_use]
    pub fn command_line(&self) -> String {
        shell_words::join(std::iter::once(&self.program).chain(&self.args))
    }

    /// Finds the program without starting it.
    ///
    /// # Errors
    /// `start_failed`, with where it was looked for.
    pub fn locate(&self, agent: &str) -> Result<PathBuf, Failure> {
        let directory = self.directory(agent)?;
        self.find(agent, &directory)
    }

    fn command(&self, agent: &str) -> Result<Command, Failure> {
        let directory = self.directory(agent)?;
        let program = self.find(agent, &directory)?;
        let mut command = Command::new(program);
        command.args(&self.args).envs(self.env.iter().map(|(name, value)| (name, value)));
        if self.cwd.is_some() {
            command.current_dir(directory);
        }
        Ok(command)
    }

    fn directory(&self, agent: &str) -> Result<PathBuf, Failure> {
        let current = std::env::current_dir().map_err(|error| {
            start_failed(agent, format!("the current directory cannot be read: {error}"))
        })?;
        let Some(cwd) = &self.cwd else {
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
    fn find(&self, agent: &str, directory: &Path) -> Result<PathBuf, Failure> {
        let paths: Option<OsString> = self
            .env
            .iter()
            .rev()
            .find(|(name, _)| name == "PATH")
            .map(|(_, value)| OsString::from(value))
            .or_else(|| std::env::var_os("PATH"));
        which::which_in(&self.program, paths.as_ref(), directory)
            .map_err(|_| self.not_found(agent, directory, paths.as_deref()))
    }

    fn not_found(&self, agent: &str, directory: &Path, paths: Option<&OsStr>) -> Failure {
        let program = Path::new(&self.program);
        let is_line = self.program.contains(char::is_whitespace);
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
        let reason = format!("the program {} was not found on PATH", self.program);
        let failure = start_failed(agent, reason);
        let failure = if is_line { failure.hint(split) } else { failure };
        let failure = if self.program == crate::agents::demo::NAME {
            failure.hint("the built-in agent is a name, and stands before `--`")
        } else {
            failure
        };
        match searched.as_slice() {
            [] => failure.hint("PATH is empty"),
            searched => failure.hint(format!("looked in {}", searched.join(", "))),
        }
    }

    fn spawn_failure(&self, agent: &str, error: &io::Error) -> Failure {
        let failure = start_failed(agent, format!("{} did not start: {error}", self.program));
        if error.kind() == io::ErrorKind::NotFound {
            return failure
                .hint("the file exists, so the interpreter in its first line is missing");
        }
        failure
    }
}

fn start_failed(agent: &str, reason: String) -> Failure {
    Failure::new(
        FailureKind::StartFailed,
        Phase::Start,
        format!("could not start {agent}: {reason}"),
    )
}
