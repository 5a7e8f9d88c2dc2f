//! Real agents.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use libtest_mimic::Trial;
use serde_json::Value;

use crate::common::{Place, Run, unwrapped};
use crate::trial;

pub fn trials() -> Vec<Trial> {
    vec![
        trial(
            "codex-acp",
            "codex_says_who_is_signed_in_and_signs_in_and_out",
            codex_says_who_is_signed_in_and_signs_in_and_out,
        ),
        trial(
            "codex-acp",
            "codex_takes_a_key_from_stdin_and_keeps_it",
            codex_takes_a_key_from_stdin_and_keeps_it,
        ),
        trial(
            "zed-codex-acp",
            "the_older_codex_takes_a_variable_and_a_session_proves",
            the_older_codex_takes_a_variable_and_a_session_proves,
        ),
        trial(
            "gemini-cli",
            "gemini_prints_its_address_on_stdout_and_is_stopped",
            gemini_prints_its_address_on_stdout_and_is_stopped,
        ),
        trial(
            "auggie",
            "a_program_that_auggie_proposes_and_that_is_missing_is_reported",
            a_program_that_auggie_proposes_and_that_is_missing_is_reported,
        ),
        trial(
            "claude-agent-acp",
            "claude_pushes_its_state_and_offers_terminal_methods",
            claude_pushes_its_state_and_offers_terminal_methods,
        ),
        trial("auggie", "auggie_says_it_by_its_own_command", auggie_says_it_by_its_own_command),
        trial(
            "sdk-example",
            "the_example_of_the_typescript_sdk_offers_nothing",
            the_example_of_the_typescript_sdk_offers_nothing,
        ),
    ]
}

/// A real agent in a clean place.
struct Real {
    place: Place,
    words: Vec<String>,
}

impl Real {
    fn new(directory: &Path, program: &[&str]) -> Self {
        let words = program
            .iter()
            .map(|word| word.replace("{}", directory.join("node_modules").to_str().unwrap()))
            .collect();
        Self { place: Place::new(), words }
    }

    /// `args`, then `--` and the agent's command.
    fn after<'a>(&'a self, args: &[&'a str]) -> Vec<&'a str> {
        let mut words = args.to_vec();
        words.push("--");
        words.extend(self.words.iter().map(String::as_str));
        words
    }

    fn run(&self, args: &[&str]) -> (Run, Value) {
        let words = self.after(args);
        let (run, mut document) = self.place.run_json(&words);
        let agent = &mut document["agents"][0];
        agent["durationMs"] = 0.into();
        agent["observedAt"] = "now".into();
        hide_paths(&mut document);
        self.assert_nothing_left();
        (run, document)
    }

    /// Runs with a key on stdin.
    fn run_with_token(&self, args: &[&str], token: &str) -> Run {
        let mut command = self.place.command(&self.after(args));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        child.stdin.take().unwrap().write_all(token.as_bytes()).unwrap();
        let run = Run::finish(child);
        run.assert_says_not(token);
        self.assert_nothing_left();
        run
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

fn codex_says_who_is_signed_in_and_signs_in_and_out(directory: PathBuf) {
    let mut codex = Real::new(&directory, &["{}/.bin/codex-acp"]);
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

fn codex_takes_a_key_from_stdin_and_keeps_it(directory: PathBuf) {
    let codex = Real::new(&directory, &["{}/.bin/codex-acp"]);
    let login = codex
        .run_with_token(&["login", "--method", "api-key", "--with-token"], "sk-made-up-9876543210");
    login.assert_code(0).assert_stdout("Signed in: OpenAI API key");
    let (run, document) = codex.run(&["status"]);
    run.assert_code(0);
    assert_eq!(document["agents"][0]["accounts"][0]["label"], "OpenAI API key");
    codex.run(&["logout"]).0.assert_code(0);
    codex.run(&["status"]).0.assert_code(1);
}

fn the_older_codex_takes_a_variable_and_a_session_proves(directory: PathBuf) {
    let codex = Real::new(&directory, &["{}/.bin/codex-acp"]);
    let probed = |state: &str, code: i32| {
        let (run, document) = codex.run(&["status", "--probe", "session"]);
        run.assert_code(code);
        assert_eq!(document["agents"][0]["state"], state, "{run}");
        assert_eq!(document["agents"][0]["evidence"], "session/new", "{run}");
    };
    probed("unauthenticated", 1);
    let login = ["login", "--method", "openai-api-key", "--with-token"];
    codex.run_with_token(&login, "sk-made-up-9876543210").assert_code(0).assert_stdout("Signed in");
    probed("authenticated", 0);
    let (run, document) = codex.run(&["logout"]);
    run.assert_code(0);
    assert_eq!(document["agents"][0]["operation"]["confirmed"], true, "{run}");
    probed("unauthenticated", 1);
}

fn gemini_prints_its_address_on_stdout_and_is_stopped(directory: PathBuf) {
    let gemini = Real::new(&directory, &["{}/.bin/gemini", "--acp"]);
    let mut pty = gemini.place.pty(&gemini.after(&["login", "--method", "oauth-personal"]));
    pty.expect("https://accounts.google.com/o/oauth2/v2/auth?redirect_uri=");
    pty.expect("Enter the authorization code:");
    pty.send_control('c');
    let (code, text) = pty.finish();
    assert_eq!(code, 130, "{text}");
    assert!(!text.contains("\u{1b}[?1049h"), "{text}");
    gemini.assert_nothing_left();
}

fn a_program_that_auggie_proposes_and_that_is_missing_is_reported(directory: PathBuf) {
    let node = std::env::split_paths(&std::env::var_os("PATH").unwrap())
        .map(|directory| directory.join("node"))
        .find(|node| node.exists());
    let Some(node) = node else { return };
    let program = [node.to_str().unwrap(), "{}/.bin/auggie", "--acp"];
    let auggie = Real::new(&directory, &program);
    // It proposes `node`, which is not found where nothing is.
    let words = auggie.after(&["login", "--env", "PATH=/nonexistent"]);
    let (code, text) = auggie.place.pty(&words).finish();
    let text = unwrapped(&text);
    assert_eq!(code, 4, "{text}");
    assert!(text.contains("the program node was not found on PATH"), "{text}");
    assert!(text.contains("could not start the command that"), "{text}");
    let (run, _) = auggie.run(&["login"]);
    run.assert_code(2)
        .assert_stdout("run it yourself if you trust it")
        .assert_stdout("auggie login");
}

fn claude_pushes_its_state_and_offers_terminal_methods(directory: PathBuf) {
    let claude = Real::new(&directory, &["{}/.bin/claude-agent-acp"]);
    for (protocol, snapshot) in [("1", "claude_v1"), ("2", "claude_v2")] {
        let (run, document) = claude.run(&["status", "--protocol", protocol]);
        run.assert_code(1);
        insta::assert_json_snapshot!(snapshot, document);
    }
    let (run, document) = claude.run(&["login", "--method", "claude-ai-login"]);
    run.assert_code(2);
    assert_eq!(document["agents"][0]["operation"]["result"], "failed");
}

fn auggie_says_it_by_its_own_command(directory: PathBuf) {
    let auggie = Real::new(&directory, &["{}/.bin/auggie", "--acp"]);
    let (run, document) = auggie.run(&["status"]);
    run.assert_code(1);
    insta::assert_json_snapshot!("auggie", document);
}

fn the_example_of_the_typescript_sdk_offers_nothing(directory: PathBuf) {
    let program = ["node", "{}/@agentclientprotocol/sdk/dist/examples/agent.js"];
    let example = Real::new(&directory, &program);
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
