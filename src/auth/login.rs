//! Signing in: the state first, then a method, then the state again.

use super::terminal;
use super::{
    AuthMethod, AuthState, Finding, MethodFlow, Operation, OperationKind, OperationResult, Visit,
};
use crate::error::{Failure, FailureKind, METHOD_NOT_FOUND, Phase};
use crate::ui::{Choice, Ui};
use crate::untrusted::Untrusted;

/// What the person asked for.
#[derive(Debug, Clone, Default)]
pub struct LoginOptions {
    /// The method's identifier.
    pub method: Option<String>,
    /// Sign in even when somebody is signed in already.
    pub force: bool,
}

/// Signs in at an agent whose handshake is done.
pub async fn sign_in(visit: &mut Visit<'_>, options: &LoginOptions, ui: &Ui) -> Finding {
    let before = visit.ask().await;
    if before
        .failure
        .as_ref()
        .is_some_and(|failure| !failure.leaves_connection())
    {
        return ended(before, OperationResult::Failed, None);
    }
    if before.report.state.is_usable() && !options.force {
        let mut finding = ended(before, OperationResult::AlreadySignedIn, None);
        confirm(&mut finding, false);
        return finding;
    }
    let method = match choose(visit, options, ui).await {
        Ok(method) => method,
        Err((result, failure)) => return ended(Finding { failure, ..before }, result, None),
    };
    let accepted = match &method.flow {
        MethodFlow::Agent => ask_agent(visit, &method, ui).await,
        MethodFlow::Terminal { args, env } => terminal::run(visit, &method.id, args, env, ui).await,
        MethodFlow::Unsupported(reason) => Err(unsupported_type(visit, &method, reason)),
    };
    match accepted {
        Ok(()) => verify(visit, &method, before).await,
        Err(failure) => {
            let mut finding = if failure.kind == FailureKind::Timeout && visit.session.is_none() {
                // The program on the terminal may have done its work and stayed open.
                visit.ask_anew().await
            } else {
                before
            };
            let result = match failure.kind {
                FailureKind::Unsupported => OperationResult::Unsupported,
                _ => OperationResult::Failed,
            };
            finding.failure = Some(failure);
            ended(finding, result, Some(&method))
        }
    }
}

/// Has the agent carry out one of its own methods, showing what it says meanwhile.
async fn ask_agent(visit: &mut Visit<'_>, method: &AuthMethod, ui: &Ui) -> Result<(), Failure> {
    visit.mark_changed();
    let limit = visit.runner.limits.login;
    let agent = &visit.runner.agent;
    let Some(session) = &visit.session else {
        return Err(Failure::new(
            FailureKind::Internal,
            Phase::Choice,
            "the connection is gone",
        ));
    };
    // What was said before is not about this login.
    session.heard();
    session.connection.set_listener(Some(ui.live_text(agent)));
    let waiting_for = format!("{agent} to sign in by {}", method.id.line());
    let answer = ui
        .while_waiting(&waiting_for, session.login(method.id.raw(), limit))
        .await;
    session.connection.set_listener(None);
    ui.end_live_text();
    answer.map_err(|mut failure| {
        if failure.is_code(METHOD_NOT_FOUND) {
            failure.kind = FailureKind::Unsupported;
        }
        if failure.kind == FailureKind::Timeout {
            failure.message =
                format!("{} (method {})", failure.message.raw(), method.id.raw()).into();
            failure
                .hints
                .push("pass --login-timeout to wait longer".to_owned());
        }
        failure
    })
}

/// Asks the state again after the agent, or its program, accepted the login.
async fn verify(visit: &mut Visit<'_>, method: &AuthMethod, before: Finding) -> Finding {
    let on_terminal = visit.session.is_none();
    let mut after = if on_terminal {
        visit.ask_anew().await
    } else {
        visit.ask().await
    };
    let mut in_new_process = false;
    if !on_terminal && may_differ_anew(visit, &after, AuthState::Unauthenticated) {
        after = visit.ask_anew().await;
        in_new_process = true;
    }
    match after.report.state {
        state if state.is_usable() => {
            let mut finding = ended(after, OperationResult::SignedIn, Some(method));
            confirm(&mut finding, in_new_process);
            finding
        }
        AuthState::Unauthenticated => {
            let failure = after.failure.take().unwrap_or_else(|| {
                let agent = &visit.runner.agent;
                Failure::new(
                    FailureKind::Rejected,
                    Phase::Request("auth/status"),
                    format!("{agent} accepted the login, but still says that nobody is signed in"),
                )
                .hint(format!("a new process of {agent} was asked too"))
                .with_stderr(&visit.stderr_tail())
            });
            after.failure = Some(failure);
            ended(after, OperationResult::Failed, Some(method))
        }
        // The login was accepted; that its effect could not be seen is said, not held against it.
        _ => {
            if after.failure.is_none() {
                after.failure = before.failure;
            }
            ended(after, OperationResult::SignedIn, Some(method))
        }
    }
}

/// Whether a new process may tell more than this one, which says that nothing has changed, or
/// nothing though it pushes its state.
pub fn may_differ_anew(visit: &Visit<'_>, finding: &Finding, unchanged: AuthState) -> bool {
    let pushes = visit
        .handshake
        .as_ref()
        .is_some_and(|handshake| handshake.offers.pushed_status);
    let kind = finding.failure.as_ref().map(|failure| failure.kind);
    let is_interrupted = matches!(kind, Some(FailureKind::Interrupted(_)));
    let state = finding.report.state;
    !is_interrupted && (state == unchanged || pushes && state == AuthState::Unknown)
}

