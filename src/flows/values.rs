//! Values that a sign-in method needs: from stdin, the environment, or hidden prompts.

use std::io::Read;

use super::LoginOptions;
use super::agent::AgentVisit;
use crate::environment::environment;
use crate::model::{AuthMethod, Failure, Phase, Secret, WantedValue};
use crate::redact::secrets;
use crate::rpc::Runner;
use crate::ui::Ui;
use crate::untrusted::Clean;
use crate::untrusted::clean;

/// The most that is taken from stdin, in bytes.
const LONGEST_INPUT: u64 = 64 << 10;

/// A value, and what it is called.
#[derive(Debug, Clone)]
pub struct Given {
    /// The variable's name; a value without one is for the request or the command line.
    pub name: Option<String>,
    pub value: Secret,
    /// Whether the agent's environment contains it already.
    pub inherited: bool,
}

/// Gets the values: from stdin with `--with-token`, else those that the agent's environment contains,
/// else from the person.
///
/// # Errors
/// `usage` with what to pass when a value is missing, `interrupted`.
pub async fn collect(
    visit: &AgentVisit,
    method: &AuthMethod,
    wanted: &[WantedValue],
    options: &LoginOptions,
    ui: &Ui,
) -> Result<Vec<Given>, Failure> {
    let agent = &visit.runner.agent;
    if options.with_token {
        let input = if ui.facts.stdin_is_terminal {
            ui.ask_secret(agent, &question(method, wanted.first())).await?
        } else {
            read_stdin(&visit.runner).await?
        };
        return sort_input(input.reveal(), wanted);
    }
    let mut given = Vec::new();
    let is_asked = |value: &WantedValue| inherited(visit, value).is_none();
    if ui.facts.can_prompt() && wanted.iter().any(is_asked) {
        about(method).iter().for_each(|text| ui.note(text));
    }
    for value in wanted {
        if let Some(found) = inherited(visit, value) {
            given.push(found);
        } else if ui.facts.can_prompt() {
            loop {
                match ask(agent, method, value, ui).await? {
                    Some(answer) => break given.push(answer),
                    None if value.optional => break,
                    None => ui.note(&Clean::from("a value is needed; Ctrl-C leaves")),
                }
            }
        } else if !value.optional {
            return Err(missing(agent, method, value));
        }
    }
    sound(given, "in the environment")
}

fn inherited(visit: &AgentVisit, wanted: &WantedValue) -> Option<Given> {
    wanted.variables.iter().find_map(|name| {
        let own = visit.runner.launch.variable(name).map(Secret::reveal);
        let value = own.or_else(|| environment().text(name)).filter(|value| !value.is_empty())?;
        // Files and secret managers leave a line feed, which would break a header.
        let trimmed = value.trim();
        let inherited = trimmed == value;
        let value = secrets().take(trimmed.to_owned());
        Some(Given { name: Some(name.clone()), value, inherited })
    })
}

async fn ask(
    agent: &str,
    method: &AuthMethod,
    wanted: &WantedValue,
    ui: &Ui,
) -> Result<Option<Given>, Failure> {
    let question = question(method, Some(wanted));
    let value = if wanted.secret {
        ui.ask_secret(agent, &question).await?
    } else {
        secrets().take(ui.ask_text(agent, &question, None, Box::new(|_| Ok(()))).await?)
    };
    let value = secrets().take(value.reveal().trim().to_owned());
    Ok((!value.reveal().is_empty()).then(|| Given {
        name: wanted.variables.first().cloned(),
        value,
        inherited: false,
    }))
}

/// What the agent says of a method, and where it says that a key can be had.
fn about(method: &AuthMethod) -> Vec<Clean> {
    let description = method.description.as_ref();
    let link = method.link();
    let said = description.map(|text| clean!("the agent says of this method: {}", text.line()));
    let page = link.map(|link| clean!("where to get one, says the agent: {}", link.as_str()));
    said.into_iter().chain(page).collect()
}

