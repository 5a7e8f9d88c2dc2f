//! Where acp-auth keeps what it may lose.

use std::path::PathBuf;

use etcetera::BaseStrategy;

/// The directory for state: `~/.local/state/acp-auth` on Linux.
pub fn state_dir() -> Option<PathBuf> {
    let strategy = etcetera::choose_base_strategy().ok()?;
    let directory = strategy.state_dir().unwrap_or_else(|| strategy.data_dir());
    Some(directory.join("acp-auth"))
}
