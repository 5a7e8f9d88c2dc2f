//! Asks coding agents whether the user is signed in, signs in, and signs out.
//!
//! The program is the interface; this library exists so that its parts can be tested, and promises
//! nothing to other crates.

mod agents;
mod auth;
mod cli;
mod commands;
mod completion;
mod connection;
mod error;
mod exit;
#[cfg(test)]
mod generated;
mod interrupt;
mod outcome;
mod protocol;
mod redact;
mod render;
mod settings;
mod trace;
mod ui;
mod untrusted;

use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::sync::Arc;

use anstream::ColorChoice;
use clap::{CommandFactory, Parser};

use cli::{Cli, Command, CommonArgs};
use commands::Run;
use error::{Failure, FailureKind, Phase};
use exit::Exit;
use interrupt::Interrupt;
use redact::secrets;
use settings::Settings;
use ui::{Facts, SavedTerminal, Ui};

/// The variable by which the completion scripts ask for completions.
const COMPLETE: &str = "_ACP_AUTH_COMPLETE";

/// Runs the program: parses the command line, dispatches, and maps what came of it to an exit code.
#[must_use]
pub fn run() -> ExitCode {
    let terminal = SavedTerminal::save();
    std::panic::set_hook(Box::new(|panic| {
        let text = secrets().hide_tokens(&panic.to_string());
        complain(&format!("acp-auth failed, please report this: {text}"));
    }));
    let exit = catch_unwind(AssertUnwindSafe(parse_and_run)).unwrap_or_else(|_| {
        terminal.restore();
        if wants_json() {
            let failure = Failure::new(
                FailureKind::Internal,
                Phase::Output,
                "acp-auth failed; its stderr says where",
            );
            // The failure is what the exit code tells; a closed stdout adds nothing to it.
            let _ = print(&render::json::failure_document(None, &failure));
        }
        Exit::Bug
    });
    secrets().forget();
    ExitCode::from(exit.code())
}

fn parse_and_run() -> Exit {
    // Answers a shell that asks for completions, and ends there.
    clap_complete::CompleteEnv::with_factory(Cli::command).var(COMPLETE).complete();
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return refuse(&error),
    };
    match cli.command {
        Command::Completions(args) => finish(print(commands::completions(args.shell))),
        Command::Schema => finish(print(commands::schema())),
        Command::DemoAgent(args) => {
            let served = if args.login {
                agents::demo::sign_in_on_terminal()
            } else {
                agents::demo::serve()
            };
            served.unwrap_or_else(|error| {
                complain(&format!("demo agent: {error:#}"));
                Exit::AgentFailed
            })
        }
        command => run_on_agents(command, &cli.common),
    }
}

/// Runs the commands that start agents.
fn run_on_agents(command: Command, common: &CommonArgs) -> Exit {
    let name = match &command {
        Command::Login(_) => "login",
        Command::Logout(_) => "logout",
        Command::Agents => "agents",
        _ => "status",
    };
    secrets().learn_environment();
    let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return refuse_to_start(name, common, &error),
    };
    connection::adopt_orphans();
    let exit = runtime.block_on(async {
        let interrupt = match Interrupt::listen() {
            Ok(interrupt) => interrupt,
            Err(error) => return refuse_to_start(name, common, &error),
        };
        let settings = match resolve(common, &interrupt).await {
            Ok(settings) => settings,
            Err(failure) => return refuse_settings(name, common, &failure),
        };
        let ui = Ui::new(Facts::gather(), &settings, interrupt.clone());
        let run = Run { settings: Arc::new(settings), ui: Arc::new(ui), interrupt };
        let outcome = match command {
            Command::Login(args) => commands::login(&run, args).await,
            Command::Logout(args) => commands::logout(&run, args).await,
            Command::Status(args) => commands::status(&run, args).await,
            Command::Agents => commands::agents(&run),
            Command::Completions(_) | Command::Schema | Command::DemoAgent(_) => {
                unreachable!("handled before a runtime was started")
            }
        };
        run.ui.terminal.restore();
        outcome.exit()
    });
    // A prompt that was interrupted leaves a thread that reads the terminal; nobody waits for it.
    runtime.shutdown_background();
    exit
}

/// Resolves the settings; where that can block, as a pipe does, signals are seen meanwhile.
async fn resolve(common: &CommonArgs, interrupt: &Interrupt) -> Result<Settings, Failure> {
    if !Settings::may_block(common) {
        return Settings::resolve(common);
    }
    let common = common.clone();
    let resolving = tokio::task::spawn_blocking(move || Settings::resolve(&common));
    tokio::select! {
        resolved = resolving => resolved.unwrap_or_else(|error| {
            let text = format!("the settings could not be resolved: {error}");
            Err(Failure::new(FailureKind::Internal, Phase::Configuration, text))
        }),
        signal = interrupt.raised() => {
            let kind = FailureKind::Interrupted(signal);
            Err(Failure::new(kind, Phase::Configuration, "interrupted while files were opened"))
        }
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
    if wants_json() {
        let text = error.render().to_string();
        let mut lines = text.trim().trim_start_matches("error: ").lines().map(str::trim);
        let mut failure = Failure::usage(lines.next().unwrap_or_default());
        failure.hints.extend(lines.filter(|line| !line.is_empty()).map(ToOwned::to_owned));
        let document = render::json::failure_document(None, &failure);
        // The exit code is that of the usage error, also when nobody reads the document.
        let _ = print(&document);
    }
    // With stderr gone there is nowhere left to say so.
    let _ = if error.kind() == clap::error::ErrorKind::MissingSubcommand {
        // The message would list the hidden commands too.
        writeln!(anstream::stderr(), "{}", Cli::command().render_help().ansi())
    } else {
        error.print()
    };
    Exit::Usage
}

fn refuse_settings(command: &str, common: &CommonArgs, failure: &Failure) -> Exit {
    complain(&render::human::failure(failure));
    if common.json {
        // As above: the exit code stands by itself.
        let _ = print(&render::json::failure_document(Some(command), failure));
    }
    failure.exit()
}

fn refuse_to_start(command: &str, common: &CommonArgs, error: &std::io::Error) -> Exit {
    let failure = Failure::new(
        FailureKind::StartFailed,
        Phase::Start,
        format!("acp-auth could not set itself up: {error}"),
    );
    refuse_settings(command, common, &failure)
}

/// Whether the command line asks for JSON, also where it does not parse.
fn wants_json() -> bool {
    std::env::args_os().skip(1).take_while(|word| word != "--").any(|word| word == "--json")
}

/// Writes to stdout; that nobody reads on is no error.
fn print(text: &str) -> std::io::Result<()> {
    let mut stdout = std::io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        written => written,
    }
}

fn finish(printed: std::io::Result<()>) -> Exit {
    match printed {
        Ok(()) => Exit::Success,
        Err(error) => {
            complain(&format!("error: stdout could not be written: {error}"));
            Exit::AgentFailed
        }
    }
}

fn complain(text: &str) {
    // With stderr gone there is nowhere left to say so.
    let _ = writeln!(anstream::stderr(), "{text}");
}
