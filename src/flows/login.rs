//! Signing in: the state first, then a method, then the state again.

use std::pin::pin;
use std::time::Duration;

use tokio::time::Instant;

use super::agent::AgentVisit;
use super::callback::help_from_elsewhere;
use super::choice::{NoChoice, choose, mistyped};
use super::elicitation::answer_until;
use super::terminal;
use super::values::{Given, collect};
use super::verify::verify;
use crate::acp::{self, Key};
use crate::model::{
    AuthMethod, AuthState, Delivery, Diagnostic, DiagnosticKind, Failure, FailureKind, Finding,
    METHOD_NOT_FOUND, MethodFlow, Operation, OperationKind, OperationResult, Phase, ProbeLevel,
    Secret, StatusReport, WantedValue,
};
use crate::redact::typed;
use crate::ui::Ui;
use crate::untrusted::clean;
use crate::untrusted::{Clean, Untrusted};

/// How long the answer to a login may take after a success was pushed.
const ANSWER_AFTER_PUSH: Duration = Duration::from_secs(2);

/// What the person asked for.
#[derive(Debug, Clone, Default)]
pub struct LoginOptions {
    /// The method's identifier.
    pub method: Option<String>,
    /// Sign in even when somebody is signed in already.
    pub force: bool,
    /// Read the values that the method needs from stdin.
    pub with_token: bool,
    /// Agree to what the agent proposes to run or open.
    pub yes: bool,
    /// Print addresses and open none.
    pub no_browser: bool,
    /// How far the state is established before and after, where the agent does not say.
    pub probe: ProbeLevel,
    /// The account that must be shown afterwards.
    pub expected: Option<String>,
}

/// Signs in at an agent whose handshake is done.
pub async fn sign_in(visit: &mut AgentVisit, options: &LoginOptions, ui: &Ui) -> Finding {
    let agent = clean!("{}", visit.runner.agent);
    let mut before = ui.while_waiting(|| agent.clone(), visit.establish(options.probe)).await;
    visit.details = before.report.account_details();
    if before.report.state == AuthState::Unauthenticated {
        // The refusal of a session was the answer.
        before.failure = None;
    }
    if before.failure.as_ref().is_some_and(|failure| !failure.leaves_connection()) {
        return ended(before, OperationResult::Failed, None);
    }
    if before.report.state.is_usable() && !options.force {
        if let Some(id) = &options.method
            && !visit.methods().iter().any(|method| method.id.raw() == id)
        {
            if let Some(failure) = mistyped(visit, id) {
                let finding = Finding { failure: Some(failure), ..before };
                return ended(finding, OperationResult::Failed, None);
            }
            // No error: agents hide methods in CI, where a login that is done must stay done.
            visit.remark(Diagnostic::new(
                DiagnosticKind::UnknownMethod,
                format!("the method {} is not offered here", typed(id)),
            ));
        }
        let offered = options
            .method
            .as_ref()
            .filter(|id| visit.methods().iter().any(|method| method.id.raw() == id.as_str()));
        if let Some(id) = offered {
            let text = format!(
                "the method {} was not used: somebody is signed in already, by whichever method",
                typed(id)
            );
            visit.remark(Diagnostic::new(DiagnosticKind::UnusedMethod, text));
        }
        if options.with_token {
            let text = "the value on stdin was not used: --force replaces the credential there is";
            visit.remark(Diagnostic::new(DiagnosticKind::UnusedValue, text));
        }
        let is_said = before.report.contrast.is_none();
        let mut finding = ended(before, OperationResult::AlreadySignedIn, None);
        if is_said {
            confirm(&mut finding, false);
        }
        return finding;
    }
    if visit.client.is_none()
        && let Err(failure) = visit.open().await
    {
        let finding = Finding { failure: Some(failure), ..before };
        return ended(finding, OperationResult::Failed, None);
    }
    let method = match choose(visit, options, ui).await {
        Ok(method) => method,
        Err(NoChoice { result, failure }) => {
            return ended(Finding { failure, ..before }, result, None);
        }
    };
    if options.with_token && !matches!(method.flow, MethodFlow::Values { .. }) {
        let text = format!("the value on stdin was not used: {} takes none", method.id.raw());
        visit.remark(Diagnostic::new(DiagnosticKind::UnusedValue, text));
    }
    let launch = visit.runner.launch.clone();
    match carry_out(visit, &method, options, ui).await {
        Ok(()) => {
            let verifying = verify(visit, &method, options.probe, launch, before);
            ui.while_waiting(|| clean!("a new process of {agent}"), verifying).await
        }
        Err(NoChoice { result, failure }) => {
            let timed_out =
                failure.as_ref().is_some_and(|failure| failure.kind == FailureKind::Timeout);
            let mut finding = if timed_out && visit.client.is_none() {
                // The program on the terminal may have done its work and stayed open.
                visit.ask_anew().await
            } else {
                before
            };
            if let Some(report) = visit.pushed.take() {
                // What was said during the login is newer.
                finding.report = report;
            }
            finding.failure = failure;
            ended(finding, result, Some(&method))
        }
    }
}

