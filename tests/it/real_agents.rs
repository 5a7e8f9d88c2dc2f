//! Real agents, installed by `.ci/install-real-agents`; skipped with a message where they are not,
//! except in CI.

use std::path::PathBuf;

use serde_json::Value;

use crate::common::{Place, Run};

/// The directory of an installed agent; `None`, with a message, where it is not installed.
#[expect(clippy::print_stderr, reason = "a skipped test must say so")]
fn installed(name: &str) -> Option<PathBuf> {
    let directory = std::env::var_os("ACP_AUTH_REAL_AGENTS").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("target/real-agents"),
        PathBuf::from,
    );
    let agent = directory.join(name);
    if agent.join("installed").exists() {
        return Some(agent);
    }
    assert!(
        std::env::var_os("CI").is_none(),
        "{name} is not installed; run .ci/install-real-agents"
    );
    eprintln!("skipped: {name} is not installed; run .ci/install-real-agents to test against it");
    None
}

/// A real agent in a clean place.
struct Real {
    place: Place,
    words: Vec<String>,
}

impl Real {
    fn new(name: &str, program: &[&str]) -> Option<Self> {
        let directory = installed(name)?;
        let words = program
            .iter()
            .map(|word| word.replace("{}", directory.join("node_modules").to_str().unwrap()))
            .collect();
        Some(Self { place: Place::new(), words })
    }

    fn run(&self, args: &[&str]) -> (Run, Value) {
        let mut words = args.to_vec();
        words.push("--");
        words.extend(self.words.iter().map(String::as_str));
        let (run, mut document) = self.place.run_json(&words);
        let agent = &mut document["agents"][0];
        agent["durationMs"] = 0.into();
        hide_paths(&mut document);
        self.assert_nothing_left();
        (run, document)
    }

    /// No process with this place's HOME runs any more.
    #[track_caller]
    fn assert_nothing_left(&self) {
        let home = format!("HOME={}", self.place.path("home").display());
        let left: Vec<String> = std::fs::read_dir("/proc")
            .unwrap()
            .filter_map(|entry| Some(entry.ok()?.path()))
            .filter(|process| {
                let environment = std::fs::read(process.join("environ")).unwrap_or_default();
                environment.split(|&byte| byte == 0).any(|variable| variable == home.as_bytes())
            })
            .map(|process| std::fs::read_to_string(process.join("cmdline")).unwrap_or_default())
            .collect();
        assert!(left.is_empty(), "left behind: {left:?}");
    }
}

/// Replaces what differs from machine to machine.
fn hide_paths(value: &mut Value) {
    match value {
        Value::String(text) => {
            if let Some(at) = text.find("/node_modules/") {
                *text = format!("…{}", &text[at..]);
            } else if text.ends_with("/node") {
                "…/node".clone_into(text);
            }
        }
        Value::Array(items) => items.iter_mut().for_each(hide_paths),
        Value::Object(fields) => fields.values_mut().for_each(hide_paths),
        _ => {}
    }
}

#[test]
fn codex_says_who_is_signed_in_and_signs_in_and_out() {
    let Some(mut codex) = Real::new("codex-acp", &["{}/.bin/codex-acp"]) else {
        return;
    };
    for (protocol, snapshot) in [("1", "codex_v1"), ("2", "codex_v2")] {
        let (run, document) = codex.run(&["status", "--protocol", protocol]);
        run.assert_code(1);
        insta::assert_json_snapshot!(snapshot, document);
    }
    codex.place.env("OPENAI_API_KEY", "sk-made-up-0123456789");
    let (run, document) = codex.run(&["login", "--method", "api-key"]);
    run.assert_code(0).assert_says_not("sk-made-up-0123456789");
    insta::assert_json_snapshot!("codex_login", document);

    codex.place.env("OPENAI_API_KEY", "");
    let (run, document) = codex.run(&["status"]);
    run.assert_code(0);
    assert_eq!(document["agents"][0]["state"], "authenticated");
    let (run, document) = codex.run(&["logout"]);
    run.assert_code(0);
    insta::assert_json_snapshot!("codex_logout", document);
    codex.run(&["status"]).0.assert_code(1);
}

#[test]
fn claude_pushes_its_state_and_offers_terminal_methods() {
    let Some(claude) = Real::new("claude-agent-acp", &["{}/.bin/claude-agent-acp"]) else {
        return;
    };
    for (protocol, snapshot) in [("1", "claude_v1"), ("2", "claude_v2")] {
        let (run, document) = claude.run(&["status", "--protocol", protocol]);
        run.assert_code(1);
        insta::assert_json_snapshot!(snapshot, document);
    }
    let (run, document) = claude.run(&["login", "--method", "claude-ai-login"]);
    run.assert_code(2);
    assert_eq!(document["agents"][0]["operation"]["result"], "failed");
}

#[test]
fn auggie_does_not_say() {
    let Some(auggie) = Real::new("auggie", &["{}/.bin/auggie", "--acp"]) else {
        return;
    };
    let (run, document) = auggie.run(&["status"]);
    run.assert_code(3);
    insta::assert_json_snapshot!("auggie", document);
}

#[test]
fn the_example_of_the_typescript_sdk_offers_nothing() {
    let program = ["node", "{}/@agentclientprotocol/sdk/dist/examples/agent.js"];
    let Some(example) = Real::new("sdk-example", &program) else {
        return;
    };
    let (run, document) = example.run(&["status"]);
    run.assert_code(3);
    insta::assert_json_snapshot!("sdk_example", document);
    for (command, kind) in [("login", "login"), ("logout", "logout")] {
        let (run, document) = example.run(&[command]);
        run.assert_code(3);
        assert_eq!(document["agents"][0]["operation"]["kind"], kind);
        assert_eq!(document["agents"][0]["operation"]["result"], "unsupported");
    }
}
