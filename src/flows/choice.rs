//! Which of an agent's methods to sign in by.

use super::LoginOptions;
use super::agent::AgentVisit;
use crate::agents::{methods_seen, nearest};
use crate::environment::environment;
use crate::model::{
    AuthMethod, Failure, FailureKind, MethodFlow, OperationResult, Phase, WantedValue,
};
use crate::redact::typed;
use crate::shell;
use crate::ui::{Choice, Ui};
use crate::untrusted::Clean;
use crate::untrusted::clean;

/// Why no method was chosen: a failure, or the person's wish.
#[derive(Debug)]
pub struct NoChoice {
    pub result: OperationResult,
    pub failure: Option<Failure>,
}

impl From<Failure> for NoChoice {
    fn from(failure: Failure) -> Self {
        Self { result: OperationResult::of_failure(&failure), failure: Some(failure) }
    }
}

/// Finds the method to use, asking the person where several fit.
///
/// # Errors
/// Why there is no method: `usage` with what to pass, `unsupported`, or the person's wish.
pub async fn choose(
    visit: &AgentVisit,
    options: &LoginOptions,
    ui: &Ui,
) -> Result<AuthMethod, NoChoice> {
    let agent = &visit.runner.agent;
    let methods = visit.methods();
    let has_terminal = ui.facts.can_prompt();
    if methods.is_empty() {
        let failure = unsupported(format!("{agent} advertises no login method"));
        let hint = format!("sign in with {agent}'s own program, or with a key in its environment");
        return Err(failure.hint(hint).into());
    }
    if let Some(id) = &options.method {
        let Some(method) = methods.iter().find(|method| method.id.raw() == id) else {
            return Err(not_offered(agent, id, methods).into());
        };
        return match method.obstacle(has_terminal) {
            None => Ok(method.clone()),
            Some(obstacle) => Err(refused(visit, method, obstacle).into()),
        };
    }
    let usable: Vec<&AuthMethod> =
        methods.iter().filter(|method| method.obstacle(has_terminal).is_none()).collect();
    // A key that was given, or lies ready where nobody can be asked, decides.
    let keyed: Vec<&AuthMethod> =
        usable.iter().copied().filter(|method| takes_key(visit, method, options)).collect();
    if let [only] = keyed.as_slice()
        && (options.with_token || !has_terminal)
    {
        return Ok((*only).clone());
    }
    match usable.as_slice() {
        [] => Err(nothing_usable(visit, methods).into()),
        [only] => Ok((*only).clone()),
        several if has_terminal => {
            let choices: Vec<Choice> = several.iter().map(|method| describe(method)).collect();
            let question = clean!("How do you want to sign in to {agent}?");
            match ui.choose(agent, &question, &choices, 0).await? {
                Some(index) => Ok(several[index].clone()),
                None => Err(NoChoice { result: OperationResult::Declined, failure: None }),
            }
        }
        several => Err(Failure::choice(format!(
            "{agent} offers several methods and there is no terminal to choose at: {}",
            ids(several.iter().copied()),
        ))
        .hint("pass one of them with `--method ID`")
        .into()),
    }
}

/// Whether a method takes the key on stdin, or those that are set in the agent's environment.
fn takes_key(visit: &AgentVisit, method: &AuthMethod, options: &LoginOptions) -> bool {
    let MethodFlow::Values { wanted, .. } = &method.flow else { return false };
    let is_set = |value: &WantedValue| value.variables.iter().any(|name| visit.is_set(name));
    let needed = || wanted.iter().filter(|value| !value.optional);
    options.with_token || needed().next().is_some() && needed().all(is_set)
}

fn describe(method: &AuthMethod) -> Choice {
    let type_name = match method.type_name.raw() {
        "agent" => String::new(),
        _ => format!(" [{}]", method.type_name.label()),
    };
    let description = method.description.as_ref().map(|text| format!(" — {}", text.line()));
    let description = description.unwrap_or_default();
    Choice {
        title: method.name.label(),
        detail: clean!("{}{type_name}{description}", method.id.label()),
    }
}

