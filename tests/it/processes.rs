//! Processes: started, watched, and gone afterwards in every path.

use std::io::{BufRead, BufReader, Read};

use std::os::unix::fs::PermissionsExt;

use serde_json::{Value, json};

use crate::common::{Agent, Place, Run, answers_v1, is_alive, signal};

/// An agent that ignores EOF and TERM and has a child that holds its stdout.
fn stubborn(place: &Place, steps: Value) -> Agent {
    let mut all = vec![
        json!({"on": "start", "ignore": ["TERM", "EOF", "INT", "HUP"]}),
        json!({"on": "start", "child": {"sleep_s": 300, "hold_stdout": true}}),
    ];
    all.extend(steps.as_array().unwrap().iter().cloned());
    Agent::new(place, "stubborn", Value::Array(all))
}

#[test]
fn nothing_is_left_of_a_stubborn_agent() {
    let place = Place::new();
    let agent = stubborn(
        &place,
        json!([answers_v1(), {"on": "auth/status", "reply": {"state": "authenticated"}}]),
    );
    agent.run(&place, &["status"]).assert_code(0);
    agent.assert_nothing_left();
}

#[test]
fn nothing_is_left_after_a_failure_or_a_time_limit() {
    let place = Place::new();
    let broken = stubborn(&place, json!([{"on": "initialize", "reply": null}]));
    broken.run(&place, &["status"]).assert_code(4);
    broken.assert_nothing_left();
    let silent = stubborn(&place, json!([{"on": "initialize", "hang": true}]));
    silent
        .run(&place, &["status", "--timeout", "200ms"])
        .assert_code(124)
        .assert_stdout("runs, but did not answer initialize");
    silent.assert_nothing_left();
}

#[test]
fn nothing_is_left_after_a_panic() {
    let mut place = Place::new();
    place.env("ACP_AUTH_TEST_PANIC", "1");
    let agent = stubborn(&place, json!([answers_v1()]));
    let (run, _) = agent.run_json(&place, &["status"]);
    run.assert_code(101).assert_stderr("a panic that was asked for");
    assert_eq!(run.document()["error"]["kind"], "internal");
    agent.assert_nothing_left();
}

#[test]
fn nothing_is_left_after_a_signal_in_any_phase() {
    for (name, number, code) in
        [("INT", 2, 130), ("TERM", 15, 143), ("HUP", 1, 129), ("QUIT", 3, 131)]
    {
        for (phase, command, steps) in [
            ("initialize", "status", json!([{"on": "initialize", "ignore": []}])),
            ("auth/status", "status", json!([answers_v1(), {"on": "auth/status", "ignore": []}])),
            (
                "authenticate",
                "login",
                json!([answers_v1(), {"on": "auth/status", "reply": {"state": "unknown"}}, {"on": "authenticate", "ignore": []}]),
            ),
            (
                "logout",
                "logout",
                json!([answers_v1(), {"on": "auth/status", "reply": {"state": "unknown"}}, {"on": "logout", "ignore": []}]),
            ),
        ] {
            let place = Place::new();
            let agent = stubborn(&place, steps);
            let child = agent.start(&place, &[command, "--json"]);
            agent.wait_for("request", |entry| entry["method"] == phase);
            signal(child.id(), name);
            // Once more, so that the test need not wait for what is stubborn to be killed.
            signal(child.id(), name);
            let run = Run::finish(child);
            run.assert_code(code);
            let report = run.document()["agents"][0].clone();
            assert_eq!(report["error"]["kind"], "interrupted", "{number} at {phase}\n{run}");
            assert_eq!(report["error"]["phase"], phase);
            agent.assert_nothing_left();
        }
    }
}

#[test]
fn a_request_that_is_given_up_is_cancelled() {
    let place = Place::new();
    let agent = Agent::new(
        &place,
        "agent",
        json!([
            answers_v1(),
            {"on": "auth/status", "reply": {"state": "unknown"}},
            {"on": "authenticate", "ignore": []},
        ]),
    );
    agent.run(&place, &["login", "--login-timeout", "100ms"]).assert_code(124);
    let cancelled =
        agent.messages().into_iter().find(|message| message["method"] == "$/cancel_request");
    assert_eq!(cancelled.unwrap()["params"], json!({"requestId": 4}));
}

