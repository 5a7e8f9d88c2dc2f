//! Which command was meant where the command line names none.

use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, ErrorKind};

use crate::agents::{Definitions, Places, is_agent, nearest};
use crate::shell;

/// What other programs call the commands.
const SYNONYMS: &[(&str, &str)] = &[
    ("auth", "status"),
    ("check", "status"),
    ("whoami", "status"),
    ("list", "agents"),
    ("ls", "agents"),
    ("logon", "login"),
    ("sign-in", "login"),
    ("signin", "login"),
    ("logoff", "logout"),
    ("sign-out", "logout"),
    ("signout", "logout"),
];

/// The commands that take an agent.
const VERBS: &[&str] = &["status", "login", "logout"];

/// The commands that are suggested.
const COMMANDS: &[&str] = &["status", "login", "logout", "agents", "completions", "schema", "man"];

/// Takes clap's own suggestions out of an error, for those know neither agents nor what is hidden,
/// and gives the command that was perhaps meant.
pub fn meant(error: &mut clap::Error) -> Option<String> {
    // What follows an unknown option is never meant as a value.
    if let Some(ContextValue::StyledStrs(tips)) = error.remove(ContextKind::Suggested) {
        let is_sound = |tip: &StyledStr| !tip.to_string().contains("as a value, use");
        let tips: Vec<StyledStr> = tips.into_iter().filter(is_sound).collect();
        if !tips.is_empty() {
            error.insert(ContextKind::Suggested, ContextValue::StyledStrs(tips));
        }
    }
    if error.kind() != ErrorKind::InvalidSubcommand {
        return None;
    }
    error.remove(ContextKind::SuggestedSubcommand);
    error.remove(ContextKind::Suggested);
    let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidSubcommand) else {
        return None;
    };
    let words: Vec<String> =
        std::env::args_os().skip(1).filter_map(|word| word.into_string().ok()).collect();
    command_for(word, &words).map(|command| format!("did you mean: {command}"))
}

fn command_for(word: &str, words: &[String]) -> Option<String> {
    if let Some((_, verb)) = SYNONYMS.iter().find(|(other, _)| *other == word) {
        let named = words.iter().skip_while(|one| *one != word).nth(1);
        let verb =
            named.filter(|next| VERBS.contains(&next.as_str())).map_or(*verb, String::as_str);
        return Some(format!("acp-auth {verb}"));
    }
    let verb = words.iter().find(|one| VERBS.contains(&one.as_str()));
    let verb = verb.map_or("status", String::as_str);
    let is_program = word.contains(std::path::is_separator) || std::path::Path::new(word).is_file();
    if is_program {
        return Some(format!("acp-auth {verb} -- {}", shell::quote(word)));
    }
    let known = Definitions::read(Places::default()).ok();
    if known.is_some_and(|known| is_agent(word, &known)) {
        return Some(format!("acp-auth {verb} {}", shell::quote(word)));
    }
    nearest(word, COMMANDS.iter().copied()).map(|command| format!("acp-auth {command}"))
}
