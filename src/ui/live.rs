//! What an agent writes to stderr, and beside the protocol to stdout, while somebody waits.

use std::sync::{Arc, Mutex, PoisonError};

use anstream::adapter::StripBytes;
use owo_colors::OwoColorize;

use super::console::Console;
use crate::process::Listener;
use crate::redact::{mask_addresses, secrets};
use crate::untrusted::drop_unseen;

/// Passes bytes on as they come, cleaned, each line marked as the agent's.
pub struct LiveText {
    console: Arc<Console>,
    margin: String,
    /// Whether account details are not to be shown.
    masks: bool,
    stderr: Mutex<Stream>,
    stdout: Mutex<Stream>,
}

/// One stream's state between two pieces.
#[derive(Default)]
struct Stream {
    escapes: StripBytes,
    /// The start of a character whose rest has not come.
    unfinished: Vec<u8>,
    after_carriage_return: bool,
}

impl LiveText {
    pub fn new(console: Arc<Console>, agent: &str, masks: bool) -> Self {
        let margin = format!("{} ", format!("{agent} │").dimmed());
        Self { console, margin, masks, stderr: Mutex::default(), stdout: Mutex::default() }
    }

    fn show(&self, stream: &Mutex<Stream>, bytes: &[u8]) {
        let mut stream = stream.lock().unwrap_or_else(PoisonError::into_inner);
        let text = secrets().hide(&stream.clean(bytes));
        let text = if self.masks { mask_addresses(&text) } else { text };
        let mut shown = String::new();
        let mut at_line_start = !self.console.line_is_open();
        for line in text.split_inclusive('\n') {
            if at_line_start && line.trim().is_empty() {
                continue;
            }
            if at_line_start {
                shown.push_str(&self.margin);
            }
            shown.push_str(line);
            at_line_start = line.ends_with('\n');
        }
        self.console.text(&shown);
    }
}

impl Listener for LiveText {
    fn stderr(&self, bytes: &[u8]) {
        self.show(&self.stderr, bytes);
    }

    fn stray_stdout(&self, bytes: &[u8]) {
        self.show(&self.stdout, bytes);
    }
}

impl Stream {
    /// The text in `bytes`, without what acts on a terminal; a carriage return becomes a break.
    fn clean(&mut self, bytes: &[u8]) -> String {
        let mut kept = std::mem::take(&mut self.unfinished);
        for piece in self.escapes.strip_next(bytes) {
            kept.extend_from_slice(piece);
        }
        let complete = match std::str::from_utf8(&kept) {
            Err(error) if error.error_len().is_none() => error.valid_up_to(),
            _ => kept.len(),
        };
        self.unfinished = kept.split_off(complete);
        let mut text = String::with_capacity(kept.len());
        for character in String::from_utf8_lossy(&kept).chars() {
            match character {
                '\n' if self.after_carriage_return => {}
                '\r' => text.push('\n'),
                other => text.push(other),
            }
            self.after_carriage_return = character == '\r';
        }
        drop_unseen(&text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_cleaned_across_their_borders() {
        let mut stream = Stream::default();
        let pieces: [&[u8]; 5] = [
            b"go to \x1b]8;;http://evil",
            b".test\x07https://a",
            b"\xc3",
            b"\xa9.test\r",
            b"\ncode",
        ];
        let text: String = pieces.iter().map(|piece| stream.clean(piece)).collect();
        assert_eq!(text, "go to https://aé.test\ncode");
    }
}