/// What is asked for, as a question.
fn question(method: &AuthMethod, wanted: Option<&WantedValue>) -> Clean {
    let label = wanted.and_then(|wanted| wanted.label.as_ref()).unwrap_or(&method.name).label();
    let variable = wanted.and_then(|wanted| wanted.variables.first());
    let optional = if wanted.is_some_and(|wanted| wanted.optional) { ", may be empty" } else { "" };
    match variable {
        Some(variable) => clean!("{label} ({variable}{optional})"),
        None => clean!("{label}{optional}"),
    }
}

/// Reads stdin to its end; signals and the limit of the login are seen meanwhile.
async fn read_stdin(runner: &Runner) -> Result<Secret, Failure> {
    let reading = tokio::task::spawn_blocking(|| {
        let mut text = String::new();
        let read = std::io::stdin().lock().take(LONGEST_INPUT + 1).read_to_string(&mut text);
        read.map(|_| secrets().take(text))
    });
    let expired = async {
        match runner.limits.login {
            Some(limit) => tokio::time::sleep(limit).await,
            None => std::future::pending().await,
        }
    };
    let read = tokio::select! {
        read = reading => read,
        () = expired => {
            let limit = runner.limits.login.unwrap_or_default();
            return Err(Failure::timeout(Phase::Choice, limit, "stdin did not end"));
        }
        signal = runner.interrupt.raised() => {
            return Err(Failure::interrupted_when(signal, Phase::Choice, "while stdin was being read"));
        }
    };
    let unreadable = || Failure::choice("stdin cannot be read");
    match read {
        Ok(Ok(secret)) if secret.reveal().len() as u64 > LONGEST_INPUT => {
            Err(Failure::choice("more than 64 KiB came on stdin, which is not a credential"))
        }
        Ok(Ok(secret)) if !secret.reveal().trim().is_empty() => Ok(secret),
        Ok(Ok(_)) => Err(Failure::choice("--with-token was given and nothing came on stdin")),
        Ok(Err(error)) => Err(unreadable().because(error)),
        Err(error) => Err(unreadable().because(error)),
    }
}

/// One value, or a `NAME=VALUE` line for each.
fn sort_input(input: &str, wanted: &[WantedValue]) -> Result<Vec<Given>, Failure> {
    let given = |name: Option<&String>, value: &str| Given {
        name: name.cloned(),
        value: secrets().take(value.trim().to_owned()),
        inherited: false,
    };
    let named = |line: &str| -> Option<(String, String)> {
        let (name, value) = line.split_once('=')?;
        let name = without_export(name).trim();
        let known = wanted.iter().flat_map(|value| &value.variables).any(|known| known == name);
        known.then(|| (name.to_owned(), unquoted(value).to_owned()))
    };
    let input = input.trim_start_matches('\u{feff}');
    let lines: Vec<&str> = input.lines().filter(|line| !line.trim().is_empty()).collect();
    if let ([line], [only]) = (lines.as_slice(), wanted)
        && named(line).is_none()
    {
        if let Some(name) = assigned_name(line) {
            return Err(Failure::choice(format!(
                "stdin sets {name}, and the method wants {}",
                names(wanted),
            )));
        }
        return sound(vec![given(only.variables.first(), line)], "on stdin");
    }
    let mut found = Vec::new();
    for (number, line) in lines.iter().enumerate() {
        let Some((name, value)) = named(line) else {
            // The line may be a secret, so its place is all that is said of it.
            return Err(Failure::choice(format!(
                "line {} on stdin does not set one of the variables wanted: {}",
                number + 1,
                names(wanted),
            )));
        };
        found.push(given(Some(&name), &value));
    }
    let lacks = |value: &&WantedValue| {
        let is_given = |name: &String| found.iter().any(|given| given.name.as_ref() == Some(name));
        !value.optional && !value.variables.iter().any(is_given)
    };
    match wanted.iter().find(lacks) {
        Some(value) => Err(Failure::choice(format!(
            "stdin does not set {}; write a NAME=VALUE line for each",
            value.variables.join(" or "),
        ))),
        None => sound(found, "on stdin"),
    }
}

/// The name in a line such as `export NAME=VALUE`, which is not a key by itself.
fn assigned_name(line: &str) -> Option<&str> {
    let (name, value) = without_export(line).split_once('=')?;
    let is_name = name.starts_with(|c: char| c.is_ascii_uppercase())
        && name.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_');
    // A key may end in the padding of base64.
    (is_name && !value.trim_matches('=').is_empty()).then_some(name)
}

