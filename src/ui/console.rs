//! stderr, shared by remarks, the spinner and what the agent says.

use std::io::{self, IsTerminal, Write};
use std::sync::{Mutex, MutexGuard, PoisonError};

use anstream::{AutoStream, ColorChoice};

use super::layout;
use super::rows::cut;
use super::terminal::columns;
use crate::untrusted::Clean;

/// How the spinner looks, step by step.
const FRAMES: [char; 8] = ['⠋', '⠙', '⠸', '⠴', '⠦', '⠧', '⠇', '⠏'];

/// And where the locale is not UTF-8.
const ASCII_FRAMES: [char; 8] = ['|', '/', '-', '\\', '|', '/', '-', '\\'];

/// Back to the start of the row, and all of it cleared.
const CLEAR: &str = "\r\x1b[2K";

#[derive(Default)]
struct State {
    /// Whether the spinner is on the screen.
    is_spinning: bool,
    frame: usize,
    /// The column after the last character written, 0 after a line feed.
    column: usize,
    /// How many questions are open, under which nothing may be drawn.
    holds: usize,
}

/// Keeps the spinner still until it is dropped.
pub struct SpinnerHold<'a> {
    console: &'a Console,
}

impl Drop for SpinnerHold<'_> {
    fn drop(&mut self) {
        self.console.state().holds -= 1;
    }
}

/// The only writer to stderr.
pub struct Console {
    color: ColorChoice,
    state: Mutex<State>,
}

impl Console {
    pub fn new(color: ColorChoice) -> Self {
        Self { color, state: Mutex::default() }
    }

    /// Writes lines of our own, wrapped at words.
    pub fn paragraphs(&self, text: &Clean) {
        self.line(&layout::paragraphs(text, &io::stderr()));
    }

    /// Writes a line of our own as it is.
    pub fn line(&self, text: &str) {
        let mut state = self.state();
        let break_before = if state.column > 0 { "\n" } else { "" };
        self.write(&mut state, &format!("{break_before}{text}\n"), 0);
    }

    /// Writes text that may end anywhere, and leaves the cursor in that column.
    pub fn text(&self, text: &Clean, column: usize) {
        if !text.is_empty() {
            self.write(&mut self.state(), text, column);
        }
    }

    /// The column after the last character written, 0 after a line feed.
    pub fn column(&self) -> usize {
        self.state().column
    }

    /// Whether stderr gets no colours.
    pub fn is_plain(&self) -> bool {
        AutoStream::new(io::stderr(), self.color).current_choice() == ColorChoice::Never
    }

    pub fn line_is_open(&self) -> bool {
        self.column() > 0
    }

    pub fn close_line(&self) {
        let mut state = self.state();
        if state.column > 0 {
            self.write(&mut state, "\n", 0);
        }
    }

    /// Draws the spinner one step on, unless a line is open. The line is never padded: one that fills
    /// the row would wrap when a key is echoed behind it, and stay.
    pub fn spin(&self, text: &Clean) {
        let mut state = self.state();
        if state.column > 0 || state.holds > 0 {
            return;
        }
        let frames = if layout::is_utf8() { FRAMES } else { ASCII_FRAMES };
        let frame = frames[state.frame % frames.len()];
        state.frame += 1;
        state.is_spinning = true;
        let room = columns().unwrap_or(80).saturating_sub(4);
        let shown = layout::in_locale(cut(text, room));
        // With stderr gone there is nowhere left to draw.
        let _ = write!(io::stderr(), "{CLEAR}{frame} {shown}");
    }

    pub fn stop_spinner(&self) {
        clear_spinner(&mut self.state());
    }

    /// Clears the spinner and keeps it still as long as the guard lives.
    pub fn hold_spinner(&self) -> SpinnerHold<'_> {
        let mut state = self.state();
        clear_spinner(&mut state);
        state.holds += 1;
        SpinnerHold { console: self }
    }

    /// Whether a question is open.
    pub fn is_held(&self) -> bool {
        self.state().holds > 0
    }

    /// Shows the cursor that a prompt had hidden.
    pub fn show_cursor(&self) {
        let mut state = self.state();
        if io::stderr().is_terminal() {
            // Not through the colour filter: the prompt's own sequences do not go through it either.
            let _ = io::stderr().write_all(b"\x1b[?25h");
        }
        self.write(&mut state, "\n", 0);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self, state: &mut State, text: &str, column: usize) {
        clear_spinner(state);
        state.column = column;
        // With stderr gone there is nowhere left to say so.
        let _ = AutoStream::new(io::stderr().lock(), self.color).write_all(text.as_bytes());
    }
}

fn clear_spinner(state: &mut State) {
    if std::mem::take(&mut state.is_spinning) {
        // With stderr gone there is nothing left to clear.
        let _ = write!(io::stderr(), "{CLEAR}");
    }
}