async fn carry_out(
    visit: &mut AgentVisit,
    method: &AuthMethod,
    options: &LoginOptions,
    ui: &Ui,
) -> Result<(), NoChoice> {
    match &method.flow {
        MethodFlow::Agent => ask_agent(visit, method, None, options, ui).await,
        MethodFlow::Terminal { args, env } => {
            Ok(terminal::run_own(visit, method, args, env, ui).await?)
        }
        MethodFlow::Recipe(recipe) => {
            terminal::run_recipe(visit, method, recipe, options, ui).await
        }
        MethodFlow::Values { wanted, delivery } => {
            with_values(visit, method, wanted, delivery, options, ui).await
        }
        MethodFlow::Unsupported(_) => Err(Failure::new(
            FailureKind::Internal,
            Phase::Choice,
            "a method that cannot be used was chosen",
        )
        .into()),
    }
}

/// Gets the values a method needs and hands them over as it wants them.
async fn with_values(
    visit: &mut AgentVisit,
    method: &AuthMethod,
    wanted: &[WantedValue],
    delivery: &Delivery,
    options: &LoginOptions,
    ui: &Ui,
) -> Result<(), NoChoice> {
    let given = collect(visit, method, wanted, options, ui).await?;
    match delivery {
        Delivery::Environment => {
            renew_with_variables(visit, &given).await?;
            ask_agent(visit, method, None, options, ui).await
        }
        Delivery::Request(form) => {
            let value = given.first().map(|given| given.value.clone());
            let key = value.map(|value| Key { form: *form, value });
            ask_agent(visit, method, key, options, ui).await
        }
        Delivery::Argument { name } => {
            let agent = visit.runner.agent.clone();
            ui.note(&clean!(
                "{agent} takes the value as the argument {}: other users of this machine can see it while {agent} runs",
                name.label(),
            ));
            if !options.yes && !ui.facts.can_prompt() {
                let text = format!(
                    "{agent} takes the value as an argument, which others on this machine can see, \
                     and there is no terminal to agree at"
                );
                return Err(Failure::choice(text).hint("pass --yes to agree").into());
            }
            if !options.yes
                && ui.confirm(&agent, &Clean::from("Go on?"), false).await? != Some(true)
            {
                return Err(NoChoice { result: OperationResult::Declined, failure: None });
            }
            visit.remark(Diagnostic::new(
                DiagnosticKind::LoginScope,
                format!(
                    "if the agent does not keep this sign-in, it lasts for the one process that got \
                     {}",
                    name.raw()
                ),
            ));
            let name = name.raw();
            let flag = if name.starts_with('-') { name.to_owned() } else { format!("--{name}") };
            visit.runner.launch.args.push(flag);
            visit.runner.launch.key = given.first().map(|given| given.value.clone());
            Ok(visit.renew().await?)
        }
    }
}

/// Starts the agent anew where values are to be in its environment that are not there yet.
async fn renew_with_variables(visit: &mut AgentVisit, given: &[Given]) -> Result<(), Failure> {
    let names: Vec<&str> = given.iter().filter_map(|given| given.name.as_deref()).collect();
    visit.remark(Diagnostic::new(
        DiagnosticKind::LoginScope,
        format!(
            "if the agent does not keep this sign-in, it lasts as long as the agent is given {}",
            names.join(" and "),
        ),
    ));
    let fresh: Vec<(String, Secret)> = given
        .iter()
        .filter(|given| !given.inherited)
        .filter_map(|given| Some((given.name.clone()?, given.value.clone())))
        .collect();
    if fresh.is_empty() {
        return Ok(());
    }
    visit.runner.launch.env.extend(fresh);
    visit.renew().await
}

