//! The environment variables of acp-auth, in one table: the help, the man page and the README take
//! them from here.

use clap::CommandFactory;

use super::Cli;
use super::examples::in_help;

/// A variable that acp-auth reads.
pub struct Variable {
    pub name: &'static str,
    /// The option it sets.
    pub option: Option<&'static str>,
    pub description: &'static str,
}

const fn of_option(
    name: &'static str,
    option: &'static str,
    description: &'static str,
) -> Variable {
    Variable { name, option: Some(option), description }
}

const fn alone(name: &'static str, description: &'static str) -> Variable {
    Variable { name, option: None, description }
}

/// Every variable that acp-auth reads for itself.
pub const VARIABLES: &[Variable] = &[
    alone("ACP_AUTH_AGENT", "the agent to ask when none is named"),
    of_option("ACP_AUTH_CONFIG", "config", "the configuration file"),
    of_option("ACP_AUTH_TIMEOUT", "timeout", "the longest wait for one answer"),
    of_option("ACP_AUTH_START_TIMEOUT", "start-timeout", "the longest start that shows progress"),
    of_option("ACP_AUTH_LOGIN_TIMEOUT", "login-timeout", "the longest login"),
    of_option("ACP_AUTH_PUSH_TIMEOUT", "push-timeout", "the longest wait for a pushed state"),
    of_option("ACP_AUTH_PROTOCOL", "protocol", "the ACP version to ask for: auto, 1 or 2"),
    of_option(
        "ACP_AUTH_PROBE",
        "probe",
        "how far a silent agent is tried: none, command or session",
    ),
    of_option("ACP_AUTH_TRACE", "trace", "the file that every message is written to"),
    alone("ACP_AUTH_PROMPT_DISABLED", "forbids questions at a terminal"),
    alone("CI", "masks account details where stdout is not a terminal"),
    alone("GITHUB_ACTIONS", "adds annotations, and a table to the job's summary"),
    alone("NO_COLOR", "forbids colours"),
    alone("CLICOLOR_FORCE", "wants colours in pipes too"),
    alone("BROWSER", "the program that opens pages"),
    alone("XDG_CONFIG_HOME", "where the configuration is looked for"),
    alone("XDG_STATE_HOME", "where methods that were seen are kept, for completion"),
];

/// What the exit codes mean.
pub const EXIT_CODES: &[(&str, &str)] = &[
    ("0", "signed in or done"),
    ("1", "not signed in or refused"),
    ("2", "usage or configuration"),
    ("3", "not known or not offered"),
    ("4", "the agent failed"),
    ("124", "a time limit passed"),
    ("129, 130, 131, 143", "ended by a signal"),
];

/// The heading of the options that all commands on agents have.
const COMMON: &str = "Common options";

/// The command line, with the variables named in its help, examples, and the common options in the
/// long help only.
#[must_use]
pub fn command() -> clap::Command {
    let command = documented();
    let short = format!("{}\n\n{}", in_help("acp-auth"), exit_codes());
    let mut command =
        command.after_long_help(format!("{}\n\n{short}", variables())).after_help(short);
    for subcommand in command.get_subcommands_mut() {
        *subcommand = with_examples(std::mem::take(subcommand));
    }
    command
}

/// The command line, with the variables named, for the man pages, which show every option.
#[must_use]
pub fn documented() -> clap::Command {
    let mut command = Cli::command();
    name_variables(&mut command);
    command
}

fn with_examples(command: clap::Command) -> clap::Command {
    let examples = in_help(command.get_name());
    let mut common: Vec<String> = command
        .get_arguments()
        .filter(|arg| arg.get_help_heading() == Some(COMMON))
        .filter_map(|arg| Some(format!("--{}", arg.get_long()?)))
        .collect();
    common.sort_unstable();
    let command = command.mut_args(|arg| match arg.get_help_heading() {
        Some(COMMON) => arg.hide_short_help(true),
        _ => arg,
    });
    let short = match common.as_slice() {
        [] => examples.clone(),
        common => format!("{COMMON} (--help explains them): {}\n\n{examples}", common.join(" ")),
    };
    command.after_help(short).after_long_help(format!("{examples}\n\n{}", exit_codes()))
}

fn exit_codes() -> String {
    let codes: Vec<String> =
        EXIT_CODES.iter().map(|(code, meaning)| format!("{code} {meaning}")).collect();
    format!("Exit codes: {}.", codes.join(", "))
}

fn name_variables(command: &mut clap::Command) {
    let named = VARIABLES.iter().filter_map(|variable| Some((variable.option?, variable.name)));
    for (option, name) in named {
        if command.get_arguments().any(|arg| arg.get_long() == Some(option)) {
            let id = option.replace('-', "_");
            *command = std::mem::take(command).mut_arg(id, |arg| {
                let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
                arg.help(format!("{help} [env: {name}]"))
            });
        }
    }
    command.get_subcommands_mut().for_each(name_variables);
}

fn variables() -> String {
    let width = VARIABLES.iter().map(|variable| variable.name.len()).max().unwrap_or_default();
    let line =
        |Variable { name, description, .. }: &Variable| format!("  {name:width$}  {description}");
    let lines = VARIABLES.iter().map(line).collect::<Vec<_>>().join("\n");
    format!("Environment variables:\n{lines}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_variable_of_an_option_names_one() {
        let command = command();
        for variable in VARIABLES {
            let Some(option) = variable.option else { continue };
            let has = |command: &clap::Command| {
                command.get_arguments().any(|arg| arg.get_long() == Some(option))
            };
            assert!(command.get_subcommands().any(has), "{option}");
        }
    }

    #[test]
    fn the_readme_is_up_to_date() {
        let mut table = "| variable | option | what it is |\n| --- | --- | --- |\n".to_owned();
        for Variable { name, option, description } in VARIABLES {
            let option = option.map(|option| format!("`--{option}`")).unwrap_or_default();
            table.push_str(&format!("| `{name}` | {option} | {description} |\n"));
        }
        crate::generated::assert_part_current("README.md", "variables", &table);
    }
}