#[test]
fn the_answer_is_printed_before_the_agent_is_ended() {
    let place = Place::new();
    let agent = stubborn(
        &place,
        json!([answers_v1(), {"on": "auth/status", "reply": {"state": "authenticated"}}]),
    );
    let mut child = agent.start(&place, &["status"]);
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    stdout.read_line(&mut line).unwrap();
    let pid = agent.log()[0]["pid"].as_u64().unwrap();
    assert!(is_alive(pid), "the agent had ended when {line:?} came");
    let mut rest = String::new();
    stdout.read_to_string(&mut rest).unwrap();
    Run::finish(child).assert_code(0);
    agent.assert_nothing_left();
}

#[test]
fn an_early_end_is_noticed_with_its_status_and_last_words() {
    let place = Place::new();
    for (steps, phase) in [
        (json!([{"on": "start", "stderr": "no credentials\n", "exit": 7}]), "initialize"),
        (json!([{"on": "initialize", "stderr": "no credentials\n", "exit": 7}]), "initialize"),
        (
            json!([answers_v1(), {"on": "auth/status", "stderr": "no credentials\n", "exit": 7}]),
            "auth/status",
        ),
        (
            json!([answers_v1(), {"on": "auth/status", "child": {"sleep_s": 300, "hold_stdout": true}}, {"on": "auth/status", "stderr": "no credentials\n", "exit": 7}]),
            "auth/status",
        ),
    ] {
        let agent = Agent::new(&place, "agent", steps);
        let (run, report) = agent.run_json(&place, &["status"]);
        run.assert_code(4).assert_stdout("status 7");
        assert_eq!(
            (&report["error"]["kind"], &report["error"]["phase"]),
            (&json!("exited"), &json!(phase))
        );
        assert_eq!(report["error"]["stderr"], "no credentials\n");
        agent.run(&place, &["status"]).assert_stdout("status 7").assert_stdout("no credentials");
        agent.assert_nothing_left();
    }
}

#[test]
fn a_signal_that_ended_the_agent_is_named() {
    let place = Place::new();
    let agent =
        Agent::new(&place, "agent", json!([{"on": "initialize", "shell": "kill -9 $PPID"}]));
    agent.run(&place, &["status"]).assert_code(4).assert_stdout("by signal 9");
}

#[test]
fn stdout_that_closes_while_the_agent_lives_is_noticed() {
    let place = Place::new();
    let agent = Agent::new(
        &place,
        "agent",
        json!([
            answers_v1(), {"on": "auth/status", "close": "stdout"}, {"on": "auth/status", "hang": true},
        ]),
    );
    let (run, report) = agent.run_json(&place, &["status"]);
    run.assert_code(4).assert_stdout("closed its stdout");
    assert_eq!(report["error"]["kind"], "protocol");
    agent.assert_nothing_left();
}

#[test]
fn a_line_without_end_is_cut_off() {
    let place = Place::new();
    let agent = Agent::new(
        &place,
        "agent",
        json!([
            {"on": "initialize", "write_raw": [{"repeat": "0123456789abcdef", "count": 5_000_000}]},
            {"on": "initialize", "hang": true},
        ]),
    );
    agent.run(&place, &["status"]).assert_code(4).assert_stdout("a line of more than 64 MiB");
    agent.assert_nothing_left();
}

#[test]
fn only_the_tail_of_stderr_is_kept() {
    let place = Place::new();
    let agent = Agent::new(
        &place,
        "agent",
        json!([
            {"on": "initialize", "stderr": [{"repeat": "0123456789abcde\n", "count": 100_000}, "the last line\n"]},
            {"on": "initialize", "exit": 1},
        ]),
    );
    let (run, report) = agent.run_json(&place, &["status"]);
    run.assert_code(4);
    let stderr = report["error"]["stderr"].as_str().unwrap();
    assert_eq!(stderr.len(), 64 << 10);
    assert!(stderr.ends_with("the last line\n"));
}

