//! The terminal's settings, kept so that they can be set back.

use std::io::{self, IsTerminal, Write};

/// The settings of the terminal on stdin as they were when this was made.
#[derive(Debug, Clone, Default)]
pub struct SavedTerminal {
    #[cfg(unix)]
    settings: Option<rustix::termios::Termios>,
}

impl SavedTerminal {
    /// Keeps the settings of the terminal on stdin; nothing when stdin is not a terminal.
    #[must_use]
    pub fn save() -> Self {
        Self {
            #[cfg(unix)]
            settings: rustix::termios::tcgetattr(rustix::stdio::stdin()).ok(),
        }
    }

    /// Sets the terminal back after a program that was killed on it: its settings, and what escape
    /// sequences had changed (alternate screen, cursor, colours, mouse, pasting).
    pub fn restore_screen(&self) {
        self.restore();
        #[cfg(unix)]
        if self.settings.is_some() && io::stderr().is_terminal() {
            // With the terminal gone there is nothing left to set back.
            let _ = io::stderr().write_all(
                b"\x1b[?1047l\x1b[?25h\x1b[0m\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?2004l",
            );
        }
    }

    /// Sets the terminal back, if its settings have changed.
    pub fn restore(&self) {
        #[cfg(unix)]
        if let Some(settings) = &self.settings
            && is_foreground()
        {
            // A terminal that is gone needs no setting back.
            let _ = rustix::termios::tcsetattr(
                rustix::stdio::stdin(),
                rustix::termios::OptionalActions::Now,
                settings,
            );
        }
    }
}

/// How wide the terminal on stderr is; `None` where there is none.
#[must_use]
pub fn columns() -> Option<usize> {
    width(&io::stderr())
}

/// How wide the terminal on a stream is; `None` where there is none.
pub fn width(stream: &impl Stream) -> Option<usize> {
    cells(stream).map(|(_, columns)| columns)
}

/// The rows and columns of the terminal on stderr.
#[must_use]
pub fn size() -> Option<(usize, usize)> {
    cells(&io::stderr())
}

/// One of the program's streams.
#[cfg(unix)]
pub trait Stream: IsTerminal + std::os::fd::AsFd {}
#[cfg(unix)]
impl<T: IsTerminal + std::os::fd::AsFd> Stream for T {}

/// One of the program's streams.
#[cfg(not(unix))]
pub trait Stream: IsTerminal {}
#[cfg(not(unix))]
impl<T: IsTerminal> Stream for T {}

fn cells(stream: &impl Stream) -> Option<(usize, usize)> {
    #[cfg(unix)]
    {
        let size = rustix::termios::tcgetwinsize(stream).ok()?;
        let is_known = size.ws_row > 0 && size.ws_col > 0;
        is_known.then(|| (usize::from(size.ws_row), usize::from(size.ws_col)))
    }
    #[cfg(not(unix))]
    {
        let _ = stream;
        None
    }
}

/// Setting a terminal from the background would stop this process.
#[cfg(unix)]
fn is_foreground() -> bool {
    rustix::termios::tcgetpgrp(rustix::stdio::stdin())
        .is_ok_and(|foreground| foreground == rustix::process::getpgrp())
}
