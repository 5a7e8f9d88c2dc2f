//! No file, stream, line or variable makes the program deaf.

use std::io::{BufRead, BufReader, Read};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use super::{signed_out, with_methods};
use crate::common::{Agent, Place, Run, answers_v1, eventually, signal};

#[test]
fn no_file_makes_the_program_deaf() {
    let place = Place::new();
    let fifo = |name: &str| {
        std::fs::create_dir_all(place.path(name).parent().unwrap()).unwrap();
        assert!(Command::new("mkfifo").arg(place.path(name)).status().unwrap().success());
    };
    fifo("registry");
    fifo("servers.json");
    // What the person named is waited for, and can be ended.
    for args in [
        &["status", "one", "--registry", "registry"][..],
        &["status", "--mcp-config", "servers.json", "--server", "x"],
    ] {
        let limited = [args, &["--timeout", "200ms"]].concat();
        place.run(&limited).assert_code(124);
        let child = place.start(args);
        let id = child.id();
        eventually("the program waits", || {
            let threads = std::fs::read_dir(format!("/proc/{id}/task")).ok()?.count();
            (threads > 1).then_some(())
        });
        signal(id, "INT");
        Run::finish(child).assert_code(130);
    }
    // What nobody named is read only when it is a file.
    fifo("home/.config/zed/settings.json");
    fifo("home/.local/state/acp-auth/methods.json");
    place.run(&["agents"]).assert_code(0).assert_stderr("not a regular file");
    place.run(&["status", "demo"]).assert_code(1);
    std::fs::remove_file(place.path("home/.config/zed/settings.json")).unwrap();
    std::os::unix::fs::symlink("/dev/zero", place.path("home/.config/zed/settings.json")).unwrap();
    place.run(&["agents"]).assert_code(0).assert_stderr("not a regular file");
    place.run(&["status", "--config", "/dev/zero"]).assert_code(2).assert_stderr("more than 1 MiB");
}

#[test]
fn a_key_that_never_comes_on_stdin_can_be_ended() {
    let place = Place::new();
    let method = json!([{"id": "k", "name": "Key", "type": "env_var", "vars": [{"name": "VKEY"}]}]);
    let agent = Agent::new(&place, "agent", json!([with_methods(method), signed_out()]));
    let start = |args: &[&str]| {
        let words = agent.after(args);
        let mut command = place.command(&words.iter().map(String::as_str).collect::<Vec<_>>());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let stdin = child.stdin.take();
        (child, stdin)
    };
    let (child, stdin) = start(&["login", "--with-token", "--login-timeout", "200ms"]);
    Run::finish(child).assert_code(124);
    drop(stdin);
    let before = agent.requests().len();
    let (child, stdin) = start(&["login", "--with-token"]);
    eventually("the agent is asked", || (agent.requests().len() == before + 2).then_some(()));
    signal(child.id(), "TERM");
    Run::finish(child).assert_code(143);
    drop(stdin);
    agent.assert_nothing_left();
}

#[test]
fn huge_identifiers_make_nobody_deaf() {
    let place = Place::new();
    let chunk = |start: &str, end: &str| json!([start, {"repeat": "q", "count": 20 << 20}, end]);
    let mut steps = Vec::new();
    for _ in 0..4 {
        steps.push(json!({"on": "initialize", "write_raw": chunk("{\"jsonrpc\":\"2.0\",\"id\":\"", "\",\"result\":1}\n")}));
        steps.push(json!({"on": "initialize", "write_raw": chunk("{\"jsonrpc\":\"2.0\",\"method\":\"", "\"}\n")}));
    }
    steps.push(answers_v1());
    steps.push(json!({"on": "auth/status", "reply": {"state": "authenticated"}}));
    let agent = Agent::new(&place, "huge", Value::Array(steps));
    let run = agent.run(&place, &["status", "--trace", "trace", "-v"]);
    run.assert_code(0).assert_stdout("more than 4 KiB");
    assert!(run.stdout.len() < 4096, "{}", run.stdout.len());
    agent.assert_nothing_left();
}

