//! Asks coding agents whether the user is signed in, signs in, and signs out.
//!
//! The program is the interface; this library exists so that its parts can be tested, and promises
//! nothing to other crates.

mod acp;
mod agents;
mod cli;
mod commands;
mod duration;
mod environment;
mod evidence;
mod exit;
mod flows;
#[cfg(fuzzing)]
pub mod fuzzing;
#[cfg(test)]
mod generated;
mod interrupt;
mod json;
#[cfg(test)]
mod layers;
mod mcp;
mod model;
mod outcome;
mod process;
mod redact;
mod render;
mod rpc;
mod shell;
mod trace;
mod ui;
mod untrusted;

use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;

use anstream::ColorChoice;
use clap::Parser;

use cli::{AgentArgs, Cli, Command, Settings};
use commands::Run;
use environment::environment;
use exit::Exit;
use interrupt::Interrupt;
use model::{Failure, FailureKind, Phase};
use redact::secrets;
use render::{Format, apply_query, complaint};
use ui::{Answer, Facts, SavedTerminal, Ui, write_stdout};

/// From how many bytes on a value that does not fit its option may be a key.
const LONG_VALUE: usize = 16;

/// The variable by which the completion scripts ask for completions.
const COMPLETE: &str = "_ACP_AUTH_COMPLETE";

/// Runs the program: parses the command line, dispatches, and maps what came of it to an exit code.
#[must_use]
pub fn run() -> ExitCode {
    let terminal = SavedTerminal::save();
    std::panic::set_hook(Box::new(|panic| {
        let text = secrets().clean(&panic.to_string());
        complain(&format!("acp-auth failed, please report this: {text}"));
    }));
    let exit = catch_unwind(AssertUnwindSafe(parse_and_run)).unwrap_or_else(|_| {
        terminal.restore();
        let text = "acp-auth failed; its stderr says where";
        write_failure(None, &Failure::new(FailureKind::Internal, Phase::Output, text));
        Exit::Bug
    });
    secrets().forget();
    ExitCode::from(exit.code())
}

fn parse_and_run() -> Exit {
    // Answers a shell that asks for completions, and ends there.
    clap_complete::CompleteEnv::with_factory(cli::command).var(COMPLETE).complete();
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return refuse(&with_variables(error)),
    };
    match &cli.command {
        Command::Completions(args) => finish(print(commands::completions(args.shell))),
        Command::Schema => finish(print(render::SCHEMA)),
        Command::DemoAgent(args) => {
            let served = if args.login {
                agents::demo::sign_in_on_terminal()
            } else {
                agents::demo::serve()
            };
            served.unwrap_or_else(|error| {
                complain(&format!("demo agent: {error:#}"));
                Exit::Failed
            })
        }
        Command::Status(args) => run_on_agents("status", args.agent_args.clone(), cli),
        Command::Login(args) => {
            let login_timeout = args.login_timeout;
            let args = AgentArgs { login_timeout, ..args.agent_args.clone() };
            run_on_agents("login", args, cli)
        }
        Command::Logout(args) => run_on_agents("logout", args.agent_args.clone(), cli),
        Command::Agents(args) => {
            let args = AgentArgs { listing: args.clone(), ..AgentArgs::default() };
            run_on_agents("agents", args, cli)
        }
    }
}

/// Runs the commands that are about agents.
fn run_on_agents(name: &'static str, args: AgentArgs, cli: Cli) -> Exit {
    secrets().learn_environment();
    let settings = match Settings::resolve(&args, cli.color, environment()) {
        Ok(settings) => settings,
        Err(failure) => return refuse_to_run(name, &failure),
    };
    let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return refuse_to_start(name, error),
    };
    process::adopt_orphans();
    let exit = runtime.block_on(async {
        let interrupt = match Interrupt::listen() {
            Ok(interrupt) => interrupt,
            Err(error) => return refuse_to_start(name, error),
        };
        let ui = Ui::new(Facts::gather(), settings.look, interrupt.clone());
        let mut run = Run::new(settings, ui, interrupt);
        let outcome = match cli.command {
            Command::Login(args) => commands::login(&mut run, args).await,
            Command::Logout(args) => commands::logout(&mut run, args).await,
            Command::Status(args) => Box::pin(commands::status(&mut run, args)).await,
            Command::Agents(_) => commands::agents(&run).await,
            Command::Completions(_) | Command::Schema | Command::DemoAgent(_) => {
                unreachable!("handled before a runtime was started")
            }
        };
        run.close();
        outcome.exit()
    });
    // A prompt that was interrupted leaves a thread that reads the terminal; nobody waits for it.
    runtime.shutdown_background();
    exit
}

/// The same help with the notes on variables, for which only who asks for help pays.
fn with_variables(error: clap::Error) -> clap::Error {
    use clap::error::ErrorKind::{DisplayHelp, DisplayHelpOnMissingArgumentOrSubcommand};
    match error.kind() {
        DisplayHelp | DisplayHelpOnMissingArgumentOrSubcommand => {
            cli::command().try_get_matches().err().unwrap_or(error)
        }
        _ => error,
    }
}

