//! What an agent says while somebody waits for a login: on stderr, beside the protocol on stdout, and
//! in notifications. It is shown as it comes, a line at a time: cleaned, without secrets, each row
//! marked as the agent's.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use anstream::adapter::StripBytes;
use owo_colors::OwoColorize;
use unicode_width::UnicodeWidthStr;

use tokio::sync::mpsc;

use super::console::Console;
use super::rows::{Rows, fold_blanks};
use super::terminal::columns;
use crate::process::Listener;
use crate::redact::{REDACTED, mask_text, secrets};
use crate::untrusted::{Clean, drop_unseen};

/// The longest line that is kept together, in bytes.
const LONGEST_LINE: usize = 64 << 10;

/// How many lines and bytes are shown in a second; a flood is nothing that anybody reads, and must
/// not make us deaf.
const LINES: usize = 200;
const BYTES: usize = 256 << 10;

/// The shortest start of a key at the end of a line that is taken for one, in bytes.
const SHORTEST_HALF: usize = 6;

/// What could go on after the end of a text, were it the start of a secret.
const CONTINUATION: &str = "Aa0Bb1Cc2Dd3Ee4Ff5Gg6Hh7Ii8Jj9";

/// Shows an agent's words.
pub struct LiveText {
    console: Arc<Console>,
    margin: String,
    margin_width: usize,
    stderr: Mutex<Stream>,
    stdout: Mutex<Stream>,
    /// The pages that notifications named already.
    pages: Mutex<Vec<String>>,
    budget: Mutex<Budget>,
    /// Nothing but pages is shown.
    is_quiet: bool,
    /// Who else wants the lines.
    ear: Mutex<Option<mpsc::UnboundedSender<String>>>,
}

/// What may still be shown in this second.
struct Budget {
    since: Instant,
    lines: usize,
    bytes: usize,
    /// Lines left out so far.
    left_out: usize,
}

impl Budget {
    fn new() -> Self {
        Self { since: Instant::now(), lines: LINES, bytes: BYTES, left_out: 0 }
    }

    /// Whether a line may be shown, and how many were left out before it.
    fn allows(&mut self, bytes: usize) -> Option<usize> {
        if self.since.elapsed() >= Duration::from_secs(1) {
            *self = Self { left_out: self.left_out, ..Self::new() };
        }
        if self.lines == 0 || self.bytes < bytes {
            self.left_out += 1;
            return None;
        }
        self.lines -= 1;
        self.bytes -= bytes;
        Some(std::mem::take(&mut self.left_out))
    }
}

/// One stream's state between two pieces.
#[derive(Default)]
struct Stream {
    escapes: StripBytes,
    /// The start of a character whose rest has not come.
    unfinished: Vec<u8>,
    after_carriage_return: bool,
    /// The line that has not ended, clean.
    line: String,
    /// What of it has been shown, secrets hidden.
    shown: String,
    /// Whether a private key has begun and not ended.
    in_key: bool,
    /// The account details that are known, where none are to be shown.
    masked: Option<Arc<[String]>>,
}

impl LiveText {
    pub fn new(
        console: Arc<Console>,
        agent: &str,
        masked: Option<Arc<[String]>>,
        is_quiet: bool,
    ) -> Self {
        let name = format!("{} │", Clean::line(agent));
        let margin_width = name.width() + 1;
        let margin = format!("{} ", name.dimmed());
        let stream = || Mutex::new(Stream { masked: masked.clone(), ..Stream::default() });
        let (stderr, stdout) = (stream(), stream());
        let (pages, budget) = (Mutex::default(), Mutex::new(Budget::new()));
        Self {
            console,
            margin,
            margin_width,
            stderr,
            stdout,
            pages,
            budget,
            is_quiet,
            ear: Mutex::default(),
        }
    }

    /// Gives every line that is shown from now on, pages among them, to somebody else too.
    pub fn overhear(&self) -> mpsc::UnboundedReceiver<String> {
        let (sender, receiver) = mpsc::unbounded_channel();
        *lock(&self.ear) = Some(sender);
        receiver
    }

    /// Gives a line to who else listens.
    pub fn pass_on(&self, line: &str) {
        if let Some(ear) = &*lock(&self.ear) {
            // Nobody may listen any more.
            let _ = ear.send(line.to_owned());
        }
    }

    /// Shows what was held back.
    pub fn end(&self) {
        for stream in [&self.stderr, &self.stdout] {
            let mut stream = lock(stream);
            if let Some(rest) = stream.take_line() {
                self.show(&rest);
            }
        }
        let left_out = std::mem::take(&mut lock(&self.budget).left_out);
        self.report_left_out(left_out);
        self.console.close_line();
    }

    fn hear(&self, stream: &Mutex<Stream>, bytes: &[u8]) {
        if self.is_quiet {
            return;
        }
        let mut stream = lock(stream);
        let text = stream.clean(bytes);
        for piece in text.split_inclusive('\n') {
            stream.line.push_str(piece.trim_end_matches('\n'));
            if !piece.ends_with('\n') && stream.line.len() <= LONGEST_LINE {
                continue;
            }
            let Some(left_out) = lock(&self.budget).allows(stream.line.len()) else {
                stream.drop_line();
                continue;
            };
            self.report_left_out(left_out);
            self.pass_on(&stream.line);
            if let Some(rest) = stream.take_line() {
                self.show(&(rest + "\n"));
            }
        }
    }

