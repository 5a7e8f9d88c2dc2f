//! jq expressions over the JSON that is printed, by the crates of jaq.

use std::sync::mpsc;
use std::time::Duration;

use jaq_core::data::JustLut;
use jaq_core::load::{Arena, File, Loader};
use jaq_core::{Compiler, Ctx, Filter, Vars, compile, unwrap_valr};
use jaq_json::{Val, read};

use crate::model::{Failure, in_words};

type Compiled = Filter<JustLut<Val>>;

/// What ends a process on the spot, which would leave agents behind.
const ENDING: &[&str] = &["halt", "halt_error"];

/// Checks an expression.
///
/// # Errors
/// A usage failure that says where it does not fit.
pub fn check(expression: &str) -> Result<(), Failure> {
    compiled(expression).map(drop)
}

/// The longest that an expression may take: one that never ends would hold up signals too.
const LONGEST: Duration = Duration::from_secs(3);

/// The most that an expression may print, in bytes.
const MOST: usize = 64 << 20;

/// What an expression makes of a JSON document: a line each, strings without their quotes.
///
/// # Errors
/// A usage failure with what the expression came to.
pub fn apply(expression: &str, document: &str) -> Result<String, Failure> {
    let (sender, answer) = mpsc::channel();
    let (owned, document) = (expression.to_owned(), document.to_owned());
    // Nobody waits for a thread that goes on for ever; it ends with the process.
    std::thread::spawn(move || sender.send(evaluate(&owned, &document)));
    answer.recv_timeout(LONGEST).unwrap_or_else(|_| {
        let limit = in_words(LONGEST);
        Err(Failure::usage(format!("--jq came to no end within {limit}")))
    })
}

fn evaluate(expression: &str, document: &str) -> Result<String, Failure> {
    let filter = compiled(expression)?;
    let failed = |reason: String| {
        Failure::usage(format!("--jq came to an error: {reason}"))
            .hint("acp-auth schema prints the schema of what it works on")
    };
    let document = read::parse_single(document.as_bytes())
        .map_err(|error| failed(format!("the document cannot be read: {error}")))?;
    let context = Ctx::<JustLut<Val>>::new(&filter.lut, Vars::new([]));
    let mut text = String::new();
    for value in filter.id.run((context, document)).map(unwrap_valr) {
        match value.map_err(|error| failed(error.to_string()))? {
            Val::TStr(string) => text.push_str(&String::from_utf8_lossy(&string)),
            value => text.push_str(&value.to_string()),
        }
        text.push('\n');
        if text.len() > MOST {
            return Err(failed("it prints more than 64 MiB".to_owned()));
        }
    }
    Ok(text)
}

fn compiled(expression: &str) -> Result<Compiled, Failure> {
    let unfit = |reason: String| {
        Failure::usage(format!("--jq does not fit: {reason}"))
            .hint("it is an expression of jq, as in --jq '.agents[0].state'")
    };
    let definitions = jaq_core::defs().chain(jaq_std::defs()).chain(jaq_json::defs());
    let definitions = definitions.filter(|definition| !ENDING.contains(&definition.name));
    let functions = jaq_core::funs().chain(jaq_std::funs()).chain(jaq_json::funs());
    let functions = functions.filter(|(name, ..)| !ENDING.contains(name));
    let arena = Arena::default();
    let program = File { code: expression, path: () };
    let modules =
        Loader::new(definitions).load(&arena, program).map_err(|errors| unfit(unread(&errors)))?;
    Compiler::default()
        .with_funs(functions)
        .compile(modules)
        .map_err(|errors| unfit(undefined(&errors)))
}

fn unread(errors: &jaq_core::load::Errors<&str, ()>) -> String {
    use jaq_core::load::Error;
    let rest = |rest: &str| {
        if rest.is_empty() { "at its end".to_owned() } else { format!("at `{rest}`") }
    };
    let first = errors.first().map(|(_, error)| match error {
        Error::Lex(errors) => errors
            .first()
            .map(|(expected, at)| format!("{} was expected {}", expected.as_str(), rest(at))),
        Error::Parse(errors) => errors
            .first()
            .map(|(expected, at)| format!("{} was expected {}", expected.as_str(), rest(at))),
        Error::Io(errors) => errors.first().map(|(path, error)| format!("{path}: {error}")),
    });
    first.flatten().unwrap_or_else(|| "it cannot be read".to_owned())
}

fn undefined(errors: &jaq_core::load::Errors<&str, (), Vec<compile::Error<&str>>>) -> String {
    let first = errors.first().and_then(|(_, errors)| errors.first());
    first.map_or_else(
        || "something in it is not defined".to_owned(),
        |(name, kind)| format!("the {} `{name}` is not defined", kind.as_str()),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_raw_and_the_rest_is_compact() {
        let document = r#"{"agents": [{"state": "unknown", "accounts": [{"a": 1}]}]}"#;
        let run = |expression| apply(expression, document).map_err(|f| f.message.raw().to_owned());
        assert_eq!(run(".agents[].state"), Ok("unknown\n".to_owned()));
        assert_eq!(run(".agents[0].accounts"), Ok("[{\"a\":1}]\n".to_owned()));
        assert_eq!(run(".agents[] | select(.state == \"x\")"), Ok(String::new()));
        for (expression, part) in [
            (".agents[", "was expected at its end"),
            ("nope", "the filter `nope` is not defined"),
            ("halt", "the filter `halt` is not defined"),
            (".agents.state", "came to an error"),
            ("last(repeat(1))", "came to no end"),
            ("repeat(\"a\" * 1000000)", "came to an error"),
        ] {
            let refused = run(expression).unwrap_err();
            assert!(refused.contains(part), "{expression}: {refused}");
        }
    }
}
