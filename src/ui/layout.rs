//! Text laid out for where it is shown: wrapped at words to a terminal's width, and with marks that
//! the locale has.

use console::{measure_text_width, strip_ansi_codes, truncate_str};
use textwrap::{Options, WordSeparator, WordSplitter, wrap};

use super::terminal::{Stream, width};
use crate::environment::environment;
use crate::untrusted::{Clean, UNBROKEN};

/// Fewer columns than these are not laid out for.
const NARROWEST: usize = 20;

/// What stands for a mark where the locale is not UTF-8.
const IN_ASCII: [(char, &str); 7] =
    [('✓', "+"), ('✗', "x"), ('·', "-"), ('…', "..."), ('—', "-"), ('’', "'"), ('›', ">")];

/// Wraps every line at words, the rows after the first under the line's own text. Commands and
/// addresses stay whole, to be copied. Elsewhere than at a terminal lines are left as they are.
pub fn paragraphs(text: &Clean, stream: &impl Stream) -> String {
    let columns = width(stream);
    let laid_out = match columns {
        Some(columns) if columns >= NARROWEST => {
            let wrapped: Vec<String> =
                text.split('\n').map(|line| wrapped(line, columns)).collect();
            wrapped.join("\n")
        }
        _ => text.to_string(),
    };
    in_locale(laid_out.replace(UNBROKEN, " "))
}

/// Cuts every line to the terminal's width; elsewhere than at a terminal they are left as they are.
pub fn rows(text: &Clean, stream: &impl Stream) -> String {
    let columns = width(stream);
    let laid_out = match columns {
        Some(columns) if columns >= NARROWEST => {
            let cut: Vec<_> =
                text.split('\n').map(|line| truncate_str(line, columns, "…")).collect();
            cut.join("\n")
        }
        _ => text.to_string(),
    };
    in_locale(laid_out.replace(UNBROKEN, " "))
}

fn wrapped(line: &str, columns: usize) -> String {
    if measure_text_width(line) <= columns {
        return line.to_owned();
    }
    let indent = " ".repeat(hanging(&strip_ansi_codes(line)));
    let options = Options::new(columns)
        .word_separator(WordSeparator::AsciiSpace)
        .word_splitter(WordSplitter::NoHyphenation)
        .break_words(false)
        .subsequent_indent(&indent);
    wrap(line, options).join("\n")
}

/// Where the text of a line begins, behind its indent and its mark.
fn hanging(line: &str) -> usize {
    let indent = line.len() - line.trim_start_matches(' ').len();
    let first = line[indent..].split(' ').next().unwrap_or_default();
    let is_mark = first.chars().count() == 1 || first == "hint:" || first == "error:";
    match (is_mark, indent) {
        (true, _) => indent + measure_text_width(first) + 1,
        // What belongs to a title stands under it.
        (false, 0) => 2,
        (false, _) => indent,
    }
}

/// Marks that a locale without UTF-8 cannot show become ASCII.
pub fn in_locale(text: String) -> String {
    if is_utf8() {
        return text;
    }
    IN_ASCII.iter().fold(text, |text, (mark, ascii)| text.replace(*mark, ascii))
}

/// Whether the locale is UTF-8. Where none is named it is taken for that, for terminals are, and
/// containers name none.
pub fn is_utf8() -> bool {
    let names = ["LC_ALL", "LC_CTYPE", "LANG"];
    let locale = names.iter().find_map(|name| environment().text(name).filter(|v| !v.is_empty()));
    locale.is_none_or(|locale| {
        let locale = locale.to_ascii_lowercase();
        locale.contains("utf-8") || locale.contains("utf8")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_hang_under_the_text_of_their_line() {
        assert_eq!(wrapped("  - one two three four", 12), "  - one two\n    three\n    four");
        assert_eq!(wrapped("      below the line", 14), "      below\n      the line");
        assert_eq!(wrapped("name  facts of it", 12), "name  facts\n  of it");
        let command = format!("  - Run: acp-auth{UNBROKEN}login{UNBROKEN}demo");
        assert_eq!(wrapped(&command, 12).lines().count(), 2, "a command is whole");
        assert_eq!(wrapped("hint: some words here", 14), "hint: some\n      words\n      here");
    }
}