    fn report_left_out(&self, count: usize) {
        if count > 0 {
            self.console.close_line();
            self.show(&format!("[{count} lines left out]\n"));
        }
    }

    fn rest(&self, stream: &Mutex<Stream>) {
        let mut stream = lock(stream);
        if !stream.line.contains("://") {
            // Half an address is none.
            self.pass_on(&stream.line);
        }
        let text = stream.take_safe();
        drop(stream);
        if !text.is_empty() {
            self.show(&text);
        }
    }

    /// Writes text, wrapped at words to the terminal, the margin in front of every row.
    fn show(&self, text: &str) {
        let room = columns().map(|columns| columns.saturating_sub(self.margin_width).max(10));
        let column = self.console.column().saturating_sub(self.margin_width);
        let is_open = self.console.line_is_open();
        let mut rows = Rows::new(&self.margin, room, column, is_open);
        for line in fold_blanks(text).split_inclusive('\n') {
            for word in line.trim_end_matches('\n').split_inclusive(' ') {
                rows.word(word);
            }
            if line.ends_with('\n') {
                rows.end();
            }
        }
        let open = if rows.is_open { rows.column + self.margin_width } else { 0 };
        self.console.text(&Clean::rendered(rows.shown), open);
    }
}

impl Listener for LiveText {
    fn stderr(&self, bytes: &[u8]) {
        self.hear(&self.stderr, bytes);
    }

    fn stray_stdout(&self, bytes: &[u8]) {
        self.hear(&self.stdout, bytes);
    }

    fn rested(&self) {
        self.rest(&self.stderr);
        self.rest(&self.stdout);
    }

    fn page(&self, address: &str) {
        let mut pages = lock(&self.pages);
        if pages.len() < 16 && !pages.iter().any(|known| known == address) {
            pages.push(address.to_owned());
            self.pass_on(address);
            let line = secrets().clean(address);
            self.show(&format!("{}\n", line.replace('\n', " ")));
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
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

    /// What is left to show of the line, which has ended; `None` when that is nothing.
    fn take_line(&mut self) -> Option<String> {
        let line = std::mem::take(&mut self.line);
        let shown = std::mem::take(&mut self.shown);
        if self.is_of_key(&line) {
            return None;
        }
        // A key may go on in the next line.
        let key = Some(secrets().begins_at(&line)).filter(|at| line.len() - at >= SHORTEST_HALF);
        let hidden = match key {
            Some(at) => self.hide(&line[..at]) + REDACTED,
            None => self.hide(&line),
        };
        // Where more is hidden than was when its start was shown, the line is shown once more.
        let rest =
            hidden.strip_prefix(&shown).map_or_else(|| format!("\n{hidden}"), ToOwned::to_owned);
        let is_empty = shown.is_empty() && rest.trim().is_empty();
        (!is_empty).then_some(rest)
    }

    fn hide(&self, text: &str) -> String {
        let hidden = secrets().hide(text);
        self.masked.as_ref().map_or_else(|| hidden.clone(), |known| mask_text(&hidden, known))
    }

    /// Leaves the rest of the line out.
    fn drop_line(&mut self) {
        let line = std::mem::take(&mut self.line);
        self.shown.clear();
        self.is_of_key(&line);
    }

    /// What can be shown of a line that has not ended: all but a last word that may be the start of
    /// a secret.
    fn take_safe(&mut self) -> String {
        if self.in_key || self.line.starts_with("-----BEGIN") {
            return String::new();
        }
        let word = self.line.rfind(char::is_whitespace).map_or(0, |at| at + 1);
        let word = (word..=self.line.len()).find(|&at| self.line.is_char_boundary(at)).unwrap_or(0);
        let continued = format!("{}{CONTINUATION}", self.line);
        let is_token = !self.hide(&continued).starts_with(&self.hide(&self.line));
        let known = secrets().begins_at(&self.line);
        let start = known.min(if is_token { word } else { self.line.len() });
        let safe = &self.line[..start];
        let hidden = self.hide(safe);
        let Some(new) = hidden.strip_prefix(&self.shown).map(ToOwned::to_owned) else {
            return String::new();
        };
        self.shown = hidden;
        new
    }

    /// Whether a line belongs to a private key, which is hidden as a whole.
    fn is_of_key(&mut self, line: &str) -> bool {
        let begins = line.contains("-----BEGIN ") && line.contains("PRIVATE KEY-----");
        let ends = line.contains("-----END ");
        let was_in_key = self.in_key;
        self.in_key = (was_in_key || begins) && !ends;
        was_in_key || begins
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

    #[test]
    fn the_start_of_a_token_is_held_back_and_a_prompt_is_not() {
        secrets().learn("planted-value-0123456789");
        for (line, shown) in [
            ("Enter the code: ", "Enter the code: "),
            ("Open https://a.test/?code=x and wait", "Open https://a.test/?code=x and wait"),
            ("key sk-", "key "),
            ("A {planted-va", "A {"),
            ("token=ab", ""),
            ("Authorization: Bearer abc", "Authorization: Bearer "),
            ("-----BEGIN RSA PRIVATE KEY-----", ""),
        ] {
            let mut stream = Stream { line: line.to_owned(), ..Stream::default() };
            assert_eq!(stream.take_safe(), shown, "{line}");
        }
        let mut stream = Stream { line: "key sk-".to_owned(), ..Stream::default() };
        let first = stream.take_safe();
        stream.line.push_str("abcdef1234567890 done");
        let rest = stream.take_line().unwrap();
        assert_eq!(first + &rest, "key [redacted] done");
    }
}
