//! Text that came from an agent, and the only way it reaches a terminal.

use serde::Serialize;
use unicode_width::UnicodeWidthChar;

/// The widest single line of agent text that is shown, in terminal columns.
const LINE_COLUMNS: usize = 400;

/// Zero-width marks that may follow one another before the rest are dropped.
const MARKS_IN_A_ROW: usize = 3;

/// Text that an agent sent and that has not been cleaned.
///
/// JSON output carries it as it came; people see it through [`Untrusted::line`] only.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct Untrusted(String);

impl Untrusted {
    /// The text as the agent sent it: for JSON and for sending it back, never for a terminal.
    #[must_use]
    pub fn raw(&self) -> &str {
        &self.0
    }

    /// One harmless line of at most 400 columns.
    #[must_use]
    pub fn line(&self) -> String {
        clean_line(&self.0)
    }
}

impl From<String> for Untrusted {
    fn from(text: String) -> Self {
        Self(text)
    }
}

impl From<&str> for Untrusted {
    fn from(text: &str) -> Self {
        Self(text.to_owned())
    }
}

/// Makes one harmless line of `text`: no escape sequences, control, bidirectional or zero-width
/// characters, white space folded, at most 400 columns.
#[must_use]
pub fn clean_line(text: &str) -> String {
    let mut line = String::new();
    let mut columns = 0;
    for word in clean_text(text).split_whitespace() {
        if columns > 0 {
            line.push(' ');
            columns += 1;
        }
        for character in word.chars() {
            columns += character.width().unwrap_or(0);
            if columns > LINE_COLUMNS {
                line.push('…');
                return line;
            }
            line.push(character);
        }
    }
    line
}

/// Removes what could act on a terminal from `text`; line breaks and tabs stay.
#[must_use]
pub fn clean_text(text: &str) -> String {
    // Windows line ends are one break; a lone carriage return would overwrite the line before it.
    let unix = text.replace("\r\n", "\n").replace('\r', "\n");
    let stripped = anstream::adapter::strip_str(&unix).to_string();
    drop_unseen(&stripped)
}

/// Drops the characters that are not text: controls, format characters, floods of combining marks.
#[must_use]
pub fn drop_unseen(text: &str) -> String {
    let mut marks = 0;
    text.chars()
        .filter_map(|character| {
            if matches!(character, '\u{2028}' | '\u{2029}') {
                return Some('\n');
            }
            if matches!(character, '\n' | '\t') {
                marks = 0;
                return Some(character);
            }
            if is_unseen(character) {
                return None;
            }
            marks = if character.width() == Some(0) { marks + 1 } else { 0 };
            (marks <= MARKS_IN_A_ROW).then_some(character)
        })
        .collect()
}

/// Whether a character can change what is seen around it without being seen itself.
#[must_use]
pub fn is_unseen(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            '\u{ad}'
                | '\u{61c}'
                | '\u{115f}' | '\u{1160}'
                | '\u{17b4}' | '\u{17b5}'
                | '\u{180b}'..='\u{180f}'
                | '\u{200b}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{3164}'
                | '\u{fe00}'..='\u{fe0f}'
                | '\u{feff}' | '\u{ffa0}'
                | '\u{fff0}'..='\u{fffb}'
                | '\u{e0000}'..='\u{e0fff}'
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_acts_on_a_terminal_is_left() {
        for (dirty, clean) in [
            ("\u{1b}]0;title\u{7}name", "name"),
            ("\u{1b}]8;;http://evil.test\u{1b}\\link\u{1b}]8;;\u{1b}\\", "link"),
            ("\u{1b}]52;c;aGk=\u{7}x", "x"),
            ("\u{1b}[2Jred \u{1b}[31mtext", "red text"),
            ("a\u{9b}31mb", "a31mb"),
            ("abc\u{202e}def\u{200b}", "abcdef"),
            ("name\n  ✓ Signed in", "name ✓ Signed in"),
            ("50%\r100%", "50% 100%"),
            ("e\u{301}\u{301}\u{301}\u{301}\u{301}", "e\u{301}\u{301}\u{301}"),
        ] {
            assert_eq!(clean_line(dirty), clean, "from {dirty:?}");
        }
    }

    #[test]
    fn a_long_line_is_cut_by_columns() {
        let line = clean_line(&"宽".repeat(1000));
        assert_eq!(line.chars().count(), LINE_COLUMNS / 2 + 1);
        assert!(line.ends_with('…'));
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_cleaned(text: String, bytes: Vec<u8>) {
            for text in [text, String::from_utf8_lossy(&bytes).into_owned()] {
                let line = clean_line(&text);
                assert!(!line.chars().any(is_unseen), "{line:?}");
                assert!(unicode_width::UnicodeWidthStr::width(line.as_str()) <= LINE_COLUMNS + 2);
                assert_eq!(clean_line(&line), line);
            }
        }
    }
}
