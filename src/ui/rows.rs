//! Rows with a margin, wrapped at words.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// The longest run of blanks that is shown as it is: in codes to be scanned they mean something.
const BLANKS: usize = 24;

/// Rows under construction.
pub struct Rows<'m> {
    margin: &'m str,
    /// The columns beside the margin; `None` where nobody counts them.
    room: Option<usize>,
    pub column: usize,
    pub is_open: bool,
    pub shown: String,
}

impl<'m> Rows<'m> {
    pub const fn new(margin: &'m str, room: Option<usize>, column: usize, is_open: bool) -> Self {
        Self { margin, room, column, is_open, shown: String::new() }
    }

    /// Adds a word and the blank behind it.
    pub fn word(&mut self, word: &str) {
        let Some(room) = self.room else { return self.push(word) };
        let width = word.trim_end().width();
        if self.column > 0 && self.column + width > room {
            self.end();
        }
        // An address is left whole, to be opened and copied. It has no blanks and nothing but ASCII,
        // and so cannot look like a row of ours.
        let is_page = word.starts_with("https://") || word.starts_with("http://");
        if width <= room || is_page && word.trim_end().chars().all(|c| c.is_ascii_graphic()) {
            return self.push(word);
        }
        for character in word.chars() {
            if self.column + character.width().unwrap_or(0) > room {
                self.end();
            }
            self.push(character.encode_utf8(&mut [0; 4]));
        }
    }

    fn push(&mut self, text: &str) {
        if !self.is_open {
            self.shown.push_str(self.margin);
            self.is_open = true;
        }
        self.shown.push_str(text);
        self.column += text.width();
    }

    /// Ends the row.
    pub fn end(&mut self) {
        if self.is_open {
            self.shown.push('\n');
        }
        self.is_open = false;
        self.column = 0;
    }
}

/// Text cut to a number of columns.
pub fn cut(text: &str, columns: usize) -> String {
    if text.width() <= columns {
        return text.trim_end().to_owned();
    }
    let mut cut = String::new();
    for character in text.chars() {
        if cut.width() + character.width().unwrap_or(0) >= columns {
            break;
        }
        cut.push(character);
    }
    cut + "…"
}

/// Long runs of blanks, by which text is pushed out of sight, as their number.
pub fn fold_blanks(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find([' ', '\t', '\u{2800}', '\u{3000}', '\u{a0}']) {
        let run = rest[start..]
            .char_indices()
            .find(|(_, c)| !c.is_whitespace() && *c != '\u{2800}' || *c == '\n')
            .map_or(rest.len() - start, |(at, _)| at);
        let count = rest[start..start + run].chars().count();
        folded.push_str(&rest[..start]);
        if count > BLANKS && start + run < rest.trim_end_matches('\n').len() {
            folded.push_str(&format!(" [{count} blanks] "));
        } else if start + run < rest.len() && !rest[start + run..].starts_with('\n') {
            folded.push_str(&rest[start..start + run].replace('\t', "    "));
        } else if count <= BLANKS {
            folded.push_str(&" ".repeat(count.min(1)));
        }
        rest = &rest[start + run..];
    }
    folded + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blanks_are_counted_when_they_are_many() {
        assert_eq!(fold_blanks("a  b\n"), "a  b\n");
        assert_eq!(fold_blanks(&format!("a{}b", " ".repeat(100))), "a [100 blanks] b");
    }
}
