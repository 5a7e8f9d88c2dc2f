//! `acp-auth login` and `acp-auth logout` without a terminal.

use serde_json::{Value, json};

use crate::common::{Agent, Place, answers_v1, answers_v2};

/// An agent that keeps its state and says it.
fn remembering(place: &Place, initialize: Value) -> Agent {
    Agent::new(
        place,
        "agent",
        json!([
            initialize,
            {"on": "auth/status", "state": {"in": false}, "reply": {"state": "unauthenticated"}},
            {"on": "auth/status", "state": {"in": true}, "reply": {"state": "authenticated"}},
            {"on": "authenticate", "set": {"in": true}, "reply": {}},
            {"on": "auth/login", "set": {"in": true}, "reply": null},
            {"on": "logout", "set": {"in": false}, "reply": {}},
            {"on": "auth/logout", "set": {"in": false}, "reply": {}},
        ]),
    )
}

#[test]
fn the_only_method_is_taken_and_the_result_verified() {
    for (initialize, login, logout) in
        [(answers_v1(), "authenticate", "logout"), (answers_v2(), "auth/login", "auth/logout")]
    {
        let place = Place::new();
        let agent = remembering(&place, initialize);
        let (run, report) = agent.run_json(&place, &["login"]);
        run.assert_code(0);
        assert_eq!(
            report["operation"],
            json!({"kind": "login", "method": "web", "result": "signed_in", "confirmed": true, "verified": false})
        );
        agent.run(&place, &["login"]).assert_code(0).assert_stdout("Signed in already");
        agent.run(&place, &["logout"]).assert_code(0);
        agent.run(&place, &["logout"]).assert_code(0).assert_stdout("Signed out already");
        let count =
            |method: &str| agent.requests().iter().filter(|request| *request == method).count();
        assert_eq!((count(login), count(logout)), (1, 1));
    }
}

#[test]
fn force_signs_in_once_more() {
    let place = Place::new();
    let agent = remembering(&place, answers_v1());
    agent.run(&place, &["login"]).assert_code(0);
    agent.run(&place, &["login", "--force"]).assert_code(0);
    assert_eq!(agent.requests().iter().filter(|method| *method == "authenticate").count(), 2);
}

#[test]
fn a_method_that_is_not_offered_is_refused_with_those_that_are() {
    let mut place = Place::new();
    let agent = remembering(&place, answers_v1());
    agent
        .run(&place, &["login", "--method", "nope"])
        .assert_code(2)
        .assert_stdout("it offers: web");
    place.env("NO_BROWSER", "1");
    agent
        .run(&place, &["login", "--method", "nope"])
        .assert_code(2)
        .assert_stdout("because of NO_BROWSER");
    assert!(!agent.requests().contains(&"authenticate".to_owned()));
}

#[test]
fn without_a_terminal_a_terminal_method_is_refused() {
    let place = Place::new();
    let mut initialize = answers_v1();
    initialize["reply"]["authMethods"] =
        json!([{"id": "term", "name": "T", "type": "terminal", "args": ["--login"]}]);
    let agent = remembering(&place, initialize);
    for args in [&["login"][..], &["login", "--method", "term"]] {
        let (run, report) = agent.run_json(&place, args);
        run.assert_code(2).assert_stdout("needs a terminal");
        assert_eq!(report["error"]["kind"], "usage");
    }
    assert!(agent.starts().iter().all(Vec::is_empty), "no program was run for it");
}

#[test]
fn a_login_that_is_accepted_and_does_nothing_has_failed() {
    let place = Place::new();
    let agent = Agent::new(
        &place,
        "agent",
        json!([
            answers_v1(), {"on": "auth/status", "reply": {"state": "unauthenticated"}}, {"on": "authenticate", "reply": {}},
        ]),
    );
    let (run, report) = agent.run_json(&place, &["login"]);
    run.assert_code(1);
    assert_eq!(report["operation"]["result"], "failed");
    assert_eq!(report["operation"]["confirmed"], false);
    assert_eq!(agent.starts().len(), 2);
    agent
        .run(&place, &["login"])
        .assert_code(1)
        .assert_stdout("still says that nobody is signed in");
}

