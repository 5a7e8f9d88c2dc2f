//! The wire: versions, the schema of what is sent, the official SDK on the other side.

use agent_client_protocol_schema::{v1, v2};
use schemars::schema_for;
use serde_json::{Value, json};

use crate::common::{Agent, Place, Run, answers_v1, answers_v2, example};

fn answering(place: &Place, steps: Value) -> Agent {
    let mut steps = steps;
    steps
        .as_array_mut()
        .unwrap()
        .push(json!({"on": "auth/status", "reply": {"state": "authenticated"}}));
    Agent::new(place, "agent", steps)
}

#[track_caller]
fn assert_versions(agent: &Agent, place: &Place, args: &[&str], asked: &[u64], spoken: u64) {
    let (run, report) = agent.run_json(place, args);
    run.assert_code(0);
    let sent: Vec<u64> = agent
        .messages()
        .iter()
        .filter_map(|message| message["params"]["protocolVersion"].as_u64())
        .collect();
    assert_eq!(sent, asked, "{run}");
    assert_eq!(report["protocolVersion"], spoken, "{run}");
    agent.assert_nothing_left();
}

#[test]
fn version_1_is_asked_for_first() {
    let place = Place::new();
    assert_versions(&answering(&place, json!([answers_v1()])), &place, &["status"], &[1], 1);
}

#[test]
fn an_agent_that_knows_only_2_is_asked_again_in_a_new_process() {
    let place = Place::new();
    assert_versions(&answering(&place, json!([answers_v2()])), &place, &["status"], &[1, 2], 2);
    let mut refusal = json!({"on": "initialize", "params": {"protocolVersion": 1}, "error": {"code": -32022, "message": "no"}});
    let mut acceptance = answers_v2();
    acceptance["params"] = json!({"protocolVersion": 2});
    let place = Place::new();
    assert_versions(
        &answering(&place, json!([refusal.take(), acceptance])),
        &place,
        &["status"],
        &[1, 2],
        2,
    );
}

#[test]
fn protocol_2_accepts_1() {
    let place = Place::new();
    assert_versions(
        &answering(&place, json!([answers_v1()])),
        &place,
        &["status", "--protocol", "2"],
        &[2],
        1,
    );
    let place = Place::new();
    assert_versions(
        &answering(&place, json!([answers_v2()])),
        &place,
        &["status", "--protocol", "2"],
        &[2],
        2,
    );
}

#[test]
fn the_keys_decide_where_an_agent_echoes_the_version() {
    let place = Place::new();
    let mut echo = answers_v1();
    echo["reply"]["protocolVersion"] = json!(2);
    let agent = answering(&place, json!([echo]));
    assert_versions(&agent, &place, &["status", "--protocol", "2"], &[2], 1);
    agent
        .run(&place, &["status"])
        .assert_code(0)
        .assert_stdout("it says version 2 and uses the keys of version 1");
}

#[test]
fn versions_that_do_not_exist_are_reported() {
    for (version, code, kind, text) in [
        (json!("1"), 0, json!(null), "instead of a number"),
        (json!(3), 4, json!("unsupported_version"), "it speaks version 3"),
        (json!("2025-03-26"), 4, json!("protocol"), "not an integer"),
        (json!(1.5), 4, json!("protocol"), "not an integer"),
        (json!(null), 4, json!("protocol"), "without a protocolVersion"),
    ] {
        let place = Place::new();
        let mut initialize = answers_v1();
        initialize["reply"]["protocolVersion"] = version.clone();
        let agent = answering(&place, json!([initialize]));
        let (run, report) = agent.run_json(&place, &["status"]);
        run.assert_code(code).assert_stdout(text);
        assert_eq!(report["error"]["kind"], kind, "{version}");
    }
    let place = Place::new();
    let run = answering(&place, json!([answers_v2()])).run(&place, &["status", "--protocol", "1"]);
    run.assert_code(4).assert_stdout("it speaks version 2 only").assert_stdout("--protocol 2");
}

#[test]
fn an_initialize_answer_that_is_none_breaks_the_protocol() {
    for answer in [json!(null), json!([]), json!("hello"), json!({})] {
        let place = Place::new();
        let agent = Agent::new(&place, "agent", json!([{"on": "initialize", "reply": answer}]));
        let (run, report) = agent.run_json(&place, &["status"]);
        run.assert_code(4);
        assert_eq!(report["error"]["phase"], "initialize", "{answer}");
    }
}

