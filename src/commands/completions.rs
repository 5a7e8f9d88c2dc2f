//! `acp-auth completions SHELL`.

use crate::cli::Shell;

/// The completion script for a shell, as it is committed under `completions/`.
#[must_use]
pub const fn completions(shell: Shell) -> &'static str {
    match shell {
        Shell::Bash => include_str!("../../completions/acp-auth.bash"),
        Shell::Zsh => include_str!("../../completions/_acp-auth"),
        Shell::Fish => include_str!("../../completions/acp-auth.fish"),
        Shell::Powershell => include_str!("../../completions/_acp-auth.ps1"),
        Shell::Elvish => include_str!("../../completions/acp-auth.elv"),
        Shell::Nushell => include_str!("../../completions/acp-auth.nu"),
    }
}
