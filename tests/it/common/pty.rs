//! The program on a pseudo-terminal.

use std::num::NonZero;
use std::process::Command;

use rexpect::process::{Signal, WaitStatus};
use rexpect::session::{PtySession, spawn_command};

use super::{PATIENCE, eventually};

/// A run on a pseudo-terminal of its own.
pub struct Pty {
    session: PtySession,
    seen: String,
    columns: u16,
}

impl Pty {
    pub fn start(command: Command) -> Self {
        Self::start_wide(command, 80)
    }

    /// On a terminal of that many columns.
    pub fn start_wide(command: Command, columns: u16) -> Self {
        let patience = u64::try_from(PATIENCE.as_millis()).unwrap();
        let session = spawn_command(with_echo(&command, columns), Some(patience)).unwrap();
        Self { session, seen: String::new(), columns }
    }

    /// Waits until the ASCII text has been shown.
    #[track_caller]
    pub fn expect(&mut self, text: &str) {
        match self.session.exp_string(text) {
            Ok(before) => {
                self.seen.push_str(&before);
                self.seen.push_str(text);
            }
            Err(error) => panic!("{text:?} was never shown: {error}\n{}", self.seen),
        }
    }

    pub fn send(&mut self, text: &str) {
        self.session.send(text).unwrap();
        self.session.flush().unwrap();
    }

    pub fn send_line(&mut self, text: &str) {
        self.session.send_line(text).unwrap();
    }

    /// Types a line into a hidden prompt, which drops what was typed before it hid.
    pub fn send_hidden_line(&mut self, text: &str) {
        eventually("typing is hidden", || self.settings().contains("-echo ").then_some(()));
        self.send_line(text);
    }

    /// Types a control character such as `c`.
    pub fn send_control(&mut self, character: char) {
        self.session.send_control(character).unwrap();
    }

    /// The terminal's settings as `stty -a` prints them.
    pub fn settings(&self) -> String {
        let terminal = self.session.process().get_file_handle().unwrap();
        let output = Command::new("stty").arg("-a").stdin(terminal).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    }

    /// Sends a signal to the program alone.
    pub fn signal(&mut self, signal: Signal) {
        self.session.process_mut().signal(signal).unwrap();
    }

    /// Waits for the end: the exit code, and what a person sees then, without colours, what left
    /// the screen included.
    pub fn finish_screen(self) -> (i32, String) {
        let size = |cells| NonZero::new(cells).unwrap();
        let columns = self.columns;
        let (code, text) = self.finish();
        let mut screen = vt100::Parser::new(size(200), size(columns), 0);
        screen.process(text.as_bytes());
        (code, screen.screen().contents())
    }

    /// Waits for the end: the exit code, and everything that was shown.
    pub fn finish(mut self) -> (i32, String) {
        let rest = self.session.exp_eof().unwrap();
        self.seen.push_str(&rest);
        let code = match self.session.process().wait().unwrap() {
            WaitStatus::Exited(_, code) => code,
            WaitStatus::Signaled(_, signal, _) => -(signal as i32),
            other => panic!("neither exited nor signalled: {other:?}"),
        };
        (code, as_text(&self.seen))
    }
}

/// The command after the terminal shows what is typed again, which rexpect's do not: else nothing
/// could tell a hidden prompt from a visible one.
fn with_echo(command: &Command, columns: u16) -> Command {
    let mut shell = Command::new("sh");
    shell.arg("-c");
    shell.arg(format!("stty echo cols {columns} rows 24 && exec \"$0\" \"$@\""));
    shell.arg(command.get_program()).args(command.get_args());
    shell.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
    if let Some(directory) = command.get_current_dir() {
        shell.current_dir(directory);
    }
    super::with_default_signals(&shell)
}

/// The reader makes a character of every byte; this makes text of them again.
fn as_text(seen: &str) -> String {
    let bytes: Vec<u8> =
        seen.chars().map(|byte| u8::try_from(u32::from(byte)).unwrap_or(b'?')).collect();
    String::from_utf8_lossy(&bytes).into_owned()
}
