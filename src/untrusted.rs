//! Text that came from elsewhere, and the only way it reaches a terminal: cleaned.

use std::borrow::Borrow;
use std::fmt;
use std::ops::Deref;

use unicode_width::UnicodeWidthChar;

/// The widest single line of foreign text that is shown, in terminal columns.
const LINE_COLUMNS: usize = 400;

/// The longest text whose unseen characters are written out, in characters.
const LABEL: usize = 120;

/// Zero-width marks that may follow one another before the rest are dropped.
const MARKS_IN_A_ROW: usize = 3;

/// Text that an agent, a server or a foreign file gave, and that has not been cleaned.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Untrusted(String);

impl Untrusted {
    /// The text as it came: for sending it back and for comparing, never for a terminal.
    #[must_use]
    pub fn raw(&self) -> &str {
        &self.0
    }

    /// One harmless line of at most 400 columns.
    #[must_use]
    pub fn line(&self) -> Clean {
        Clean(clean_line(&self.0))
    }

    /// A short text such as a name or an identifier in one line, with the characters that cannot be
    /// seen written out.
    #[must_use]
    pub fn label(&self) -> Clean {
        if self.0.chars().count() > LABEL {
            return self.line();
        }
        Clean(clean_line(&written_out(&self.0)))
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

/// Text that may be written to a terminal: our own words, or foreign ones that were cleaned.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Clean(String);

impl Clean {
    /// One harmless line of `text`, whatever it is.
    #[must_use]
    pub fn line(text: &str) -> Self {
        Self(clean_line(text))
    }

    /// Harmless lines of `text`, whatever it is.
    #[must_use]
    pub fn lines(text: &str) -> Self {
        Self(clean_text(text))
    }

    /// Text with colours that was put together from clean parts. Only for what renders.
    #[must_use]
    pub const fn rendered(text: String) -> Self {
        Self(text)
    }

    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// One clean line, formatted as by `format!`.
macro_rules! clean {
    ($($format:tt)*) => { $crate::untrusted::Clean::line(&format!($($format)*)) };
}

pub(crate) use clean;

impl From<&'static str> for Clean {
    fn from(text: &'static str) -> Self {
        Self(text.to_owned())
    }
}

impl From<Clean> for String {
    fn from(text: Clean) -> Self {
        text.0
    }
}

impl Deref for Clean {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl Borrow<str> for Clean {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Clean {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

/// Writes out the characters that cannot be seen, as `\u{1b}`.
fn written_out(text: &str) -> String {
    let mut written = String::with_capacity(text.len());
    for character in text.chars() {
        if is_unseen(character) && !matches!(character, '\n' | '\t' | '\r') {
            written.extend(character.escape_unicode());
        } else {
            written.push(character);
        }
    }
    written
}

/// Makes one harmless line of `text`: no escape sequences, control, bidirectional or zero-width
/// characters, white space folded, at most 400 columns.
#[must_use]
pub fn clean_line(text: &str) -> String {
    cut(&folded(text))
}

/// A blank inside a command or an address, at which no row ends. It comes from nowhere else, for
/// cleaning folds it.
pub const UNBROKEN: char = '\u{a0}';

/// The same, whatever its length.
#[must_use]
pub fn folded(text: &str) -> String {
    clean_text(text).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A line of at most 400 columns.
#[must_use]
pub fn cut(line: &str) -> String {
    let mut columns = 0;
    for (at, character) in line.char_indices() {
        columns += character.width().unwrap_or(0);
        if columns > LINE_COLUMNS {
            return format!("{}…", &line[..at]);
        }
    }
    line.to_owned()
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

/// Whether a character can change what is seen around it without being seen itself: controls, and
/// Unicode's format characters (Cf) and `Default_Ignorable_Code_Point`.
#[must_use]
pub fn is_unseen(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            '\u{ad}'
                | '\u{34f}'
                | '\u{600}'..='\u{605}'
                | '\u{61c}'
                | '\u{6dd}' | '\u{70f}'
                | '\u{890}' | '\u{891}' | '\u{8e2}'
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
                | '\u{110bd}' | '\u{110cd}'
                | '\u{13430}'..='\u{1343f}'
                | '\u{1bca0}'..='\u{1bca3}'
                | '\u{1d173}'..='\u{1d17a}'
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
        let label = Untrusted::from("we\u{9b}31m\u{200b}b").label();
        assert_eq!(label.as_str(), r"we\u{9b}31m\u{200b}b");
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
