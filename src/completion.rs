//! What a shell completes at the prompt: agents' names, and methods as they were last seen.

use clap_complete::engine::CompletionCandidate;

use crate::agents::{list, methods_seen};
use crate::cli::CommonArgs;
use crate::settings::Settings;

/// The names of agents that can be asked. Starts nothing.
pub fn agent_names() -> Vec<CompletionCandidate> {
    // A configuration that cannot be read is told of when the command runs.
    let Ok(settings) = Settings::resolve(&CommonArgs::default()) else { return Vec::new() };
    let (listed, _) = list(&settings);
    let winners = listed.into_iter().filter(|agent| agent.wins).map(|agent| agent.entry);
    winners
        // bash would take a name with a space for two.
        .filter(|agent| !agent.name.contains(char::is_whitespace))
        .map(|agent| {
            let help = agent.launch.map(|launch| launch.command_line()).unwrap_or_default();
            CompletionCandidate::new(agent.name).help(Some(help.into()))
        })
        .collect()
}

/// The methods that the agent on the command line was last seen to offer.
pub fn method_ids() -> Vec<CompletionCandidate> {
    let words: Vec<String> = std::env::args().collect();
    words.iter().skip(1).flat_map(|word| methods_seen(word)).map(CompletionCandidate::new).collect()
}