#[test]
fn without_a_reported_state_success_is_not_claimed() {
    let place = Place::new();
    let mut initialize = answers_v1();
    initialize["reply"]["agentCapabilities"] = json!({"auth": {"logout": {}}});
    let agent = Agent::new(
        &place,
        "agent",
        json!([
            initialize, {"on": "authenticate", "reply": {}}, {"on": "logout", "reply": null},
        ]),
    );
    let (run, report) = agent.run_json(&place, &["login"]);
    run.assert_code(0);
    assert_eq!(
        report["operation"],
        json!({"kind": "login", "method": "web", "result": "accepted", "confirmed": false, "verified": false})
    );
    agent.run(&place, &["login"]).assert_stdout("Login accepted, not verified");
    agent.run(&place, &["logout"]).assert_code(0).assert_stdout("Logout accepted, not verified");
}

#[test]
fn a_draft_of_v2_is_tried_with_the_old_name_once() {
    let place = Place::new();
    let agent = Agent::new(
        &place,
        "agent",
        json!([
            answers_v2(),
            {"on": "auth/status", "state": {"in": false}, "reply": {"state": "unauthenticated"}},
            {"on": "auth/status", "state": {"in": true}, "reply": {"state": "authenticated"}},
            {"on": "authenticate", "set": {"in": true}, "reply": {}},
        ]),
    );
    agent.run(&place, &["login"]).assert_code(0);
    assert_eq!(
        agent
            .requests()
            .iter()
            .filter(|method| method.contains("log") || *method == "authenticate")
            .collect::<Vec<_>>(),
        ["auth/login", "authenticate"]
    );
}

#[test]
fn a_logout_that_leaves_a_credential_behind_has_failed_and_names_it() {
    let mut place = Place::new();
    place.env("DEMO_API_KEY", "made-up-secret-value");
    let agent = Agent::new(
        &place,
        "agent",
        json!([
            answers_v1(),
            {"on": "auth/status", "reply": {"state": "authenticated", "accounts": [{"label": "API key", "description": "DEMO_API_KEY"}]}},
            {"on": "logout", "reply": {}},
        ]),
    );
    let (run, report) = agent.run_json(&place, &["logout"]);
    run.assert_code(1)
        .assert_stdout("the variable DEMO_API_KEY still applies")
        .assert_says_not("made-up-secret");
    assert_eq!(
        report["operation"],
        json!({"kind": "logout", "method": null, "result": "failed", "confirmed": false, "verified": false})
    );
}

#[test]
fn logout_that_is_not_offered_or_not_known_is_unsupported() {
    let place = Place::new();
    let agent = Agent::new(
        &place,
        "agent",
        json!([
            answers_v2(), {"on": "auth/status", "reply": {"state": "authenticated"}},
        ]),
    );
    let (run, report) = agent.run_json(&place, &["logout"]);
    run.assert_code(3);
    assert_eq!(report["operation"]["result"], "unsupported");
    let failing = Agent::new(
        &place,
        "failing",
        json!([
            answers_v1(), {"on": "auth/status", "reply": {"state": "authenticated"}},
            {"on": "logout", "error": {"code": -32603, "message": "keychain is locked"}},
        ]),
    );
    failing.run(&place, &["logout"]).assert_code(1).assert_stdout("keychain is locked");
}

#[test]
fn an_agent_that_refuses_to_talk_is_signed_out_and_cannot_be_signed_in() {
    let place = Place::new();
    let agent = Agent::new(
        &place,
        "agent",
        json!([
            {"on": "initialize", "error": {"code": -32000, "message": "Authentication required"}},
        ]),
    );
    let (run, report) = agent.run_json(&place, &["login"]);
    run.assert_code(1).assert_stdout("sign in with its own program");
    assert_eq!(
        (&report["operation"]["result"], &report["error"]["code"]),
        (&json!("failed"), &json!(-32000))
    );
    let (run, report) = agent.run_json(&place, &["logout"]);
    run.assert_code(0);
    assert_eq!(report["operation"]["result"], "already_signed_out");
}

