//! `--probe`, `--watch`, `login --list`, and which credentials there may be.

use std::io::{BufRead, BufReader};

use serde_json::{Value, json};

use crate::common::{Agent, Place, Run, answers_v1, answers_v2, signal};

/// An agent that does not report its state; v1's closes and deletes sessions.
pub fn unreporting(place: &Place, version: u64, steps: Value) -> Agent {
    let mut initialize = if version == 1 { answers_v1() } else { answers_v2() };
    if version == 1 {
        initialize["reply"]["agentCapabilities"] =
            json!({"sessionCapabilities": {"close": {}, "delete": {}}});
    } else {
        initialize["reply"]["capabilities"] = json!({"session": {"delete": {}}});
    }
    let mut all = vec![initialize];
    all.extend(steps.as_array().unwrap().iter().cloned());
    Agent::new(place, "agent", Value::Array(all))
}

fn opening() -> Value {
    json!([
        {"on": "session/new", "reply": {"sessionId": "s-1"}},
        {"on": "session/close", "reply": {}},
        {"on": "session/delete", "reply": {}},
    ])
}

#[test]
fn a_session_that_opens_proves_nothing_and_is_ended() {
    for version in [1, 2] {
        let place = Place::new();
        let agent = unreporting(&place, version, opening());
        agent.run(&place, &["status"]).assert_code(3).assert_stdout("--probe session");
        assert!(!agent.requests().contains(&"session/new".to_owned()));
        let (run, report) = agent.run_json(&place, &["status", "--probe", "session"]);
        run.assert_code(3);
        assert_eq!(
            (&report["state"], &report["evidence"]),
            (&json!("unknown"), &json!("session/new"))
        );
        let run = agent.run(&place, &["status", "--probe", "session"]);
        run.assert_code(3).assert_stdout("a session can be opened").assert_stdout("--probe prompt");
        let sessions: Vec<String> =
            agent.requests().into_iter().filter(|method| method.starts_with("session")).collect();
        assert_eq!(sessions[..3], ["session/new", "session/close", "session/delete"]);
        let request = agent
            .messages()
            .into_iter()
            .find(|message| message["method"] == "session/new")
            .unwrap();
        assert_eq!(request["params"]["mcpServers"], json!([]));
        let directory = request["params"]["cwd"].as_str().unwrap();
        assert!(directory.starts_with('/') && !std::path::Path::new(directory).exists());
    }
}

#[test]
fn a_session_refused_for_want_of_sign_in_is_an_answer() {
    let place = Place::new();
    let mut steps = unreporting(&place, 1, json!([]));
    let refusing = |error: Value| {
        let mut initialize = answers_v1();
        initialize["reply"]["agentCapabilities"] = json!({});
        initialize["reply"]["authMethods"] =
            json!([{"id": "a", "name": "A"}, {"id": "b", "name": "B"}]);
        Agent::new(&place, "agent", json!([initialize, {"on": "session/new", "error": error}]))
    };
    for (data, methods) in [
        (json!(null), 2),
        (json!({"authMethods": ["b"]}), 1),
        (json!({"authMethods": [{"id": "b", "name": "B"}]}), 1),
        (json!({"method": "b", "requestId": "r-1"}), 1),
        (json!({"help": "sign in by b"}), 2),
        // One that only arrives here is the one that fits.
        (json!({"offered": [{"id": "late", "name": "Late", "type": "agent"}]}), 1),
    ] {
        steps =
            refusing(json!({"code": -32000, "message": "Authentication required", "data": data}));
        let (run, report) = steps.run_json(&place, &["status", "--probe", "session"]);
        run.assert_code(1);
        assert_eq!(
            (&report["state"], &report["evidence"]),
            (&json!("unauthenticated"), &json!("session/new"))
        );
        assert_eq!(report["error"], json!(null));
        assert_eq!(report["authMethods"].as_array().unwrap().len(), methods);
    }
    for error in [
        json!({"code": -32603, "message": "run as root"}),
        json!({"code": -32000, "message": "Server error", "data": {"reason": "no disk space"}}),
    ] {
        steps = refusing(error.clone());
        let (run, report) = steps.run_json(&place, &["status", "--probe", "session"]);
        run.assert_code(3);
        assert_eq!(
            (&report["state"], &report["error"]["code"]),
            (&json!("unknown"), &error["code"])
        );
    }
    drop(steps);
}

#[test]
fn a_known_state_needs_no_session_and_the_configuration_can_ask_for_one() {
    let place = Place::new();
    let agent = Agent::new(
        &place,
        "agent",
        json!([
            answers_v1(), {"on": "auth/status", "reply": {"state": "authenticated"}}, {"on": "session/new", "reply": {"sessionId": "s"}},
        ]),
    );
    agent.run(&place, &["status", "--probe", "session"]).assert_code(0);
    assert!(!agent.requests().contains(&"session/new".to_owned()));
    let agent = unreporting(&place, 1, opening());
    let config = place.write("c.toml", &format!("{}probe = \"session\"\n", agent.table("one")));
    let run = place.run(&["status", "--config", config.to_str().unwrap()]);
    run.assert_code(3).assert_stdout("a session can be opened");
    place.write("c.toml", &format!("{}probe = \"prompt\"\n", agent.table("one")));
    let run = place.run(&["status", "--config", config.to_str().unwrap()]);
    run.assert_code(2).assert_stderr("`probe` is \"none\", \"command\" or \"session\"");
}