#[test]
fn an_environment_that_is_not_text_is_passed_on() {
    use std::os::unix::ffi::OsStrExt;
    let place = Place::new();
    for name in ["FOO", "PWD", "SOME_TOKEN", "EDITOR"] {
        let mut command = place.command(&["status", "demo"]);
        command.env(name, std::ffi::OsStr::from_bytes(b"\xff\xfe"));
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        Run::finish(command.spawn().unwrap()).assert_code(1);
    }
    let mut command = place.command(&["status", "demo"]);
    command.env("ACP_AUTH_TIMEOUT", std::ffi::OsStr::from_bytes(b"\xff"));
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    Run::finish(command.spawn().unwrap()).assert_code(2).assert_stderr("ACP_AUTH_TIMEOUT");
}

#[test]
fn a_watch_ends_when_its_reader_has_gone() {
    let place = Place::new();
    let agent = Agent::new(&place, "agent", json!([answers_v1(), signed_out()]));
    let mut child = agent.start(&place, &["status", "--watch"]);
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    assert!(line.contains("Not signed in"), "{line}");
    Run::finish(child).assert_code(1);
    agent.assert_nothing_left();
}

#[test]
fn a_hang_up_that_is_ignored_stays_ignored() {
    let place = Place::new();
    let agent = Agent::new(&place, "agent", json!([answers_v1(), signed_out()]));
    let words = agent.after(&["status", "--watch"]);
    let template = place.command(&[]);
    let mut shell = Command::new("sh");
    shell.args(["-c", "trap '' HUP; exec \"$0\" \"$@\"", crate::common::program()]).args(&words);
    shell.env_clear().envs(template.get_envs().filter_map(|(name, value)| Some((name, value?))));
    shell.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = shell.spawn().unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    stdout.read_line(&mut String::new()).unwrap();
    signal(child.id(), "HUP");
    // The signals are handled one after the other.
    signal(child.id(), "TERM");
    let code = Run::finish(child).code;
    stdout.read_to_string(&mut String::new()).unwrap();
    assert_eq!(code, 143);
    agent.assert_nothing_left();
}

#[test]
fn a_child_in_a_group_of_its_own_is_ended() {
    let place = Place::new();
    let agent = Agent::new(
        &place,
        "agent",
        json!([
            {"on": "start", "shell": "set -m; sleep 300 & echo $! > pid"},
            answers_v1(), signed_out(),
        ]),
    );
    let started = format!("{}; exec \"$0\" \"$@\"", "set -m; sleep 301 & echo $! > stray");
    let mut words = vec!["status", "--", "bash", "-c", &started];
    let agent_words = agent.words();
    words.extend(agent_words.iter().map(String::as_str));
    place.run(&words).assert_code(1);
    let pid = std::fs::read_to_string(place.path("stray")).unwrap().trim().parse().unwrap();
    eventually("the stray child is gone", || (!crate::common::is_alive(pid)).then_some(()));
}

#[test]
fn many_definitions_cost_little() {
    let place = Place::new();
    let agent = Agent::new(
        &place,
        "agent",
        json!([answers_v1(), {"on": "auth/status", "delay_ms": 200, "reply": {"state": "authenticated"}}]),
    );
    let place_words = agent.words();
    let registry = |count: usize| {
        let mut agents: Vec<Value> = (0..count)
            .map(|index| json!({"id": format!("a{index}"), "distribution": {"npx": {"package": format!("p{index}@1")}}}))
            .collect();
        agents.push(json!({"id": "one", "distribution": {"npx": {"package": "the-one"}}}));
        place.write(&format!("registry-{count}.json"), &json!({"agents": agents}).to_string())
    };
    let script =
        format!("#!/bin/sh\nexec '{}' '{}' '{}'\n", place_words[0], place_words[1], place_words[2]);
    let npx = place.write("bin/npx", &script);
    std::fs::set_permissions(npx, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let path = format!("{}:/usr/bin:/bin", place.path("bin").display());
    let (small, large) = (registry(1), registry(30_000));
    let peak = |registry: &std::path::Path| {
        let before = agent.requests().len();
        let mut command =
            place.command(&["status", "one", "--registry", registry.to_str().unwrap()]);
        command
            .env("PATH", &path)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let child = command.spawn().unwrap();
        let status = format!("/proc/{}/status", child.id());
        eventually("the agent is asked", || (agent.requests().len() == before + 2).then_some(()));
        let text = std::fs::read_to_string(status).unwrap();
        Run::finish(child).assert_code(0);
        let line = text.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
        line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap()
    };
    let (little, much) = (peak(&small), peak(&large));
    // The file itself has 2 MiB.
    assert!(much < little + 12 * 1024, "{little} KiB for one, {much} KiB beside 30 000");
}