#[test]
fn in_ci_nothing_the_agent_says_names_a_person() {
    let mut place = Place::new();
    place.env("CI", "true");
    place
        .run(&["login", "demo", "--method", "demo-account"])
        .assert_code(0)
        .assert_says_not("demo@example.test");
    let run = place.run(&["login", "demo", "--method", "nope"]);
    run.assert_code(0).assert_stdout("the method nope is not offered here");
}

#[test]
fn a_silent_agents_login_and_logout_are_proved_by_sessions_in_new_processes() {
    let place = Place::new();
    let mut initialize = answers_v1();
    initialize["reply"]["authMethods"] = json!([{"id": "web", "name": "Web"}]);
    initialize["reply"]["agentCapabilities"] = json!({"auth": {"logout": {}}});
    let agent = Agent::new(
        &place,
        "agent",
        json!([
            initialize,
            {"on": "authenticate", "reply": {}, "set": {"in": true}},
            {"on": "logout", "reply": {}, "set": {"in": false}},
            {"on": "session/new", "state": {"in": true}, "reply": {"sessionId": "s"}},
            {"on": "session/new", "state": {"in": false}, "error": {"code": -32000, "message": "Authentication required"}},
        ]),
    );
    let (run, report) = agent.run_json(&place, &["login"]);
    run.assert_code(0);
    assert_eq!(report["operation"]["confirmed"], true, "{run}");
    let (run, report) = agent.run_json(&place, &["logout"]);
    run.assert_code(0);
    assert_eq!(report["operation"]["confirmed"], true, "{run}");
    // Without a probe nothing is opened, and nothing is claimed.
    let (run, report) = agent.run_json(&place, &["login", "--probe", "none"]);
    run.assert_code(0);
    assert_eq!(report["operation"]["confirmed"], false, "{run}");
}

#[test]
fn a_state_that_is_pushed_during_a_login_counts() {
    let place = Place::new();
    let mut initialize = answers_v1();
    initialize["reply"]["authMethods"] = json!([{"id": "web", "name": "Web"}]);
    initialize["reply"]["agentCapabilities"] = json!({"_meta": {"authStatus": {}}});
    let update = |kind: &str| json!({"method": "_auth/status_update", "params": {"authStatus": {"kind": kind, "label": "Demo"}}});
    for (answer, code) in [
        (json!({"on": "authenticate", "notify": update("account"), "hang": true}), 0),
        (
            json!({"on": "authenticate", "notify": update("account"), "error": {"code": -32603, "message": "late"}}),
            0,
        ),
    ] {
        let agent = Agent::new(
            &place,
            "agent",
            json!([initialize, {"on": "initialize", "notify": update("none")}, answer]),
        );
        let (run, report) = agent.run_json(&place, &["login", "--login-timeout", "20s"]);
        run.assert_code(code);
        assert_eq!(report["state"], "authenticated", "{run}");
    }
}

#[test]
fn a_method_that_is_mistyped_is_a_usage_error_even_when_somebody_is_signed_in() {
    let place = Place::new();
    let mut initialize = answers_v1();
    initialize["reply"]["authMethods"] = json!([{"id": "browser", "name": "Web"}]);
    let agent = Agent::new(
        &place,
        "agent",
        json!([initialize, {"on": "auth/status", "reply": {"state": "authenticated"}}]),
    );
    agent
        .run(&place, &["login", "--method", "browsr"])
        .assert_code(2)
        .assert_stdout("did you mean `browser`?");
    agent.run(&place, &["login", "--method", "chat-gpt"]).assert_code(0);
    agent.run(&place, &["login", "--expect-account", ""]).assert_code(2);
    agent.run(&place, &["login", "--expect-account", "somebody"]).assert_code(1);
}