fn update(update: Value) -> Value {
    json!({"method": "session/update", "params": {"sessionId": "s-1", "update": update}})
}

fn chunk(text: &str) -> Value {
    update(
        json!({"sessionUpdate": "agent_message_chunk", "messageId": "m", "content": {"type": "text", "text": text}}),
    )
}

/// Runs `--probe prompt` on an agent that does `steps` when it is prompted.
fn prompted(place: &Place, version: u64, steps: Value) -> (Run, Value, Agent) {
    let mut all = opening();
    all.as_array_mut().unwrap().extend(steps.as_array().unwrap().iter().cloned());
    let agent = unreporting(place, version, all);
    let (run, report) = agent.run_json(place, &["status", "--probe", "prompt", "--timeout", "5s"]);
    run.assert_stderr("costs tokens");
    (run, report, agent)
}

#[test]
fn an_answered_prompt_is_proof_and_is_cancelled() {
    let in_v1 = json!([
        {"on": "session/prompt", "request": {"id": 1, "method": "session/request_permission", "params": {}}},
        {"on": "session/prompt", "notify": chunk("OK")},
        {"on": "notify:session/cancel", "reply_to": "session/prompt", "reply": {"stopReason": "cancelled"}},
    ]);
    let in_v2 = json!([
        {"on": "session/prompt", "reply": {"messageId": "m-0"}},
        {"on": "session/prompt", "notify": update(json!({"sessionUpdate": "state_update", "state": "running"}))},
        {"on": "session/prompt", "notify": chunk("OK")},
    ]);
    for (version, steps) in [(1, in_v1), (2, in_v2)] {
        let place = Place::new();
        let (run, report, agent) = prompted(&place, version, steps);
        run.assert_code(0);
        assert_eq!(
            (&report["state"], &report["evidence"], &report["verified"]),
            (&json!("authenticated"), &json!("session/prompt"), &json!(true)),
        );
        assert!(agent.messages().iter().any(|message| message["method"] == "session/cancel"));
        assert!(agent.requests().contains(&"session/close".to_owned()));
        if version == 1 {
            assert!(agent.messages().iter().any(|message| message["error"]["code"] == -32601));
        }
    }
}

#[test]
fn a_prompt_refused_for_want_of_sign_in_is_an_answer() {
    let error = json!({"code": -32000, "message": "Authentication required"});
    let in_v2 = json!([
        {"on": "session/prompt", "reply": {"messageId": "m-0"}},
        {"on": "session/prompt", "notify": update(json!({"sessionUpdate": "state_update", "state": "idle", "stopReason": "error", "error": error}))},
    ]);
    for (version, steps) in [(1, json!([{"on": "session/prompt", "error": error}])), (2, in_v2)] {
        let (run, report, _) = prompted(&Place::new(), version, steps);
        run.assert_code(1);
        assert_eq!(
            (&report["state"], &report["evidence"]),
            (&json!("unauthenticated"), &json!("session/prompt"))
        );
    }
}

#[test]
fn a_prompt_that_tells_nothing_leaves_the_state_unknown() {
    let says = |text: &str| json!([{"on": "session/prompt", "notify": chunk(text)}, {"on": "session/prompt", "reply": {"stopReason": "end_turn"}}]);
    for steps in [
        json!([{"on": "session/prompt", "reply": {"stopReason": "end_turn"}}]),
        json!([{"on": "session/prompt", "error": {"code": -32603, "message": "model overloaded"}}]),
        // Some agents say in the model's place that one has to sign in.
        says("Invalid API key · Please run /login"),
    ] {
        let (run, report, _) = prompted(&Place::new(), 1, steps);
        run.assert_code(3);
        assert_eq!((&report["state"], &report["verified"]), (&json!("unknown"), &json!(false)));
    }
}

/// An agent that reports changes when it is asked a second and third time.
fn changing(place: &Place) -> Agent {
    let says = |state: &str| json!({"method": "auth/status_update", "params": {"state": state, "accounts": [{"label": "Plan"}]}});
    Agent::new(
        place,
        "agent",
        json!([
            answers_v1(),
            {"on": "auth/status", "reply": {"state": "unauthenticated"}},
            {"on": "auth/status", "delay_ms": 100, "notify": says("unknown")},
            {"on": "auth/status", "delay_ms": 100, "notify": says("authenticated")},
        ]),
    )
}

#[test]
fn a_watch_tells_every_change_until_the_state_is_reached() {
    let place = Place::new();
    let agent = changing(&place);
    let run = agent.run(&place, &["status", "--until", "authenticated"]);
    run.assert_code(0);
    let lines: Vec<&str> = run.stdout.lines().collect();
    assert_eq!(
        lines,
        [
            "scripted-agent  ✗ Not signed in  [auth/status]",
            "scripted-agent  ? Unknown: the agent cannot tell whether it is signed in  [auth/status_update]",
            "scripted-agent  ✓ Signed in: Plan  [auth/status_update]",
        ]
    );
    agent.assert_nothing_left();
    let run = agent.run(&place, &["status", "--json", "--watch", "--until", "authenticated"]);
    let states: Vec<Value> = run
        .stdout
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["agents"][0]["state"].clone())
        .collect();
    assert_eq!(states, ["unauthenticated", "unknown", "authenticated"]);
}

