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

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;

use clap::Parser;

use cli::{AgentArgs, Cli, Command, Settings};
use commands::Run;
use commands::refusal::{complain, finish, print, refuse, with_variables, write_failure};
use environment::environment;
use exit::Exit;
use interrupt::Interrupt;
use model::{Failure, FailureKind, Phase};
use redact::secrets;
use render::complaint;
use ui::{Facts, SavedTerminal, Ui};

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
    match cli::complete(COMPLETE) {
        Ok(false) => {
            clap_complete::CompleteEnv::with_factory(cli::command).var(COMPLETE).complete();
        }
        written => return finish(written.map(drop)),
    }
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return refuse(with_variables(error)),
    };
    match &cli.command {
        Command::Completions(args) => finish(print(commands::completions(args.shell))),
        Command::Schema => finish(print(render::SCHEMA)),
        Command::Man(args) => {
            let page = commands::man(args.command);
            if commands::show_page(page) { Exit::Success } else { finish(print(page)) }
        }
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
            let args = AgentArgs { listing: args.listing.clone(), ..AgentArgs::default() };
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
            Command::Agents(args) => commands::agents(&run, &args).await,
            Command::Completions(_) | Command::Schema | Command::Man(_) | Command::DemoAgent(_) => {
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
