//! Real agents and servers, installed by `.ci/install-real-agents`. What is not installed is reported
//! as ignored; in CI that is a failure.

#![expect(clippy::unwrap_used, reason = "a test that fails panics")]

#[cfg(unix)]
mod agents;
#[cfg(unix)]
#[path = "../it/common/mod.rs"]
#[expect(dead_code, unused_imports, reason = "the other test binary uses all of it")]
mod common;
#[cfg(unix)]
mod servers;

use std::path::PathBuf;
use std::process::ExitCode;

use libtest_mimic::{Arguments, Failed, Trial};

/// The directory of a package that `.ci/install-real-agents` installs.
fn directory(package: &str) -> PathBuf {
    let all = std::env::var_os("ACP_AUTH_REAL_AGENTS").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("target/real-agents"),
        PathBuf::from,
    );
    all.join(package)
}

/// A test that needs a package; ignored where that is not installed, unless this is CI.
fn trial(package: &'static str, name: &str, test: fn(PathBuf)) -> Trial {
    let is_installed = directory(package).join("installed").exists();
    let must_run = std::env::var_os("CI").is_some();
    let run = move || {
        if !is_installed {
            let reason = format!("{package} is not installed; run .ci/install-real-agents");
            return Err(Failed::from(reason));
        }
        test(directory(package));
        Ok(())
    };
    Trial::test(name, run).with_kind(package).with_ignored_flag(!is_installed && !must_run)
}

fn main() -> ExitCode {
    // The places to run in and the terminals of the tests are those of Unix.
    #[cfg(unix)]
    let trials = agents::trials().into_iter().chain(servers::trials()).collect();
    #[cfg(not(unix))]
    let trials = Vec::new();
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}
