//! `acp-auth status`: what agents say, and how it is shown.

use serde_json::{Value, json};

use crate::common::{Agent, Place, answers_v1, answers_v2};

/// An agent that answers `initialize` and then `auth/status` with `reply`.
fn reporting(place: &Place, initialize: Value, reply: Value) -> Agent {
    Agent::new(place, "agent", json!([initialize, {"on": "auth/status", "reply": reply}]))
}

#[track_caller]
fn assert_reported(initialize: Value, reply: Value, code: i32, expected: Value) {
    let place = Place::new();
    let agent = reporting(&place, initialize, reply);
    let (run, report) = agent.run_json(&place, &["status"]);
    run.assert_code(code);
    for (key, value) in expected.as_object().unwrap() {
        assert_eq!(&report[key], value, "{key}\n{run}");
    }
    agent.run(&place, &["status"]).assert_code(code);
    assert!(
        !agent
            .requests()
            .iter()
            .any(|method| method.starts_with("auth") && method != "auth/status")
    );
}

#[test]
fn the_current_shape_in_both_versions() {
    for initialize in [answers_v1(), answers_v2()] {
        for (state, code) in
            [("authenticated", 0), ("not_required", 0), ("unauthenticated", 1), ("unknown", 3)]
        {
            let expected = json!({"state": state, "evidence": "auth/status", "reportedState": null, "error": null});
            assert_reported(initialize.clone(), json!({"state": state}), code, expected);
        }
        let odd =
            json!({"state": "unknown", "reportedState": "half_asleep", "evidence": "auth/status"});
        assert_reported(initialize, json!({"state": "half_asleep"}), 3, odd);
    }
}

#[test]
fn the_first_shape() {
    assert_reported(
        answers_v1(),
        json!({"authenticated": true, "message": "Credentials are configured"}),
        0,
        json!({"state": "authenticated", "message": "Credentials are configured"}),
    );
    assert_reported(
        answers_v1(),
        json!({"authenticated": false}),
        1,
        json!({"state": "unauthenticated"}),
    );
}

#[test]
fn accounts_are_lenient_and_the_state_is_strict() {
    assert_reported(
        answers_v1(),
        json!({"state": "authenticated", "accounts": [
            {"label": "Work", "active": true, "email": "a@example.test", "name": 7},
            {"email": "no-label@example.test"},
            {"label": "Key", "description": "DEMO_API_KEY"},
        ]}),
        0,
        json!({"accounts": [
            {"label": "Work", "description": null, "active": true, "name": null, "email": "a@example.test", "organization": null},
            {"label": "Key", "description": "DEMO_API_KEY", "active": null, "name": null, "email": null, "organization": null},
        ]}),
    );
    assert_reported(
        answers_v1(),
        json!({"state": "authenticated", "accounts": "many"}),
        0,
        json!({"accounts": [], "diagnostics": [{"kind": "malformed_accounts", "message": "the list of accounts is not a list"}]}),
    );
    for no_answer in [
        json!({}),
        json!({"state": null}),
        json!({"state": 1}),
        json!({"authenticated": "yes"}),
        json!(null),
        json!([]),
    ] {
        let place = Place::new();
        let agent = reporting(&place, answers_v1(), no_answer.clone());
        let (run, report) = agent.run_json(&place, &["status"]);
        run.assert_code(3);
        assert_eq!(report["state"], "unknown", "from {no_answer}");
        assert_eq!(
            (&report["error"]["kind"], &report["error"]["phase"]),
            (&json!("protocol"), &json!("auth/status"))
        );
    }
}

