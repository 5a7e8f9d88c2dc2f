//! Command lines as a person would type them: the one place where words become text for a shell.

use std::borrow::Borrow;

use crate::model::{AuthMethod, Launch, MethodFlow, Recipe, Variables};
use crate::untrusted::{Untrusted, is_unseen};

/// A word as a POSIX shell takes it. Line breaks and other unseen characters are written out, so
/// that what is shown is all that runs.
#[must_use]
pub fn quote(word: &str) -> String {
    if word.chars().any(is_unseen) {
        return format!("$'{}'", escape(word));
    }
    shell_words::quote(word).into_owned()
}

/// The inside of a `$'…'`, which bash, zsh and ksh read.
fn escape(word: &str) -> String {
    let mut escaped = String::new();
    for character in word.chars() {
        let number = u32::from(character);
        match character {
            '\'' | '\\' => escaped.extend(['\\', character]),
            '\n' => escaped.push_str("\\n"),
            '\t' => escaped.push_str("\\t"),
            _ if !is_unseen(character) => escaped.push(character),
            // Always all digits, or a digit that follows would be read as one of them.
            _ if number < 0x80 => escaped.push_str(&format!("\\x{number:02x}")),
            _ if number < 0x1_0000 => escaped.push_str(&format!("\\u{number:04x}")),
            _ => escaped.push_str(&format!("\\U{number:08x}")),
        }
    }
    escaped
}

/// Words as one command line.
pub fn join<W: Borrow<String>>(words: impl IntoIterator<Item = W>) -> String {
    words.into_iter().map(|word| quote(word.borrow())).collect::<Vec<_>>().join(" ")
}

/// A program with its arguments.
#[must_use]
pub fn launched(launch: &Launch) -> String {
    join(launch.words())
}

/// A command that an agent proposes, its variables in front.
#[must_use]
pub fn proposed(recipe: &Recipe) -> String {
    let words = std::iter::once(&recipe.program).chain(&recipe.args);
    line(&recipe.env, words.map(Untrusted::raw))
}

/// The same for people to look at: long runs of blanks, which push the rest off the screen, are
/// replaced by their number.
#[must_use]
pub fn proposed_for_people(recipe: &Recipe) -> String {
    let mut shown = String::new();
    let command = proposed(recipe);
    let mut rest = command.as_str();
    while let Some(start) = rest.find(is_blank) {
        let run = rest[start..].find(|c| !is_blank(c)).unwrap_or(rest.len() - start);
        let blanks = &rest[start..start + run];
        let count = blanks.chars().count();
        shown.push_str(&rest[..start]);
        if count > BLANKS {
            shown.push_str(&format!("[{count} blanks]"));
        } else {
            shown.push_str(blanks);
        }
        rest = &rest[start + run..];
    }
    shown + rest
}

/// The longest run of blanks that is shown as it is.
const BLANKS: usize = 3;

/// Whether a character is seen as nothing but room.
fn is_blank(character: char) -> bool {
    character.is_whitespace() || matches!(character, '\u{2800}' | '\u{3164}')
}

/// The command that a method runs on the terminal.
#[must_use]
pub fn of_method(method: &AuthMethod, launch: &Launch) -> Option<String> {
    match &method.flow {
        MethodFlow::Terminal { args, env } => {
            let own = launch.words().map(String::as_str);
            Some(line(env, own.chain(args.iter().map(Untrusted::raw))))
        }
        MethodFlow::Recipe(recipe) => Some(proposed(recipe)),
        _ => None,
    }
}

fn line<'w>(env: &Variables, words: impl Iterator<Item = &'w str>) -> String {
    let variables =
        env.iter().map(|(name, value)| format!("{}={}", name.raw(), quote(value.raw())));
    variables.chain(words.map(quote)).collect::<Vec<_>>().join(" ")
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_shell_reads_what_was_quoted() {
        for word in ["a b", "it's", "a\nb", "é\u{301}", "x\u{200b}1", "\u{e0041}f", "a\\b\u{7}", ""]
        {
            let output = std::process::Command::new("bash")
                .args(["-c", &format!("LC_ALL=C.UTF-8; printf %s {}", quote(word))])
                .output()
                .unwrap();
            assert_eq!(String::from_utf8(output.stdout).unwrap(), word, "{}", quote(word));
        }
    }
}