fn ids<'m>(methods: impl Iterator<Item = &'m AuthMethod>) -> String {
    methods.map(|method| method.id.label()).collect::<Vec<_>>().join(", ")
}

fn nothing_usable(visit: &AgentVisit, methods: &[AuthMethod]) -> Failure {
    let agent = &visit.runner.agent;
    let at_terminal: Vec<&AuthMethod> =
        methods.iter().filter(|method| method.obstacle(true).is_none()).collect();
    match at_terminal.as_slice() {
        [] => unsupported(format!(
            "{agent} offers only methods that acp-auth cannot carry out: {}",
            ids(methods.iter()),
        )),
        [only] => needs_terminal(visit, only),
        several => Failure::choice(format!(
            "signing in to {agent} by {} needs a terminal, and there is none",
            ids(several.iter().copied()),
        ))
        .hint("run this at a terminal, or give the agent a credential in its environment"),
    }
}

/// Why a method that was named cannot be used.
fn refused(visit: &AgentVisit, method: &AuthMethod, obstacle: &str) -> Failure {
    if method.obstacle(true).is_none() {
        return needs_terminal(visit, method);
    }
    let failure = unsupported(format!(
        "the method {} of {} cannot be used: {obstacle}",
        method.id.label(),
        visit.runner.agent,
    ));
    match &method.description {
        Some(description) => failure.hint(format!("the agent says: {}", description.line())),
        None => failure,
    }
}

fn needs_terminal(visit: &AgentVisit, method: &AuthMethod) -> Failure {
    let agent = &visit.runner.agent;
    let failure = Failure::choice(format!(
        "signing in to {agent} by {} needs a terminal, and there is none",
        method.id.label()
    ));
    let Some(command) = shell::of_method(method, &visit.runner.launch) else { return failure };
    match &method.flow {
        MethodFlow::Recipe(_) => failure.hint(format!(
            "the agent proposes this command, run it yourself if you trust it: {command}",
        )),
        _ => failure.hint(format!("run this at a terminal, or the agent's own sign-in: {command}")),
    }
}

fn unsupported(message: String) -> Failure {
    Failure::new(FailureKind::Unsupported, Phase::Choice, message)
}

/// The usage failure of a method that nearly is an offered one.
pub fn mistyped(visit: &AgentVisit, id: &str) -> Option<Failure> {
    let known = visit.methods().iter().map(|method| method.id.raw());
    nearest(id, known)?;
    Some(not_offered(&visit.runner.agent, id, visit.methods()))
}

fn not_offered(agent: &str, id: &str, methods: &[AuthMethod]) -> Failure {
    let failure = Failure::choice(format!(
        "{agent} offers no method {}; it offers: {}",
        typed(id),
        ids(methods.iter())
    ));
    // Where it was offered before, it is no mistake in writing.
    if methods_seen(agent).iter().any(|method| method.id == id) {
        return failure.hint(
            "it was offered before: agents hide methods where there is no terminal or no browser",
        );
    }
    let known = methods.iter().map(|method| method.id.raw());
    if let Some(nearest) = nearest(id, known) {
        return failure.hint(format!("did you mean `{}`?", Clean::line(nearest)));
    }
    let mut reasons: Vec<&str> = ["NO_BROWSER", "SSH_CONNECTION"]
        .into_iter()
        .filter(|name| environment().get(name).is_some())
        .collect();
    let has_display =
        ["DISPLAY", "WAYLAND_DISPLAY"].iter().any(|name| environment().get(name).is_some());
    if cfg!(target_os = "linux") && !has_display {
        reasons.push("a missing DISPLAY");
    }
    match reasons.as_slice() {
        [] => failure,
        reasons => failure.hint(format!(
            "agents hide methods that open a browser because of {}",
            reasons.join(" and "),
        )),
    }
}