fn without_export(line: &str) -> &str {
    let line = line.trim();
    line.strip_prefix("export ").unwrap_or(line)
}

/// Refuses values that cannot be credentials: empty ones, and those with control characters.
fn sound(given: Vec<Given>, place: &str) -> Result<Vec<Given>, Failure> {
    for one in &given {
        let name = one.name.as_deref().unwrap_or("the key");
        if one.value.reveal().is_empty() {
            return Err(Failure::choice(format!("{name} is empty {place}")));
        }
        if one.value.reveal().chars().any(char::is_control) {
            return Err(Failure::choice(format!("{name} has control characters {place}")));
        }
    }
    Ok(given)
}

/// A value without the quotes around it, as in files of variables.
fn unquoted(value: &str) -> &str {
    let value = value.trim();
    let inner = |quote: char| value.strip_prefix(quote)?.strip_suffix(quote);
    inner('"').or_else(|| inner('\'')).unwrap_or(value)
}

fn names(wanted: &[WantedValue]) -> String {
    let names: Vec<&str> =
        wanted.iter().filter_map(|value| value.variables.first()).map(String::as_str).collect();
    names.join(", ")
}

fn missing(agent: &str, method: &AuthMethod, value: &WantedValue) -> Failure {
    let id = method.id.raw();
    let failure = match value.variables.as_slice() {
        [] => Failure::choice(format!("signing in to {agent} by {id} needs a key")),
        variables => Failure::choice(format!(
            "signing in to {agent} by {id} needs {}",
            variables.join(" or ")
        )),
    };
    let failure = match value.variables.first() {
        Some(name) => failure
            .hint(format!("set the variable {name}, or pipe the value in and add `--with-token`")),
        None => failure.hint("pipe the key in and add `--with-token`"),
    };
    about(method).into_iter().fold(failure, |failure, text| failure.hint(String::from(text)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wanted(names: &[(&str, bool)]) -> Vec<WantedValue> {
        let value = |&(name, optional): &(&str, bool)| WantedValue {
            variables: vec![name.to_owned()],
            label: None,
            secret: true,
            optional,
        };
        names.iter().map(value).collect()
    }

    fn sorted(input: &str, names: &[(&str, bool)]) -> Result<Vec<(String, String)>, String> {
        let found = sort_input(input, &wanted(names));
        let found = found.map_err(|failure| failure.message.raw().to_owned())?;
        let pair = |given: Given| (given.name.unwrap(), given.value.reveal().to_owned());
        Ok(found.into_iter().map(pair).collect())
    }

    fn pairs(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
        pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn one_value_or_a_line_for_each() {
        let one = &[("KEY", false)];
        assert_eq!(sorted("made-up==\n", one), Ok(pairs(&[("KEY", "made-up==")])));
        assert_eq!(sorted("KEY=made-up\r\n", one), Ok(pairs(&[("KEY", "made-up")])));
        assert_eq!(sorted("\u{feff}export KEY=\"made-up\"", one), Ok(pairs(&[("KEY", "made-up")])));
        assert_eq!(sorted("ABCDEF==", one), Ok(pairs(&[("KEY", "ABCDEF==")])));
        for (input, part) in [
            ("KEY=", "KEY is empty"),
            ("OTHER=made-up", "stdin sets OTHER"),
            ("made\u{1}up", "control characters"),
        ] {
            assert!(sorted(input, one).unwrap_err().contains(part), "{input}");
        }
        let two = &[("KEY", false), ("ORG", true)];
        assert_eq!(sorted("ORG=o\n\nKEY=k", two), Ok(pairs(&[("ORG", "o"), ("KEY", "k")])));
        assert_eq!(sorted("KEY=k", two), Ok(pairs(&[("KEY", "k")])));
        assert!(sorted("ORG=o", two).unwrap_err().contains("does not set KEY"));
        let refused = sorted("KEY=k\nmade-up-secret", two).unwrap_err();
        assert!(refused.contains("line 2") && !refused.contains("made-up-secret"), "{refused}");
    }
}
