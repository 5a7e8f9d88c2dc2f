//! The person's side: streams, terminal facts, prompts, progress, what the agent says meanwhile.

mod console;
mod layout;
mod live;
mod prompts;
mod rows;
mod terminal;

use std::io::{self, IsTerminal, Write};
use std::sync::Arc;
use std::time::Duration;

use anstream::{AutoStream, ColorChoice};
use tokio::time::Instant;

use crate::environment::environment;
use crate::interrupt::Interrupt;
use crate::redact::secrets;
use crate::untrusted::Clean;
use crate::untrusted::clean;
use console::Console;
pub use live::LiveText;
pub use prompts::{Check, Choice};
pub use terminal::SavedTerminal;

/// How often the spinner moves.
const SPIN_EVERY: Duration = Duration::from_millis(100);

/// When a wait is spoken of where no spinner can turn: first, and then each time as much later.
const SPEAK_AFTER: Duration = Duration::from_secs(10);

/// What is known of the surroundings.
#[derive(Debug, Clone, Copy)]
pub struct Facts {
    pub stdin_is_terminal: bool,
    pub stdout_is_terminal: bool,
    pub stderr_is_terminal: bool,
    /// `CI` is set to something else than `false` or `0`.
    pub ci: bool,
    /// `ACP_AUTH_PROMPT_DISABLED` is set.
    pub prompts_disabled: bool,
}

impl Facts {
    /// Looks at the streams and the environment of this process.
    #[must_use]
    pub fn gather() -> Self {
        Self {
            stdin_is_terminal: io::stdin().is_terminal(),
            stdout_is_terminal: io::stdout().is_terminal(),
            stderr_is_terminal: io::stderr().is_terminal(),
            ci: environment().is_on("CI"),
            prompts_disabled: environment().is_on("ACP_AUTH_PROMPT_DISABLED"),
        }
    }

    /// Whether a person can be asked: prompts are written to stderr and read from stdin.
    #[must_use]
    pub const fn can_prompt(&self) -> bool {
        self.stdin_is_terminal && self.stderr_is_terminal && !self.prompts_disabled
    }

    /// Whether this is a CI job that nobody looks at.
    #[must_use]
    pub const fn is_unattended_ci(&self) -> bool {
        self.ci && !self.stdout_is_terminal
    }
}

/// How a person wants to see things.
#[derive(Debug, Clone, Copy)]
pub struct Look {
    pub color: ColorChoice,
    /// Nothing but errors is written.
    pub quiet: bool,
    /// Account details are shown in CI too.
    pub show_accounts: bool,
}

/// An answer on its way to stdout.
#[derive(Debug)]
pub enum Answer {
    /// For people: coloured where that is wanted, wrapped at a terminal, nothing when quiet.
    People(Clean),
    /// Rows of a table for people, which are cut at a terminal.
    Rows(Clean),
    /// For programs: exactly as it is.
    Programs(String),
}

/// The one way to everything a person sees.
pub struct Ui {
    pub facts: Facts,
    pub terminal: SavedTerminal,
    look: Look,
    /// Whether account details are not to be shown.
    pub masks: bool,
    interrupt: Interrupt,
    console: Arc<Console>,
}

impl Ui {
    #[must_use]
    pub fn new(facts: Facts, look: Look, interrupt: Interrupt) -> Self {
        Self {
            facts,
            terminal: SavedTerminal::save(),
            look,
            masks: facts.is_unattended_ci() && !look.show_accounts,
            interrupt,
            console: Arc::new(Console::new(look.color)),
        }
    }

    /// Writes an answer to stdout.
    ///
    /// # Errors
    /// What writing gave, a closed pipe aside.
    pub fn answer(&self, answer: &Answer) -> io::Result<()> {
        self.console.stop_spinner();
        match answer {
            Answer::People(_) | Answer::Rows(_) if self.look.quiet => Ok(()),
            Answer::People(text) => {
                write_stdout(self.look.color, &layout::paragraphs(text, &io::stdout()))
            }
            Answer::Rows(text) => write_stdout(self.look.color, &layout::rows(text, &io::stdout())),
            Answer::Programs(text) => write_stdout(ColorChoice::Never, text),
        }
    }

