//! A document and a code say what happened.

use std::process::{Command, Stdio};
use std::time::Instant;

use serde_json::{Value, json};

use super::{signed_out, with_methods};
use crate::common::{Agent, Place, Run, answers_v1};

#[test]
fn an_answer_that_cannot_be_written_is_no_answer() {
    let place = Place::new();
    for json in ["", "--json"] {
        let line = format!("'{}' status demo {json} >&-", crate::common::program());
        let template = place.command(&[]);
        let mut shell = Command::new("sh");
        shell.args(["-c", &line]).env_clear();
        shell.envs(template.get_envs().filter_map(|(name, value)| Some((name, value?))));
        shell.stdout(Stdio::piped()).stderr(Stdio::piped());
        Run::finish(shell.spawn().unwrap()).assert_code(4).assert_stderr("could not be written");
    }
    let line = format!("'{}' status demo >/dev/null", crate::common::program());
    let template = place.command(&[]);
    let mut shell = Command::new("sh");
    shell.args(["-c", &line]).env_clear();
    shell.envs(template.get_envs().filter_map(|(name, value)| Some((name, value?))));
    Run::finish(shell.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap())
        .assert_code(1);
}

#[test]
fn a_state_is_reached_only_by_an_agent_that_was_asked() {
    let place = Place::new();
    place.run(&["status", "--until", "unknown", "--", "no-such-program"]).assert_code(4);
    let silent = Agent::new(&place, "silent", json!([{"on": "initialize", "hang": true}]));
    let started = Instant::now();
    let run = silent.run(&place, &["status", "--until", "authenticated", "--timeout", "1s"]);
    run.assert_code(124);
    let first = started.elapsed();
    let mut slow = answers_v1();
    slow["delay_ms"] = json!(600);
    let agent = Agent::new(
        &place,
        "slow",
        json!([slow, {"on": "auth/status", "delay_ms": 600, "reply": {"state": "unauthenticated"}}]),
    );
    let started = Instant::now();
    let run = agent.run(&place, &["status", "--until", "authenticated", "--timeout", "1s"]);
    run.assert_code(124);
    // The limit is one for the whole wait, not one for each answer.
    assert!(started.elapsed() < first * 2, "{:?} after {first:?}", started.elapsed());
    agent.assert_nothing_left();
}

#[test]
fn what_is_asked_for_is_done_or_refused() {
    let place = Place::new();
    place.write("servers.json", r#"{"mcpServers": {"n": {"command": "cat"}}}"#);
    let run = place.run(&["status", "demo", "--mcp-config", "servers.json", "--server", "n"]);
    run.assert_code(2).assert_stderr("not several of them");
    let run = place.run(&["status", "demo", "--probe"]);
    run.assert_code(2).assert_stdout("--probe session");
    let (run, document) = place.run_json(&["status", "demo", "--probe"]);
    run.assert_code(2);
    assert_eq!(document["agents"][0]["error"]["kind"], "usage");
}

#[test]
fn an_interrupt_inside_a_terminal_login_is_one_even_if_its_program_catches_it() {
    let place = Place::new();
    let methods = json!([{"id": "t", "name": "T", "type": "terminal", "args": ["--login"]}]);
    let agent = Agent::new(
        &place,
        "agent",
        json!([
            with_methods(methods), signed_out(),
            {"on": "argv:--login", "ignore": ["INT"], "shell": "trap 'exit 1' INT; echo ready; while :; do sleep 0.05; done"},
            {"on": "argv:--login", "exit": 1},
        ]),
    );
    let mut pty = agent.pty(&place, &["login"]);
    pty.expect("ready");
    pty.send_control('c');
    let (code, text) = pty.finish();
    assert_eq!(code, 130, "{text}");
    agent.assert_nothing_left();
}

#[test]
fn two_runs_at_once_both_remember_and_a_narrowing_is_not_remembered() {
    let place = Place::new();
    let narrowing = Agent::new(
        &place,
        "narrowing",
        json!([
            {"on": "initialize", "reply": {"protocolVersion": 1, "agentCapabilities": {},
                "authMethods": [{"id": "one", "name": "1"}, {"id": "two", "name": "2"}]}},
            {"on": "session/new", "error": {"code": -32000, "message": "Authentication required", "data": {"authMethods": ["two"]}}},
        ]),
    );
    let mut config = narrowing.table("narrowing");
    let mut names = Vec::new();
    for index in 0..6 {
        let name = format!("a{index}");
        config
            .push_str(&Agent::new(&place, &name, json!([answers_v1(), signed_out()])).table(&name));
        names.push(name);
    }
    place.write("home/.config/acp-auth/config.toml", &config);
    place.run(&["status", "narrowing"]).assert_code(3);
    let (_, document) = place.run_json(&["status", "narrowing", "--probe", "session"]);
    assert_eq!(document["agents"][0]["authMethods"].as_array().unwrap().len(), 1);
    let runs: Vec<_> = names.iter().map(|name| place.start(&["status", name])).collect();
    runs.into_iter().for_each(|run| {
        Run::finish(run).assert_code(1);
    });
    let kept =
        std::fs::read_to_string(place.path("home/.local/state/acp-auth/methods.json")).unwrap();
    let kept: Value = serde_json::from_str(&kept).unwrap();
    let ids = |name: &str| -> Vec<&str> {
        let methods = kept[name].as_array().unwrap().iter();
        methods.map(|method| method["id"].as_str().unwrap()).collect()
    };
    assert_eq!(ids("narrowing"), ["one", "two"]);
    for name in names {
        assert_eq!(ids(&name), ["web"], "{kept}");
    }
}