#[test]
fn a_watch_ends_by_the_time_limit_a_signal_or_the_agent() {
    let place = Place::new();
    let agent = changing(&place);
    let run = agent.run(&place, &["status", "--until", "not_required", "--timeout", "400ms"]);
    run.assert_code(124).assert_stdout("did not reach the state within 400ms");

    let mut child = agent.start(&place, &["status", "--watch"]);
    let mut line = String::new();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    stdout.read_line(&mut line).unwrap();
    assert!(line.contains("Not signed in"), "{line}");
    signal(child.id(), "INT");
    let mut rest = String::new();
    std::io::Read::read_to_string(&mut stdout, &mut rest).unwrap();
    Run::finish(child).assert_code(130);
    assert!(!rest.contains("interrupted"), "nothing else ends it: {rest}");
    agent.assert_nothing_left();
    let run = agent.run(&place, &["status", "--watch", "--timeout", "5s"]);
    run.assert_code(2).assert_stderr("add --until STATE");

    let ending = Agent::new(
        &place,
        "ending",
        json!([
            answers_v1(), {"on": "auth/status", "reply": {"state": "unauthenticated"}}, {"on": "auth/status", "delay_ms": 50, "exit": 3},
        ]),
    );
    ending.run(&place, &["status", "--watch"]).assert_code(4).assert_stdout("status 3");
    place
        .run(&["status", "--watch", "demo", "other"])
        .assert_code(2)
        .assert_stderr("name one agent");
}

#[test]
fn the_list_tells_what_each_method_does() {
    let place = Place::new();
    let mut initialize = answers_v1();
    initialize["reply"]["authMethods"] = json!([
        {"id": "web", "name": "Browser"},
        {"id": "key", "name": "Key", "type": "env_var", "vars": [{"name": "DEMO_API_KEY"}]},
        {"id": "term", "name": "Terminal", "type": "terminal", "args": ["--login"]},
        {"id": "cli", "name": "Program", "_meta": {"terminal-auth": {"command": "demo", "args": ["log in"]}}},
        {"id": "odd", "name": "Odd", "type": "_vendor.example"},
    ]);
    let agent = Agent::new(&place, "agent", json!([initialize]));
    let run = agent.run(&place, &["login", "--list"]);
    run.assert_code(0)
        .assert_stdout("✓ web: Browser")
        .assert_stdout(
            "takes DEMO_API_KEY: from the environment, a hidden prompt, or stdin with --with-token",
        )
        .assert_stdout("✗ term: Terminal [needs a terminal]")
        .assert_stdout("what the agent proposes (its program is not on PATH): demo 'log in'")
        .assert_stdout("✗ odd: Odd [type not known]");
    let (_, report) = agent.run_json(&place, &["login", "--list"]);
    let flows: Vec<&str> = report["authMethods"]
        .as_array()
        .unwrap()
        .iter()
        .map(|method| method["flow"].as_str().unwrap())
        .collect();
    assert_eq!(flows, ["agent", "values", "terminal", "proposed_command", "unsupported"]);
    assert_eq!(agent.requests(), ["initialize", "initialize"]);
    let none =
        Agent::new(&place, "none", json!([{"on": "initialize", "reply": {"protocolVersion": 1}}]));
    none.run(&place, &["login", "--list"])
        .assert_code(3)
        .assert_stdout("advertises no login method");
}

#[test]
fn a_variable_that_is_set_is_named_and_never_shown() {
    let mut place = Place::new();
    place.env("DEMO_API_KEY", "made-up-secret-value").env("OTHER_TOKEN", "made-up-secret-value");
    for (state, text) in [
        ("authenticated", "Set: OTHER_TOKEN (whether the agent uses it is not known)"),
        ("unauthenticated", "Set: DEMO_API_KEY (not enough by itself)"),
    ] {
        let mut initialize = answers_v1();
        initialize["reply"]["authMethods"] = json!([
            {"id": "key", "name": "Key", "type": "env_var", "vars": [{"name": "DEMO_API_KEY"}, {"name": "NOT_SET_KEY"}]},
            {"id": "text", "name": "Text", "description": "Set the `OTHER_TOKEN` environment variable."},
        ]);
        let agent = Agent::new(
            &place,
            "agent",
            json!([initialize, {"on": "auth/status", "reply": {"state": state}}]),
        );
        agent
            .run(&place, &["status", "-vv"])
            .assert_stdout(text)
            .assert_says_not("made-up-secret-value");
        let (run, report) = agent.run_json(&place, &["status"]);
        run.assert_says_not("made-up-secret-value");
        assert_eq!(report["credentialVariables"], json!(["DEMO_API_KEY", "OTHER_TOKEN"]));
    }
}