#[test]
fn malformed_parts_default_and_are_remarked_on() {
    let place = Place::new();
    let agent = answering(
        &place,
        json!([{"on": "initialize", "reply": {
            "protocolVersion": 1, "agentInfo": "me", "agentCapabilities": {"auth": {"status": true, "logout": null}},
            "authMethods": [
                {"id": "good", "name": "Good", "description": null},
                {"name": "no id"}, "oauth",
                {"id": "good", "name": "again"},
                {"id": "term", "name": "Terminal", "type": "terminal", "args": "login"},
                {"id": "custom", "name": "Custom", "type": "_vendor.example"},
            ],
        }}]),
    );
    let (run, report) = agent.run_json(&place, &["status"]);
    run.assert_code(0);
    let methods: Vec<&str> = report["authMethods"]
        .as_array()
        .unwrap()
        .iter()
        .map(|method| method["id"].as_str().unwrap())
        .collect();
    assert_eq!(methods, ["good", "term", "custom"]);
    let usable: Vec<&Value> =
        report["authMethods"].as_array().unwrap().iter().map(|method| &method["usable"]).collect();
    assert_eq!(usable, [true, false, false]);
    assert_eq!(report["authMethods"][2]["raw"]["type"], "_vendor.example");
    let remarks = report["diagnostics"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|remark| remark["kind"] == "malformed_methods");
    assert_eq!(remarks.count(), 4, "{run}");
    assert_eq!(report["peer"], json!(null));
    agent.run(&place, &["status"]).assert_stdout("custom [_vendor.example, type not known]");
}

/// The schema of every request acp-auth sends, by version and method.
fn schema_of(version: u64, method: &str) -> Value {
    let schema = match (version, method) {
        (1, "initialize") => schema_for!(v1::InitializeRequest),
        (1, "auth/status") => schema_for!(v1::AuthStatusRequest),
        (1, "authenticate") => schema_for!(v1::AuthenticateRequest),
        (1, "logout") => schema_for!(v1::LogoutRequest),
        (1, "session/new") => schema_for!(v1::NewSessionRequest),
        (2, "session/new") => schema_for!(v2::NewSessionRequest),
        (1, "$/cancel_request") => schema_for!(v1::CancelRequestNotification),
        (2, "initialize") => schema_for!(v2::InitializeRequest),
        (2, "auth/status") => schema_for!(v2::AuthStatusRequest),
        (2, "auth/login") => schema_for!(v2::LoginAuthRequest),
        (2, "auth/logout") => schema_for!(v2::LogoutAuthRequest),
        (2, "$/cancel_request") => schema_for!(v2::CancelRequestNotification),
        other => panic!("{other:?} is sent and has no schema"),
    };
    schema.to_value()
}

#[test]
fn everything_sent_fits_the_official_schema() {
    for (version, initialize) in [(1, answers_v1()), (2, answers_v2())] {
        let place = Place::new();
        let agent = Agent::new(
            &place,
            "agent",
            json!([
                initialize,
                {"on": "auth/status", "reply": {"state": "unknown"}},
                {"on": "authenticate", "hang": true},
                {"on": "auth/login", "hang": true},
                {"on": "logout", "reply": {}},
                {"on": "auth/logout", "reply": {}},
            ]),
        );
        let protocol = version.to_string();
        agent.run(&place, &["logout", "--protocol", &protocol]).assert_code(0);
        agent
            .run(&place, &["login", "--protocol", &protocol, "--login-timeout", "100ms"])
            .assert_code(124);
        let messages: Vec<Value> =
            agent.messages().into_iter().filter(|message| message["method"].is_string()).collect();
        for message in &messages {
            assert_eq!(message["jsonrpc"], "2.0");
            let schema = schema_of(version, message["method"].as_str().unwrap());
            let validator = jsonschema::validator_for(&schema).unwrap();
            let errors: Vec<String> =
                validator.iter_errors(&message["params"]).map(|error| error.to_string()).collect();
            assert!(errors.is_empty(), "{message}: {errors:?}");
        }
        let capabilities = if version == 1 {
            assert_eq!(messages[0]["params"]["clientCapabilities"]["auth"]["terminal"], true);
            &messages[0]["params"]["clientCapabilities"]
        } else {
            assert_eq!(messages[0]["params"]["capabilities"]["auth"]["terminal"], json!({}));
            &messages[0]["params"]["capabilities"]
        };
        assert_eq!(capabilities["_meta"]["terminal-auth"], true);
    }
}

