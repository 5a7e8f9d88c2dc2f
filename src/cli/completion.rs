//! What a shell completes at the prompt: agents' names, and methods as they were last seen.

use clap_complete::engine::CompletionCandidate;

use crate::agents::{Definitions, Places, is_plain, list, methods_seen};
use crate::environment::environment;
use crate::shell;
use crate::untrusted::Clean;

/// The names of agents that can be asked. Starts nothing.
pub fn agent_names() -> Vec<CompletionCandidate> {
    // A configuration that cannot be read is reported when the command runs.
    let config = environment().get("ACP_AUTH_CONFIG").filter(|path| !path.is_empty());
    let places = Places { config: config.map(Into::into), ..Places::default() };
    let Ok(definitions) = Definitions::read(places) else { return Vec::new() };
    let (listed, _) = list(&definitions);
    let winners = listed.into_iter().filter(|agent| agent.wins).map(|agent| agent.entry);
    winners
        // A shell inserts a candidate as it is.
        .filter(|agent| is_plain(&agent.name))
        .map(|agent| {
            let help = agent.launch.map(|launch| shell::launched(&launch)).unwrap_or_default();
            CompletionCandidate::new(agent.name).help(Some(Clean::line(&help).to_string().into()))
        })
        .collect()
}

/// The methods that the agent on the command line was last seen to offer.
pub fn method_ids() -> Vec<CompletionCandidate> {
    let words: Vec<String> =
        std::env::args_os().filter_map(|word| word.into_string().ok()).collect();
    words.iter().skip(1).flat_map(|word| methods_seen(word)).map(CompletionCandidate::new).collect()
}
