//! A clean place to run the program in, and what is asked of its results.

mod pty;
mod scenario;

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

pub use pty::Pty;
pub use scenario::{Agent, answers_v1, answers_v2};

/// No test waits longer than this for anything.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// A directory of its own with an empty HOME, and nothing inherited but PATH.
pub struct Place {
    directory: TempDir,
    env: Vec<(String, String)>,
}

impl Place {
    pub fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        std::fs::create_dir(directory.path().join("home")).unwrap();
        Self { directory, env: Vec::new() }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    pub fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path
    }

    /// Sets a variable for every run from here on.
    pub fn env(&mut self, name: &str, value: &str) -> &mut Self {
        self.env.push((name.to_owned(), value.to_owned()));
        self
    }

    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(program());
        command
            .args(args)
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap())
            .env("HOME", self.path("home"))
            .env("TERM", "xterm")
            .envs(self.env.iter().map(|(name, value)| (name, value)))
            .current_dir(self.directory.path());
        command
    }

    pub fn run(&self, args: &[&str]) -> Run {
        Run::of(self.command(args).stdin(Stdio::null()))
    }

    /// Runs with a text on stdin.
    pub fn run_with(&self, args: &[&str], stdin: &str) -> Run {
        let path = self.write("stdin", stdin);
        Run::of(self.command(args).stdin(std::fs::File::open(path).unwrap()))
    }

    /// Runs with `--json` and reads the document, which must be the only thing on stdout and what
    /// `acp-auth schema` says.
    pub fn run_json(&self, args: &[&str]) -> (Run, Value) {
        let mut with_json = vec![args[0], "--json"];
        with_json.extend(&args[1..]);
        let run = self.run(&with_json);
        let document = run.document();
        let schema = serde_json::from_str(include_str!("../../../src/render/schema.json")).unwrap();
        let validator = jsonschema::validator_for(&schema).unwrap();
        let errors: Vec<String> = validator
            .iter_errors(&document)
            .map(|error| format!("{}: {error}", error.instance_path()))
            .collect();
        assert!(errors.is_empty(), "{errors:?}\n{run}");
        assert_eq!(document["exitCode"], run.code, "{run}");
        (run, document)
    }

    /// Starts without waiting for the end, streams piped.
    pub fn start(&self, args: &[&str]) -> std::process::Child {
        let mut command = with_default_signals(&self.command(args));
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().unwrap()
    }

    pub fn pty(&self, args: &[&str]) -> Pty {
        Pty::start(self.command(args))
    }
}

/// The same command with no signal ignored: whoever runs the tests, as `nohup` does, may ignore some,
/// and the program respects that.
pub fn with_default_signals(command: &Command) -> Command {
    let mut wrapped = Command::new("env");
    wrapped.arg("--default-signal").arg(command.get_program()).args(command.get_args());
    // The places' commands start from an empty environment, as the wrapped one must.
    wrapped.env_clear();
    for (name, value) in command.get_envs() {
        if let Some(value) = value {
            wrapped.env(name, value);
        }
    }
    if let Some(directory) = command.get_current_dir() {
        wrapped.current_dir(directory);
    }
    wrapped
}

pub fn program() -> &'static str {
    env!("CARGO_BIN_EXE_acp-auth")
}

/// An agent of `tests/agents`, which Cargo builds as an example.
pub fn example(name: &str) -> String {
    let directory = Path::new(program()).parent().unwrap().join("examples");
    let path = directory.join(name);
    assert!(path.exists(), "{} is missing; `cargo test` builds it", path.display());
    path.to_str().unwrap().to_owned()
}

/// A finished run.
pub struct Run {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Run {
    fn of(command: &mut Command) -> Self {
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        Self::finish(child)
    }

    /// Waits for a process within the patience of the tests.
    pub fn finish(child: std::process::Child) -> Self {
        let id = child.id();
        let (sender, receiver) = std::sync::mpsc::channel();
        std::thread::spawn(move || sender.send(child.wait_with_output()));
        match receiver.recv_timeout(PATIENCE) {
            Ok(output) => Self::from(output.unwrap()),
            Err(_) => {
                Command::new("kill").args(["-9", &id.to_string()]).status().unwrap();
                panic!("the program did not end within {PATIENCE:?}");
            }
        }
    }

    pub fn document(&self) -> Value {
        serde_json::from_str(&self.stdout)
            .unwrap_or_else(|error| panic!("stdout is not one JSON document: {error}\n{self}"))
    }

    pub fn all(&self) -> String {
        format!("{}{}", self.stdout, self.stderr)
    }

    #[track_caller]
    pub fn assert_code(&self, code: i32) -> &Self {
        assert_eq!(self.code, code, "exit code\n{self}");
        self
    }

    #[track_caller]
    pub fn assert_stdout(&self, text: &str) -> &Self {
        assert!(self.stdout.contains(text), "stdout does not say {text:?}\n{self}");
        self
    }

    #[track_caller]
    pub fn assert_stderr(&self, text: &str) -> &Self {
        assert!(self.stderr.contains(text), "stderr does not say {text:?}\n{self}");
        self
    }

    #[track_caller]
    pub fn assert_says_not(&self, text: &str) -> &Self {
        assert!(!self.all().contains(text), "something says {text:?}\n{self}");
        self
    }
}

impl From<Output> for Run {
    fn from(output: Output) -> Self {
        use std::os::unix::process::ExitStatusExt;
        let status = output.status;
        Self {
            code: status.code().unwrap_or_else(|| -status.signal().unwrap_or(1)),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}

impl std::fmt::Display for Run {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "exit code {}\n--- stdout\n{}\n--- stderr\n{}",
            self.code, self.stdout, self.stderr
        )
    }
}

/// Waits until a condition holds.
#[track_caller]
pub fn eventually<T>(what: &str, mut condition: impl FnMut() -> Option<T>) -> T {
    let started = Instant::now();
    loop {
        if let Some(found) = condition() {
            return found;
        }
        assert!(started.elapsed() < PATIENCE, "never came true: {what}");
        std::thread::park_timeout(Duration::from_millis(5));
    }
}

/// Text with all blanks folded: a terminal wraps lines.
pub fn unwrapped(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Sends a signal such as `TERM` to a process.
pub fn signal(pid: u32, signal: &str) {
    let status = Command::new("kill").args([&format!("-{signal}"), &pid.to_string()]).status();
    assert!(status.unwrap().success());
}

/// Whether a process runs; one that waits to be collected does not.
pub fn is_alive(pid: u64) -> bool {
    let Ok(status) = std::fs::read_to_string(format!("/proc/{pid}/stat")) else {
        return false;
    };
    let state = status.rsplit(')').next().unwrap_or_default().trim_start();
    !state.starts_with(['Z', 'X'])
}