#[test]
fn an_error_is_unknown_and_shown_whatever_its_code() {
    for code in [-32601, -32603, -32000] {
        let place = Place::new();
        let error =
            json!({"code": code, "message": "please run /login", "data": {"why": "because"}});
        let agent = Agent::new(
            &place,
            "agent",
            json!([answers_v1(), {"on": "auth/status", "error": error}]),
        );
        let (run, report) = agent.run_json(&place, &["status"]);
        run.assert_code(3);
        assert_eq!(report["state"], "unknown");
        assert_eq!(report["error"]["kind"], "rejected");
        assert_eq!(report["error"]["code"], code);
        assert_eq!(report["error"]["data"], json!({"why": "because"}));
        agent
            .run(&place, &["status"])
            .assert_code(3)
            .assert_stdout("please run /login")
            .assert_stdout("because");
    }
}

#[test]
fn initialize_refused_for_want_of_sign_in_is_an_answer() {
    let place = Place::new();
    let refusing =
        |error: Value| Agent::new(&place, "agent", json!([{"on": "initialize", "error": error}]));
    let (run, report) = refusing(json!({"code": -32000, "message": "Authentication required"}))
        .run_json(&place, &["status"]);
    run.assert_code(1);
    assert_eq!(
        (&report["state"], &report["evidence"]),
        (&json!("unauthenticated"), &json!("initialize"))
    );
    assert_eq!(
        (&report["message"], &report["error"]),
        (&json!("Authentication required"), &json!(null))
    );
    for other in [
        json!({"code": -32603, "message": "please run /login"}),
        json!({"code": -32000, "message": "Server error", "data": {"cause": "no disk space"}}),
    ] {
        let (run, report) = refusing(other).run_json(&place, &["status"]);
        run.assert_code(4);
        assert_eq!(
            (&report["state"], &report["error"]["kind"]),
            (&json!("unknown"), &json!("rejected"))
        );
    }
}

fn pushing(place: &Place, kind: &str) -> Agent {
    let mut initialize = answers_v1();
    initialize["reply"]["agentCapabilities"] = json!({"_meta": {"authStatus": {}}});
    let update = json!({"method": "_auth/status_update", "params": {"authStatus": {
        "kind": kind, "label": "A plan", "detail": "DEMO_API_KEY", "account": {"email": "a@example.test"},
    }}});
    Agent::new(
        place,
        "agent",
        json!([initialize, {"on": "initialize", "delay_ms": 100, "notify": update}]),
    )
}

#[test]
fn a_pushed_state_is_waited_for_where_it_is_announced() {
    let place = Place::new();
    for (kind, state, code) in [
        ("none", "unauthenticated", 1),
        ("account", "authenticated", 0),
        ("api_key", "authenticated", 0),
        ("gateway", "authenticated", 0),
        ("external", "authenticated", 0),
        ("something", "unknown", 3),
    ] {
        let (run, report) = pushing(&place, kind).run_json(&place, &["status"]);
        run.assert_code(code);
        assert_eq!(
            (&report["state"], &report["evidence"]),
            (&json!(state), &json!("_auth/status_update")),
            "{kind}"
        );
    }
    let mut silent = answers_v1();
    silent["reply"]["agentCapabilities"] = json!({"_meta": {"authStatus": {}}});
    let agent = Agent::new(&place, "silent", json!([silent]));
    let run = agent.run(&place, &["status", "--push-timeout", "50ms"]);
    run.assert_code(3).assert_stdout("did not within 50ms");
}

#[test]
fn a_fresh_answer_outweighs_an_update_that_came_before_it_unknown_included() {
    let place = Place::new();
    let update = json!({"method": "auth/status_update", "params": {"state": "unauthenticated"}});
    let agent = Agent::new(
        &place,
        "agent",
        json!([
            answers_v1(),
            {"on": "auth/status", "notify": update},
            {"on": "auth/status", "reply": {"state": "unknown"}},
        ]),
    );
    let (run, report) = agent.run_json(&place, &["status"]);
    run.assert_code(3);
    assert_eq!(report["evidence"], "auth/status");
}