/// Finds the method to use, asking the person where several fit.
async fn choose(
    visit: &Visit<'_>,
    options: &LoginOptions,
    ui: &Ui,
) -> Result<AuthMethod, (OperationResult, Option<Failure>)> {
    let agent = &visit.runner.agent;
    let methods = visit
        .handshake
        .as_ref()
        .map(|handshake| handshake.methods.as_slice())
        .unwrap_or_default();
    let refuse = |failure: Failure| {
        let result = match failure.kind {
            FailureKind::Unsupported => OperationResult::Unsupported,
            _ => OperationResult::Failed,
        };
        (result, Some(failure))
    };
    if methods.is_empty() {
        let failure = unsupported(format!("{agent} advertises no login method"));
        return Err(refuse(failure.hint(format!(
            "sign in with {agent}'s own program or with a key in its environment"
        ))));
    }
    let has_terminal = ui.facts.can_prompt();
    if let Some(id) = &options.method {
        let Some(method) = methods.iter().find(|method| method.id.raw() == id) else {
            return Err(refuse(not_offered(agent, id, methods)));
        };
        return match (method.obstacle(has_terminal), &method.flow) {
            (None, _) => Ok(method.clone()),
            (Some(_), MethodFlow::Terminal { .. }) => Err(refuse(needs_terminal(agent, &[method]))),
            (Some(reason), _) => Err(refuse(unsupported_type(visit, method, reason))),
        };
    }
    let usable: Vec<&AuthMethod> = methods
        .iter()
        .filter(|method| method.obstacle(has_terminal).is_none())
        .collect();
    match usable.as_slice() {
        [] => {
            let on_terminal: Vec<&AuthMethod> = methods
                .iter()
                .filter(|method| matches!(method.flow, MethodFlow::Terminal { .. }))
                .collect();
            if on_terminal.is_empty() {
                Err(refuse(unsupported(format!(
                    "{agent} offers only methods of types not supported yet: {}",
                    ids(methods.iter())
                ))))
            } else {
                Err(refuse(needs_terminal(agent, &on_terminal)))
            }
        }
        [only] => Ok((*only).clone()),
        several if has_terminal => {
            let choices = several.iter().map(|method| Choice {
                title: method.name.line(),
                detail: describe(method),
            });
            match ui
                .choose(
                    agent,
                    &format!("How do you want to sign in to {agent}?"),
                    choices.collect(),
                )
                .await
            {
                Ok(Some(index)) => Ok(several[index].clone()),
                Ok(None) => Err((OperationResult::Declined, None)),
                Err(failure) => Err(refuse(failure)),
            }
        }
        several => Err(refuse(
            Failure::new(
                FailureKind::Usage,
                Phase::Choice,
                format!(
                    "{agent} offers several methods and there is no terminal to choose at: {}",
                    ids(several.iter().copied())
                ),
            )
            .hint("pass one of them with `--method ID`"),
        )),
    }
}

fn describe(method: &AuthMethod) -> String {
    let mut detail = method.id.line();
    if let Some(description) = &method.description {
        detail.push_str(" — ");
        detail.push_str(&description.line());
    }
    detail
}

fn ids<'m>(methods: impl Iterator<Item = &'m AuthMethod>) -> String {
    methods
        .map(|method| method.id.line())
        .collect::<Vec<_>>()
        .join(", ")
}

fn unsupported(message: String) -> Failure {
    Failure::new(FailureKind::Unsupported, Phase::Choice, message)
}

fn unsupported_type(visit: &Visit<'_>, method: &AuthMethod, reason: &str) -> Failure {
    unsupported(format!(
        "the method {} of {} cannot be used, {reason}: {}",
        method.id.raw(),
        visit.runner.agent,
        method.type_name.raw(),
    ))
}

fn needs_terminal(agent: &str, methods: &[&AuthMethod]) -> Failure {
    let which = ids(methods.iter().copied());
    Failure::new(
        FailureKind::Usage,
        Phase::Choice,
        format!("signing in to {agent} by {which} needs a terminal, and there is none"),
    )
    .hint("run this at a terminal, or give the agent a credential in its environment")
}

fn not_offered(agent: &str, id: &str, methods: &[AuthMethod]) -> Failure {
    let failure = Failure::new(
        FailureKind::Usage,
        Phase::Choice,
        format!(
            "{agent} offers no method {id}; it offers: {}",
            ids(methods.iter())
        ),
    );
    let seen: Vec<&str> = ["NO_BROWSER", "SSH_CONNECTION"]
        .into_iter()
        .filter(|name| std::env::var_os(name).is_some())
        .collect();
    if seen.is_empty() {
        return failure;
    }
    failure.hint(format!(
        "{} is set: agents hide methods that open a browser then",
        seen.join(" and ")
    ))
}

/// The finding of a flow that has come to its end.
pub fn ended(
    mut finding: Finding,
    result: OperationResult,
    method: Option<&AuthMethod>,
) -> Finding {
    let mut operation = Operation::new(OperationKind::Login, result);
    operation.method = method.map(|method| Untrusted::new(method.id.raw()));
    finding.operation = Some(operation);
    finding
}

/// Marks the result as confirmed by the agent's own word.
fn confirm(finding: &mut Finding, in_new_process: bool) {
    if let Some(operation) = &mut finding.operation {
        operation.verified = true;
        operation.in_new_process = in_new_process;
    }
}