#[test]
fn a_browser_that_the_agent_cannot_open_is_said_with_a_method_that_needs_none() {
    let place = Place::new();
    let mut initialize = answers_v1();
    initialize["reply"]["authMethods"] = json!([
        {"id": "web", "name": "Browser"},
        {"id": "code", "name": "Device code"},
    ]);
    let agent = Agent::new(
        &place,
        "agent",
        json!([
            initialize,
            {"on": "auth/status", "reply": {"state": "unauthenticated"}},
            {"on": "authenticate", "stderr": "Error: spawn xdg-open ENOENT\n  at x {\n  }\n", "exit": 1},
        ]),
    );
    agent
        .run(&place, &["login", "--method", "web"])
        .assert_stdout("opens the browser by itself")
        .assert_stdout("--method code");
}

/// A login over the limit names that limit alone.
#[test]
fn only_the_limit_that_passed_is_named() {
    let place = Place::new();
    let agent = Agent::new(
        &place,
        "agent",
        json!([
            answers_v1(),
            {"on": "auth/status", "reply": {"state": "unauthenticated"}},
            {"on": "authenticate", "ignore": []},
        ]),
    );
    let run = agent.run(&place, &["login", "--login-timeout", "300ms"]);
    run.assert_code(124)
        .assert_stdout("--login-timeout waits longer")
        .assert_says_not("--timeout waits");
    let echo = place.run(&["status", "--", "cat"]);
    echo.assert_code(4).assert_stdout("sends back what it is sent");
}

/// A trace of calls pushes the cause out of the last lines, which is shown all the same.
#[test]
fn the_cause_on_stderr_is_kept() {
    let place = Place::new();
    let trace = "    at call (file.js)\n".repeat(20);
    let text = format!("Error: Cannot find module 'x'\n{trace}  }}\n]\n");
    let agent =
        Agent::new(&place, "agent", json!([{"on": "initialize", "stderr": text, "exit": 1}]));
    let run = agent.run(&place, &["status"]);
    run.assert_code(4).assert_stdout("Error: Cannot find module 'x'").assert_stdout("[…]");
    assert!(!run.stdout.contains("      ]\n"), "{}", run.stdout);
}

#[test]
fn a_quiet_login_shows_nothing_of_what_the_agent_says() {
    let place = Place::new();
    let agent = Agent::new(
        &place,
        "agent",
        json!([
            answers_v1(),
            {"on": "auth/status", "state": {"in": false}, "reply": {"state": "unauthenticated"}},
            {"on": "auth/status", "state": {"in": true}, "reply": {"state": "authenticated"}},
            {"on": "authenticate", "stderr": "chatter\n", "set": {"in": true}, "reply": {}},
        ]),
    );
    let run = agent.run(&place, &["login", "--quiet"]);
    run.assert_code(0);
    assert_eq!((run.stdout.as_str(), run.stderr.as_str()), ("", ""));
}

/// What a person may read as nothing is said in words.
#[test]
fn accounts_without_a_name_and_those_not_in_use_are_told_apart() {
    let place = Place::new();
    let accounts = json!([{"label": ""}, {"label": "work", "active": false}, {"label": "home", "active": true}]);
    let agent = Agent::new(
        &place,
        "agent",
        json!([answers_v1(), {"on": "auth/status", "reply": {"state": "authenticated", "accounts": accounts}}]),
    );
    agent
        .run(&place, &["status"])
        .assert_code(0)
        .assert_stdout("Account: an account without a name")
        .assert_stdout("Account: work, not active")
        .assert_stdout("Account: home, active");
}

#[test]
fn a_method_that_was_offered_before_is_hidden_and_not_mistyped() {
    let place = Place::new();
    let agent = |methods: Value| {
        let mut initialize = answers_v1();
        initialize["reply"]["authMethods"] = methods;
        let steps =
            json!([initialize, {"on": "auth/status", "reply": {"state": "unauthenticated"}}]);
        let agent = Agent::new(&place, "mine", steps);
        place.write("home/.config/acp-auth/config.toml", &agent.table("mine"));
    };
    agent(json!([{"id": "web-1", "name": "One"}, {"id": "web-2", "name": "Two"}]));
    place.run(&["status", "mine"]).assert_code(1);
    agent(json!([{"id": "web-1", "name": "One"}]));
    place
        .run(&["login", "mine", "--method", "web-2"])
        .assert_code(2)
        .assert_stdout("it was offered before")
        .assert_says_not("did you mean");
}