#[test]
fn several_agents_are_answered_in_order_and_the_worst_exit_counts() {
    let place = Place::new();
    let slow = Agent::new(
        &place,
        "slow",
        json!([
            answers_v1(), {"on": "auth/status", "delay_ms": 300, "reply": {"state": "authenticated"}},
        ]),
    );
    let fast = reporting(&place, answers_v1(), json!({"state": "unauthenticated"}));
    let config = place.write("c.toml", &(slow.table("slow") + &fast.table("fast")));
    let config = config.to_str().unwrap();
    let run = place.run(&["status", "--config", config, "slow", "fast"]);
    run.assert_code(1);
    let lines: Vec<&str> = run.stdout.lines().filter(|line| !line.starts_with(' ')).collect();
    assert_eq!(
        lines,
        ["slow  Scripted Agent 1.2.3 · ACP v1", "", "fast  Scripted Agent 1.2.3 · ACP v1"]
    );
    let (run, document) = place.run_json(&["status", "--config", config]);
    run.assert_code(1);
    assert_eq!(document["agents"][1]["name"], "fast");
}

#[test]
fn account_details_are_masked_in_ci() {
    let mut place = Place::new();
    let agent = reporting(
        &place,
        answers_v1(),
        json!({
            "state": "authenticated", "message": "signed in as alice@example.test, Alice of Example Org",
            "accounts": [{"label": "Plan of alice@example.test", "name": "Alice", "email": "alice@example.test", "organization": "Example Org"}],
        }),
    );
    place.env("CI", "true");
    let (run, report) = agent.run_json(&place, &["status"]);
    run.assert_code(0)
        .assert_says_not("alice")
        .assert_says_not("Alice")
        .assert_says_not("Example Org");
    assert_eq!(report["accountsMasked"], true);
    assert_eq!(report["accounts"][0]["label"], "***");
    agent.run(&place, &["status"]).assert_stdout("Signed in: ***").assert_says_not("alice");
    let (run, report) = agent.run_json(&place, &["status", "--show-accounts"]);
    run.assert_stdout("alice@example.test");
    assert_eq!(report["accountsMasked"], false);
}

#[test]
fn what_an_agent_sends_reaches_no_terminal_raw() {
    let place = Place::new();
    let mut initialize = answers_v1();
    initialize["reply"]["agentInfo"]["title"] =
        json!("Evil\u{1b}]0;owned\u{7}\u{1b}[2J\n  ✓ Signed in\u{202e}");
    initialize["reply"]["authMethods"][0]["id"] = json!("we\u{9b}31mb\u{200b}");
    let agent = reporting(&place, initialize, json!({"state": "unauthenticated"}));
    let run = agent.run(&place, &["status"]);
    run.assert_code(1).assert_stdout(r"Evil\u{1b}]0;owned\u{7}\u{1b}[2J ✓ Signed in\u{202e} 1.2.3");
    assert!(!run.stdout.lines().any(|line| line.starts_with("  ✓")), "{run}");
    for unseen in ['\u{1b}', '\u{9b}', '\u{202e}', '\u{200b}', '\u{7}'] {
        run.assert_says_not(&unseen.to_string());
    }
    let (run, report) = agent.run_json(&place, &["status"]);
    assert_eq!(report["authMethods"][0]["id"], "we\u{9b}31mb\u{200b}");
    run.assert_says_not("\u{9b}");
}

#[test]
fn colours_follow_option_and_environment() {
    let mut place = Place::new();
    let agent = reporting(&place, answers_v1(), json!({"state": "authenticated"}));
    agent.run(&place, &["status"]).assert_says_not("\u{1b}");
    agent.run(&place, &["status", "--color", "always"]).assert_stdout("\u{1b}[32m✓");
    place.env("CLICOLOR_FORCE", "1");
    agent.run(&place, &["status"]).assert_stdout("\u{1b}[32m✓");
    agent.run(&place, &["status", "--color", "never"]).assert_says_not("\u{1b}");
}
