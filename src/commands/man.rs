//! `acp-auth man [COMMAND]`.

use std::io::{IsTerminal, Write};
use std::process::{Command, Stdio};

use crate::cli::Page;

/// A man page, as it is committed under `completions/`.
#[must_use]
pub const fn man(page: Option<Page>) -> &'static str {
    match page {
        None => include_str!("../../completions/acp-auth.1"),
        Some(Page::Status) => include_str!("../../completions/acp-auth-status.1"),
        Some(Page::Login) => include_str!("../../completions/acp-auth-login.1"),
        Some(Page::Logout) => include_str!("../../completions/acp-auth-logout.1"),
        Some(Page::Agents) => include_str!("../../completions/acp-auth-agents.1"),
        Some(Page::Completions) => include_str!("../../completions/acp-auth-completions.1"),
        Some(Page::Schema) => include_str!("../../completions/acp-auth-schema.1"),
        Some(Page::Man) => include_str!("../../completions/acp-auth-man.1"),
    }
}

/// Shows a page at a terminal as `man` does; gives whether it was shown.
#[must_use]
pub fn show(page: &str) -> bool {
    if !std::io::stdout().is_terminal() {
        return false;
    }
    // A machine without `man` prints the page as it is.
    let viewer = Command::new("man").args(["-l", "-"]).stdin(Stdio::piped()).spawn();
    let Ok(mut viewer) = viewer else { return false };
    let written =
        viewer.stdin.take().is_some_and(|mut stdin| stdin.write_all(page.as_bytes()).is_ok());
    viewer.wait().is_ok_and(|status| status.success()) && written
}