#[test]
fn a_closed_pipe_downstream_is_no_error() {
    let place = Place::new();
    let agent = Agent::new(
        &place,
        "agent",
        json!([
            answers_v1(), {"on": "auth/status", "reply": {"state": "unauthenticated"}},
        ]),
    );
    for json in [&["status"][..], &["status", "--json"]] {
        let mut child = agent.start(&place, json);
        drop(child.stdout.take());
        let run = Run::finish(child);
        run.assert_code(1);
        assert_eq!(run.stderr, "");
    }
}

#[test]
fn stdin_stays_open_until_the_answer_is_in() {
    let place = Place::new();
    let agent = Agent::new(
        &place,
        "agent",
        json!([
            answers_v1(),
            {"on": "auth/status", "delay_ms": 200, "reply": {"state": "authenticated"}},
        ]),
    );
    agent.run(&place, &["status"]).assert_code(0);
    let events: Vec<String> =
        agent.log().iter().map(|entry| entry["event"].as_str().unwrap().to_owned()).collect();
    assert_eq!(events, ["start", "request", "request", "eof"]);
}

#[test]
fn a_trace_holds_messages_and_no_secrets() {
    let place = Place::new();
    let agent = Agent::new(
        &place,
        "agent",
        json!([
            answers_v1(),
            {"on": "auth/status", "stderr": "using made-up-secret-value\n"},
            {"on": "auth/status", "reply": {"state": "authenticated", "message": "key made-up-secret-value",
                "accounts": [{"label": "Plan", "email": "alice@example.test", "_meta": {"accessToken": "tok-1"}}]}},
        ]),
    );
    let trace = place.path("trace.jsonl");
    let args = [
        "status",
        "-vv",
        "--env",
        "DEMO_KEY=made-up-secret-value",
        "--trace",
        trace.to_str().unwrap(),
    ];
    agent
        .run(&place, &args)
        .assert_code(0)
        .assert_says_not("made-up-secret-value")
        .assert_stdout("[redacted]");
    let text = std::fs::read_to_string(&trace).unwrap();
    for hidden in ["made-up-secret-value", "alice@example.test", "tok-1"] {
        assert!(!text.contains(hidden), "{text}");
    }
    let entries: Vec<Value> =
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(entries.len(), 5, "a header and four messages");
    assert_eq!(std::fs::metadata(&trace).unwrap().permissions().mode() & 0o777, 0o600);
}

#[test]
fn a_full_disk_for_the_trace_or_the_answer_is_told() {
    let place = Place::new();
    let agent = Agent::new(
        &place,
        "agent",
        json!([
            answers_v1(), {"on": "auth/status", "reply": {"state": "authenticated"}},
        ]),
    );
    agent
        .run(&place, &["status", "--trace", "/dev/full"])
        .assert_code(0)
        .assert_stderr("trace is incomplete");
    for args in [&["status"][..], &["status", "--json"]] {
        let words = agent.after(args);
        let mut command = place.command(&words.iter().map(String::as_str).collect::<Vec<_>>());
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        command.stdout(full).stderr(std::process::Stdio::piped());
        let run = Run::finish(command.spawn().unwrap());
        run.assert_stderr("could not be written to stdout");
        assert_ne!(run.code, 0, "{run}");
    }
}

#[test]
fn an_agent_that_asks_before_it_reads_is_answered_all_the_same() {
    let place = Place::new();
    // All of it comes before the agent reads the first answer.
    let asking = |count: u32| {
        Agent::new(
            &place,
            "agent",
            json!([
                {"on": "start", "write_raw": [{"repeat": "{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"x\"}\n", "count": count}]},
                answers_v1(),
                {"on": "auth/status", "reply": {"state": "authenticated"}},
            ]),
        )
    };
    asking(20_000).run(&place, &["status"]).assert_code(0);
    let run = asking(1_000_000).run(&place, &["status", "--timeout", "20s"]);
    run.assert_code(4).assert_stdout("does not read what it is sent");
}