/// Answers a command line that does not parse, or one that asks for help.
fn refuse(error: &clap::Error) -> Exit {
    if !error.use_stderr() {
        let color = anstream::stdout().current_choice();
        let text = error.render();
        let text =
            if color == ColorChoice::Never { text.to_string() } else { text.ansi().to_string() };
        return finish(print(&text));
    }
    let secret = stray_secret(error);
    let hide = |text: String| match &secret {
        Some(secret) => secrets().clean(&text.replace(secret, redact::REDACTED)),
        None => secrets().clean(&text),
    };
    let hint = "keys are never taken from an argument; pipe them in with `--with-token`";
    if wanted_format() == Format::Json {
        let text = hide(error.render().to_string());
        let mut lines = text.trim().trim_start_matches("error: ").lines().map(str::trim);
        let mut failure = Failure::usage(lines.next().unwrap_or_default());
        failure.hints.extend(lines.filter(|line| !line.is_empty()).map(ToOwned::to_owned));
        failure.hints.extend(secret.iter().map(|_| hint.to_owned()));
        write_failure(None, &failure);
    }
    if error.kind() == clap::error::ErrorKind::MissingSubcommand {
        // The message would list the hidden commands too.
        complain(&cli::command().render_help().ansi().to_string());
    } else if secret.is_some() {
        complain(&format!("{}\nhint: {hint}", hide(error.render().to_string()).trim_end()));
    } else {
        // With stderr gone there is nowhere left to say so.
        let _ = error.print();
    }
    Exit::Usage
}

/// The word of a command line that does not fit and may be a secret, such as a key given as an
/// argument.
fn stray_secret(error: &clap::Error) -> Option<String> {
    use clap::error::{ContextKind, ContextValue, ErrorKind};
    let kinds =
        [ContextKind::InvalidArg, ContextKind::InvalidSubcommand, ContextKind::InvalidValue];
    let words = kinds.iter().filter_map(|kind| error.get(*kind)).filter_map(|value| match value {
        ContextValue::String(word) => Some(word.clone()),
        _ => None,
    });
    // `--with-token` takes no value, so that one it is given is meant as the key.
    let is_value = error.kind() == ErrorKind::TooManyValues;
    // Options take durations and the like, which look odd when they are wrong.
    let is_of_option = matches!(error.kind(), ErrorKind::InvalidValue | ErrorKind::ValueValidation);
    words.into_iter().find_map(|word| {
        let value = word.split_once('=').map_or(word.as_str(), |(_, value)| value);
        let is_secret = match value.len() > 5 && !value.starts_with('-') {
            true if is_of_option && value.len() < LONG_VALUE => secrets().hide(value) != value,
            true => is_value || redact::typed(value) != value,
            false => false,
        };
        is_secret.then(|| value.to_owned())
    })
}

fn refuse_to_run(command: &str, failure: &Failure) -> Exit {
    complain(complaint(failure).as_str());
    write_failure(Some(command), failure);
    Exit::from(failure)
}

fn refuse_to_start(command: &str, error: std::io::Error) -> Exit {
    let text = "acp-auth could not set itself up";
    let failure = Failure::new(FailureKind::StartFailed, Phase::Start, text).because(error);
    refuse_to_run(command, &failure)
}

/// Writes what stdout gets of a failure, in the format that the command line asks for. The exit code
/// is that of the failure, also when nobody reads it.
fn write_failure(command: Option<&str>, failure: &Failure) {
    let _ = match wanted_format().failure(command, failure) {
        Some(Answer::People(text) | Answer::Rows(text)) => print(&text),
        Some(Answer::Programs(text)) => {
            let queried = wanted_query().and_then(|query| apply_query(&query, &text).ok());
            print(&queried.unwrap_or(text))
        }
        None => Ok(()),
    };
}

/// The format that the command line asks for, also where it does not parse.
fn wanted_format() -> Format {
    let mut words = std::env::args_os().skip(1).take_while(|word| word != "--");
    let is_json = words.any(|word| word == "--json") || wanted_query().is_some();
    if is_json { Format::Json } else { Format::Human }
}

/// The expression of --jq, also where the command line does not parse.
fn wanted_query() -> Option<String> {
    let words: Vec<String> = std::env::args_os()
        .skip(1)
        .take_while(|word| word != "--")
        .filter_map(|word| word.into_string().ok())
        .collect();
    let following = words.windows(2).find(|pair| pair[0] == "--jq").map(|pair| pair[1].clone());
    let inline = || words.iter().find_map(|word| word.strip_prefix("--jq=").map(ToOwned::to_owned));
    following.or_else(inline)
}

fn print(text: &str) -> std::io::Result<()> {
    write_stdout(ColorChoice::AlwaysAnsi, text)
}

fn finish(printed: std::io::Result<()>) -> Exit {
    match printed {
        Ok(()) => Exit::Success,
        Err(error) => {
            complain(&format!("error: stdout could not be written: {error}"));
            Exit::Failed
        }
    }
}

fn complain(text: &str) {
    // With stderr gone there is nowhere left to say so.
    let _ = writeln!(anstream::stderr(), "{text}");
}
