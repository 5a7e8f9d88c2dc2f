//! The sign-in methods an agent offers.

use super::{Block, prose};
use crate::model::{AuthMethod, Delivery, Handshake, Launch, MethodFlow, Recipe};
use crate::outcome::AgentOutcome;
use crate::process::locate;
use crate::shell;
use crate::untrusted::Untrusted;

/// The exact command that signs in, where there is a method acp-auth can carry out.
pub fn how_to_sign_in(block: &mut Block, outcome: &AgentOutcome) {
    let methods = outcome.handshake.as_ref().map_or(&[][..], |handshake| &handshake.methods);
    // A terminal method is worth naming in a pipe too: the person runs the command at a terminal.
    let drivable: Vec<&AuthMethod> =
        methods.iter().filter(|method| method.obstacle(true).is_none()).collect();
    match drivable.as_slice() {
        [] => {}
        [_] => block.command("To sign in", &outcome.target.command_line("login", &[])),
        [first, ..] => {
            let command = outcome.target.command_line("login", &["--method", first.id.raw()]);
            block.command("To sign in", &command);
        }
    }
}

/// The methods one by one: what each does, and whether it is usable here.
pub fn listing(block: &mut Block, outcome: &AgentOutcome) {
    let methods = outcome.handshake.as_ref().map_or(&[][..], |handshake| &handshake.methods);
    if methods.is_empty() {
        block.open("This agent advertises no login method");
    }
    for method in methods {
        let title = format!("{}: {}", method.id.label(), prose(&method.name.label()));
        match method.obstacle(outcome.has_terminal) {
            None => block.good(&title),
            Some(obstacle) => block.bad(&format!("{title} [{obstacle}]")),
        }
        if let Some(description) = &method.description {
            block.below(&prose(description.raw()));
        }
        block.below(&prose(&what_it_does(method, &outcome.launch)));
        if let Some(link) = method.raw["link"].as_str() {
            block.below(&prose(&format!("more at {link}")));
        }
        if method.obstacle(true).is_none() {
            let id = method.id.raw();
            block.command_below(&outcome.target.command_line("login", &["--method", id]));
        }
    }
}

fn what_it_does(method: &AuthMethod, launch: &Launch) -> String {
    let command = shell::of_method(method, launch).unwrap_or_default();
    match &method.flow {
        MethodFlow::Agent => match method.variables().collect::<Vec<_>>().as_slice() {
            [] => "the agent does it when it is asked to".to_owned(),
            names => format!("the agent takes {} from its environment", names.join(" or ")),
        },
        MethodFlow::Terminal { .. } => format!("runs on this terminal: {command}"),
        MethodFlow::Recipe(recipe) => {
            let oddity = oddity(recipe, launch).map(|oddity| format!(" ({oddity})"));
            let oddity = oddity.unwrap_or_default();
            format!(
                "runs on this terminal, once you agree, what the agent proposes{oddity}: {command}"
            )
        }
        MethodFlow::Values { wanted, delivery } => {
            let names: Vec<&str> =
                wanted.iter().flat_map(|value| &value.variables).map(String::as_str).collect();
            let what = match (names.as_slice(), delivery) {
                (_, Delivery::Argument { name }) => {
                    format!("a value, as the start argument {}", name.label())
                }
                ([], _) => "a key".to_owned(),
                (names, _) => names.join(", "),
            };
            let environment = if names.is_empty() { "" } else { "the environment, " };
            format!("takes {what}: from {environment}a hidden prompt, or stdin with --with-token")
        }
        MethodFlow::Unsupported(reason) => format!("acp-auth does not drive it: {reason}"),
    }
}

/// What is odd about a command that the agent proposes.
fn oddity(recipe: &Recipe, launch: &Launch) -> Option<&'static str> {
    let program = recipe.program.raw();
    let args: Vec<&str> = recipe.args.iter().map(Untrusted::raw).collect();
    let proposed = Launch::new(program.to_owned(), Vec::new());
    let Ok(found) = locate(&proposed, "the proposed command") else {
        return Some("its program is not on PATH");
    };
    let repeats =
        !launch.args.is_empty() && launch.args.iter().all(|arg| args.contains(&arg.as_str()));
    let is_own = locate(launch, "the agent").is_ok_and(|own| own == found);
    match (is_own, repeats) {
        (true, true) => Some("it repeats how the agent is started, and may start that"),
        (false, _) => Some("it is another program than the agent"),
        (true, false) => None,
    }
}

/// What the agent offers, in two items.
pub fn offers(block: &mut Block, outcome: &AgentOutcome, handshake: &Handshake, verbose: u8) {
    let methods = &handshake.methods;
    if methods.is_empty() {
        block.item("Sign-in methods: none");
    } else if verbose > 0 {
        block.item("Sign-in methods:");
        for method in methods {
            let description =
                method.description.as_ref().map(|text| format!(" — {}", prose(text.raw())));
            block.below(&format!(
                "{} ({}): {}{}",
                method_with_obstacle(method, outcome.has_terminal),
                method.type_name.label(),
                prose(&method.name.label()),
                description.unwrap_or_default(),
            ));
        }
    } else {
        let listed: Vec<String> = methods
            .iter()
            .map(|method| method_with_obstacle(method, outcome.has_terminal))
            .collect();
        block.item(&format!("Sign-in methods: {}", listed.join(", ")));
    }
    let logout = if handshake.offers.logout { "supported" } else { "not supported" };
    block.item(&format!("Signing out: {logout}"));
}

fn method_with_obstacle(method: &AuthMethod, has_terminal: bool) -> String {
    let id = method.id.label();
    match (method.obstacle(has_terminal), &method.flow) {
        (None, _) => id.into(),
        (Some(reason), MethodFlow::Unsupported(_))
            if !matches!(method.type_name.raw(), "" | "agent") =>
        {
            format!("{id} [{}, {reason}]", method.type_name.label())
        }
        (Some(reason), _) => format!("{id} [{reason}]"),
    }
}
