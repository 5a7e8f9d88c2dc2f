//! The same session asked of the same agent in an empty home without credentials: where that is
//! refused, what opened here opened because somebody is signed in.

use std::path::Path;
use std::time::Duration;

use tempfile::TempDir;

use super::{Opening, try_session};
use crate::acp;
use crate::agents::known_programs;
use crate::environment::environment;
use crate::model::{AuthMethod, Failure, FailureKind, Launch, Phase, ProtocolChoice, Secret};
use crate::redact::is_secret_name;
use crate::rpc::Runner;

/// How long the agent may take to end by itself.
const GRACE: Duration = Duration::from_millis(300);

/// Starts the agent once more in an empty home, and tries a session. No other process of it should
/// run. The home is gone when this returns, or is dropped.
///
/// # Errors
/// The agent's refusal, what kept it from being asked, an internal failure when there can be no such
/// home.
pub async fn try_in_empty_home(
    runner: &Runner,
    protocol: ProtocolChoice,
    methods: &[AuthMethod],
) -> Result<Opening, Failure> {
    let home = scratch_home()?;
    let launch = in_scratch(&runner.launch, methods, home.path());
    let runner = Runner { launch, ..runner.clone() };
    match acp::connect(&runner, protocol, false).await {
        Ok(client) => {
            let tried = try_session(&client).await;
            client.connection.end(GRACE).await;
            tried
        }
        Err(failed) => {
            if let Some(connection) = failed.connection {
                connection.end(GRACE).await;
            }
            Err(failed.failure)
        }
    }
}

fn scratch_home() -> Result<TempDir, Failure> {
    tempfile::Builder::new().prefix("acp-auth-home-").tempdir().map_err(|error| {
        let phase = Phase::Request("session/new");
        let text = "an empty home for the agent could not be made";
        Failure::new(FailureKind::Internal, phase, text).because(error)
    })
}

/// Directories below the home, and the variables that name them.
const PLACES: &[(&str, &str)] = &[
    ("HOME", ""),
    ("USERPROFILE", ""),
    ("XDG_CONFIG_HOME", ".config"),
    ("XDG_DATA_HOME", ".local/share"),
    ("XDG_STATE_HOME", ".local/state"),
    ("XDG_CACHE_HOME", ".cache"),
    ("XDG_RUNTIME_DIR", ".run"),
    ("APPDATA", "AppData/Roaming"),
    ("LOCALAPPDATA", "AppData/Local"),
];

/// What starting needs from the real home: caches of package runners, and version managers.
const KEPT: &[(&str, &str)] = &[
    ("npm_config_cache", ".npm"),
    ("npm_config_userconfig", ".npmrc"),
    ("UV_CACHE_DIR", ".cache/uv"),
    ("UV_TOOL_DIR", ".local/share/uv/tools"),
    ("UV_PYTHON_INSTALL_DIR", ".local/share/uv/python"),
    ("BUN_INSTALL_CACHE_DIR", ".bun/install/cache"),
    ("PIP_CACHE_DIR", ".cache/pip"),
    ("VOLTA_HOME", ".volta"),
    ("ASDF_DATA_DIR", ".asdf"),
    ("MISE_DATA_DIR", ".local/share/mise"),
    ("PYENV_ROOT", ".pyenv"),
    ("RUSTUP_HOME", ".rustup"),
    ("CARGO_HOME", ".cargo"),
    ("DENO_DIR", ".cache/deno"),
];

/// The desktop's keyring is reached through these.
const SESSION_BUS: &[&str] =
    &["DBUS_SESSION_BUS_ADDRESS", "GNOME_KEYRING_CONTROL", "SSH_AUTH_SOCK"];

/// The same launch with an empty home, without credential variables, without the session bus.
fn in_scratch(launch: &Launch, methods: &[AuthMethod], home: &Path) -> Launch {
    let real_home = etcetera::home_dir().ok();
    let own = launch.env.iter().map(|(name, _)| name.as_str());
    let names: Vec<&str> = environment().texts().map(|(name, _)| name).chain(own).collect();
    let of_catalog: Vec<&str> = known_programs(launch)
        .flat_map(|known| known.variables.iter().chain(&known.homes))
        .map(String::as_str)
        .collect();
    let of_methods: Vec<&str> = methods.iter().flat_map(AuthMethod::variables).collect();
    let is_moved = |name: &str| PLACES.iter().any(|(moved, _)| *moved == name);
    let is_own_place = |name: &str| {
        let is_place = name.ends_with("_HOME") || name.ends_with("_CONFIG_DIR");
        is_place && launch.variable(name).is_some()
    };
    let hides = |name: &&str| {
        of_catalog.contains(name)
            || of_methods.contains(name)
            || SESSION_BUS.contains(name)
            || is_moved(name)
            || is_own_place(name)
            || is_secret_name(name) && !is_for_starting(name)
    };
    let unset: Vec<String> = names.into_iter().filter(hides).map(ToOwned::to_owned).collect();
    let mut env: Vec<(String, Secret)> =
        launch.env.iter().filter(|(name, _)| !unset.contains(name)).cloned().collect();
    let text = |path: &Path| Secret::from(path.to_string_lossy().as_ref());
    for (name, place) in PLACES {
        env.push(((*name).to_owned(), text(&home.join(place))));
    }
    for (name, place) in KEPT {
        let kept = real_home.as_ref().map(|real| real.join(place)).filter(|kept| kept.exists());
        if let Some(kept) = kept.filter(|_| !environment().is_set(name)) {
            env.push(((*name).to_owned(), text(&kept)));
        }
    }
    Launch { unset, env, ..launch.clone() }
}

/// Secrets that package runners need to fetch the agent, and that are nothing to it.
fn is_for_starting(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    ["npm_", "node_auth_token", "uv_", "pip_", "http_", "https_"]
        .iter()
        .any(|start| name.starts_with(start))
}