#[test]
fn odd_answers_do_not_end_the_connection() {
    let place = Place::new();
    let late = "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n{\"jsonrpc\":\"2.0\",\"id\":99,\"result\":{}}\n{\"jsonrpc\":\"2.0\",\"id\":null,\"result\":{}}\n";
    let agent = Agent::new(
        &place,
        "agent",
        json!([
            answers_v1(),
            {"on": "initialize", "write_raw": late},
            {"on": "auth/status", "write_raw": "{\"jsonrpc\":\"2.0\",\"id\":\"$ID\",\"result\":{\"state\":\"authenticated\"},\"error\":null}\n"},
        ]),
    );
    let (run, report) = agent.run_json(&place, &["status"]);
    run.assert_code(0);
    let kinds: Vec<&str> = report["diagnostics"]
        .as_array()
        .unwrap()
        .iter()
        .map(|remark| remark["kind"].as_str().unwrap())
        .collect();
    assert_eq!(kinds, ["late_answer", "unknown_answer", "unknown_answer", "id_type"], "{run}");
}

#[test]
fn the_agents_own_requests_are_answered_with_their_own_ids() {
    let place = Place::new();
    let agent = Agent::new(
        &place,
        "agent",
        json!([
            {"on": "start", "request": {"id": 0, "method": "fs/read_text_file", "params": {}}},
            {"on": "start", "request": {"id": "zero", "method": "elicitation/create", "params": {}}},
            {"on": "start", "request": {"id": null, "method": "_vendor/ping", "params": {}}},
            answers_v1(),
            {"on": "auth/status", "reply": {"state": "authenticated"}},
        ]),
    );
    agent.run(&place, &["status"]).assert_code(0);
    let answers: Vec<Value> =
        agent.messages().into_iter().filter(|message| message["error"].is_object()).collect();
    let ids: Vec<&Value> = answers.iter().map(|answer| &answer["id"]).collect();
    assert_eq!(ids, [&json!(0), &json!("zero"), &json!(null)]);
    assert!(answers.iter().all(|answer| answer["error"]["code"] == -32601));
}

fn sdk(place: &Place, version: &str, args: &[&str]) -> (Run, Value) {
    let program = example("sdk-agent");
    let state = place.path("signed-in");
    let mut words = args.to_vec();
    words.extend(["--", &program, version, state.to_str().unwrap()]);
    let (run, document) = place.run_json(&words);
    (run, document["agents"][0].clone())
}

#[test]
fn the_official_sdk_agrees_in_both_versions() {
    for (version, number) in [("v1", 1), ("v2", 2)] {
        let place = Place::new();
        let (run, report) = sdk(&place, version, &["status"]);
        run.assert_code(1);
        assert_eq!(
            (&report["state"], &report["protocolVersion"]),
            (&json!("unauthenticated"), &json!(number))
        );
        assert_eq!(report["operations"], json!({"status": true, "login": true, "logout": true}));

        let (run, report) = sdk(&place, version, &["login"]);
        run.assert_code(0);
        assert_eq!(
            report["operation"],
            json!({"kind": "login", "method": "sdk-login", "result": "signed_in", "confirmed": true, "verified": false})
        );

        let (run, report) = sdk(&place, version, &["status"]);
        run.assert_code(0);
        assert_eq!(report["accounts"][0]["email"], "sam@example.test");
        assert_eq!(report["accounts"][1]["label"], "Work key");

        let (run, report) = sdk(&place, version, &["login"]);
        run.assert_code(0);
        assert_eq!(report["operation"]["result"], "already_signed_in");

        let (run, report) = sdk(&place, version, &["logout"]);
        run.assert_code(0);
        assert_eq!(
            report["operation"],
            json!({"kind": "logout", "method": null, "result": "signed_out", "confirmed": true, "verified": false})
        );
        assert_eq!(report["state"], "unauthenticated");
    }
}