    /// Writes a remark for the person to stderr, nothing when quiet.
    pub fn note(&self, text: &Clean) {
        if !self.look.quiet {
            self.console.paragraphs(&Clean::rendered(format!("- {}", secrets().hide(text))));
        }
    }

    /// Writes a command or an address whole on a line of its own, also when quiet.
    pub fn verbatim(&self, text: &Clean) {
        self.console.line(&format!("    {text}"));
    }

    /// Writes a line for the program that reads the log, as it is; nothing when quiet.
    pub fn command(&self, text: &Clean) {
        if !self.look.quiet {
            self.console.line(text);
        }
    }

    /// Writes an error to stderr, also when quiet.
    pub fn error(&self, text: &Clean) {
        self.console.paragraphs(text);
    }

    /// Shows what the agent says beside the protocol, cleaned, as it comes; `details` are what is
    /// known of its accounts.
    #[must_use]
    pub fn live_text(&self, agent: &str, details: Vec<String>) -> Arc<LiveText> {
        let masked = self.masks.then(|| details.into());
        Arc::new(LiveText::new(self.console.clone(), agent, masked, self.look.quiet))
    }

    /// Waits for `future` with a spinner at a terminal, and a line now and then elsewhere.
    /// `what` says who or what is waited for just then.
    pub async fn while_waiting<T>(
        &self,
        what: impl Fn() -> Clean,
        future: impl Future<Output = T>,
    ) -> T {
        tokio::pin!(future);
        let spins = self.facts.stderr_is_terminal && !self.look.quiet;
        let started = Instant::now();
        let mut every = if spins { SPIN_EVERY } else { SPEAK_AFTER };
        loop {
            tokio::select! {
                done = &mut future => {
                    self.console.stop_spinner();
                    return done;
                }
                () = tokio::time::sleep(every) => {
                    let text = clean!(
                        "waiting for {} · {}",
                        what(),
                        humantime::format_duration(Duration::from_secs(started.elapsed().as_secs())),
                    );
                    if spins {
                        self.console.spin(&text);
                    } else {
                        self.note(&text);
                        every *= 2;
                    }
                }
            }
        }
    }
}

/// Whether nobody reads stdout any more.
#[must_use]
pub fn stdout_is_broken() -> bool {
    #[cfg(unix)]
    {
        use rustix::event::{PollFd, PollFlags, Timespec, poll};
        let mut stdout = [PollFd::from_borrowed_fd(rustix::stdio::stdout(), PollFlags::empty())];
        let polled = poll(&mut stdout, Some(&Timespec { tv_sec: 0, tv_nsec: 0 }));
        polled.is_ok() && stdout[0].revents().intersects(PollFlags::ERR | PollFlags::NVAL)
    }
    #[cfg(not(unix))]
    false
}

/// Whether stdout was closed when acp-auth was started. Rust then opens the null device in its
/// place, for reading too, which nobody does who only wants to throw an answer away.
#[cfg(target_os = "linux")]
fn stdout_was_closed() -> bool {
    use rustix::fs::{FileType, OFlags, fcntl_getfl, fstat, major, minor};
    let stdout = rustix::stdio::stdout();
    let (Ok(facts), Ok(flags)) = (fstat(stdout), fcntl_getfl(stdout)) else { return true };
    FileType::from_raw_mode(facts.st_mode) == FileType::CharacterDevice
        && (major(facts.st_rdev), minor(facts.st_rdev)) == (1, 3)
        && flags.contains(OFlags::RDWR)
}

/// Elsewhere the system does not say.
#[cfg(not(target_os = "linux"))]
const fn stdout_was_closed() -> bool {
    false
}

/// Writes to stdout; a reader that left early is not an error.
///
/// # Errors
/// What writing gave.
pub fn write_stdout(color: ColorChoice, text: &str) -> io::Result<()> {
    if stdout_was_closed() {
        return Err(io::Error::other("it is closed"));
    }
    let mut stdout = AutoStream::new(io::stdout().lock(), color);
    let written = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush());
    match written {
        // Whoever read has seen enough.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => written,
    }
}