/// Has the agent carry out a method, showing what it says and answering what it asks meanwhile.
async fn ask_agent(
    visit: &mut AgentVisit,
    method: &AuthMethod,
    key: Option<Key>,
    options: &LoginOptions,
    ui: &Ui,
) -> Result<(), NoChoice> {
    visit.mark_changed();
    let limit = visit.runner.limits.login;
    let agent = visit.runner.agent.clone();
    let Some(client) = &visit.client else {
        let failure = Failure::new(FailureKind::Internal, Phase::Choice, "the connection is gone");
        return Err(failure.into());
    };
    // What was said before is not about this login.
    client.take_update();
    let live = ui.live_text(&agent, visit.details.clone());
    client.connection.set_listener(Some(live.clone()));
    let said = live.overhear();
    let questions = client.take_questions();
    let waiting_for = clean!("{agent} to sign in by {}", method.id.label());
    let login = until_pushed(client, client.login(method.id.raw(), key.as_ref(), limit));
    let answered = Box::pin(answer_until(login, client, questions, options, &live, ui));
    let helping = Box::pin(help_from_elsewhere(&agent, said, options.no_browser, ui));
    let helped = async {
        tokio::select! {
            answered = answered => {
                // A question may stand open that nobody has to answer any more.
                ui.leave_prompt_if_open();
                answered
            }
            () = helping => unreachable!("it goes on until it is dropped"),
        }
    };
    let ((answer, pushed), declined) = ui.while_waiting(|| waiting_for.clone(), helped).await;
    client.connection.set_listener(None);
    live.end();
    let is_done = pushed.as_ref().is_some_and(|report| report.state.is_usable());
    visit.pushed = pushed;
    if is_done {
        // What the agent says of itself counts, whatever it answers.
        return Ok(());
    }
    answer.map_err(|mut failure| {
        if declined && failure.kind == FailureKind::Rejected {
            // The agent only says what the person did.
            return NoChoice { result: OperationResult::Declined, failure: None };
        }
        if failure.is_code(METHOD_NOT_FOUND) {
            failure.kind = FailureKind::Unsupported;
        }
        if failure.kind == FailureKind::Timeout {
            failure.message =
                format!("{} (method {})", failure.message.raw(), method.id.raw()).into();
        }
        if lacks_opener(&failure) {
            failure.hints.push(
                "the agent opens the browser by itself, and there is none that it could".to_owned(),
            );
            let codes = visit.methods().iter().filter(|other| other.id != method.id);
            if let Some(other) = codes.clone().find(|other| needs_no_browser(other)) {
                let id = other.id.label();
                failure.hints.push(format!("a method that needs none: --method {id}"));
            }
        }
        if method.variables().next().is_some()
            && let Some(description) = &method.description
        {
            failure.hints.push(format!("the agent says of this method: {}", description.line()));
        }
        failure.into()
    })
}

/// Whether an agent failed for want of a program that opens pages: `spawn xdg-open ENOENT` of agents
/// on Node, as qwen 0.15 and copilot 1.0 end with it.
fn lacks_opener(failure: &Failure) -> bool {
    let stderr = failure.stderr.as_ref().map_or("", Untrusted::raw);
    let said = [failure.message.raw(), stderr].join("\n");
    said.contains("ENOENT") && ["xdg-open", "spawn open"].iter().any(|name| said.contains(name))
        || said.contains("xdg-open: not found")
        || said.contains("xdg-open: command not found")
}

/// Whether a method says of itself that a code is typed elsewhere, or takes a key.
fn needs_no_browser(method: &AuthMethod) -> bool {
    let description = method.description.as_ref().map_or("", Untrusted::raw);
    let text = [method.id.raw(), method.name.raw(), description].join(" ").to_lowercase();
    text.contains("device") || matches!(method.flow, MethodFlow::Values { .. })
}

/// Waits for a login while the agent may push its state; also gives the last that it pushed. A
/// success that was pushed ends the wait soon, for some agents never answer then.
async fn until_pushed<T>(
    client: &acp::Client,
    login: impl Future<Output = Result<T, Failure>>,
) -> (Result<(), Failure>, Option<StatusReport>) {
    let mut login = pin!(login);
    let mut pushed: Option<StatusReport> = None;
    let mut until: Option<Instant> = None;
    loop {
        let far = Instant::now() + Duration::from_secs(3600);
        tokio::select! {
            answer = &mut login => {
                pushed = client.take_update().or(pushed);
                return (answer.map(drop), pushed);
            }
            () = client.connection.activity(until.unwrap_or(far)) => {}
        }
        pushed = client.take_update().or(pushed);
        let is_done = pushed.as_ref().is_some_and(|report| report.state.is_usable());
        until = is_done.then(|| until.unwrap_or_else(|| Instant::now() + ANSWER_AFTER_PUSH));
        if until.is_some_and(|until| Instant::now() >= until) {
            return (Ok(()), pushed);
        }
    }
}

pub(super) fn ended(
    finding: Finding,
    result: OperationResult,
    method: Option<&AuthMethod>,
) -> Finding {
    let operation = Operation::new(OperationKind::Login, result);
    finding.ended(Operation { method: method.map(|method| method.id.clone()), ..operation })
}

/// Marks the result as confirmed by the agent's own word.
pub(super) fn confirm(finding: &mut Finding, in_new_process: bool) {
    if let Some(operation) = &mut finding.operation {
        operation.confirmed = true;
        operation.in_new_process = in_new_process;
    }
}
