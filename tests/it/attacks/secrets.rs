//! Secrets and account details show nowhere, and our own words always.

use std::io::Write;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use super::{saying, signed_out, with_methods};
use crate::common::{Agent, Place, Run, answers_v1};

#[test]
fn a_key_given_as_an_argument_is_not_repeated() {
    let place = Place::new();
    let key = "sk-Zq7Xw9Lk3Vb5Nm1Rt8";
    let plain = "Zq7Xw9Lk3Vb5Nm1Rt8";
    for args in [
        &["login", "codex", "--method", "api-key", key][..],
        &["login", "codex", "--method", "api-key", plain],
        &["login", "codex", "--with-token=agentskey"],
        &["login", "codex", &format!("--with-token={plain}")],
        &[key],
        &[plain],
        &["status", plain],
        &["login", "demo", "--method", plain],
        &["status", "0123456789abcdef0123456789abcdef"],
        &["login", "demo", "hf_abcdefghijklmnopqrstuvwx"],
    ] {
        let run = place.run(args);
        run.assert_code(2).assert_says_not(plain).assert_says_not("agentskey");
        run.assert_says_not("0123456789abcdef").assert_says_not("hf_abc");
        let with_json = [args, &["--json"]].concat();
        let run = place.run(&with_json);
        run.assert_code(2).assert_says_not(plain).assert_says_not("agentskey");
        run.document();
    }
    let hinted = place.run(&["login", "codex", "--method", "api-key", key]);
    hinted.assert_stderr("pipe them in with `--with-token`");
    place.run(&["statsu"]).assert_stderr("'statsu'");
}

#[test]
fn live_text_hides_tokens_and_keeps_what_a_person_needs() {
    for ci in [false, true] {
        let mut place = Place::new();
        if ci {
            place.env("CI", "true");
        }
        let key =
            "-----BEGIN RSA PRIVATE KEY-----\nAbCdEfGhIjKlMnOp\n-----END RSA PRIVATE KEY-----\n";
        let agent = saying(
            &place,
            &[
                "token=demo-secret-value\n",
                "Authorization: Bearer abcdef0123456789abcdef\n",
                "key sk-ant-api03-AAAAAAAAAAAAAAAAAAAAAAAA\n",
                "ghp_0123456789abcdefghijklmnopqrstuvwxyz\n",
                "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N\n",
                "k\u{1b}[31mey g\u{1b}[0mhp_0123456789abcdefghijklmnopqrstuvwxyz\n",
                key,
                "visit https://login.example.test/device?user_code=ABCD-1234&state=xyz\n",
                "code: ABCD-1234\n",
                "Please wait for the browser.\n",
            ],
        );
        let run = agent.run(&place, &["login"]);
        for secret in [
            "demo-secret-value",
            "abcdef0123456789",
            "AAAAAAAA",
            "0123456789abc",
            "dozjgNry",
            "AbCdEfGh",
        ] {
            run.assert_says_not(secret);
        }
        run.assert_stderr("https://login.example.test/device?user_code=ABCD-1234&state=xyz")
            .assert_stderr("code: ABCD-1234")
            .assert_stderr("Please wait for the browser.");
    }
}

#[test]
fn a_known_value_in_pieces_is_hidden() {
    let key = "made-up-secret-value-4711";
    let method = json!([{"id": "k", "name": "Key", "type": "env_var", "vars": [{"name": "VKEY"}]}]);
    let bytes: Vec<String> = key.chars().map(|c| c.to_string()).collect();
    let big = format!("{}{}", "x ".repeat(4090), &key[..8]);
    let in_braces = format!("A {{{}", &key[..20]);
    let joined = format!("{}\u{34f}{}\n", &key[..9], &key[9..]);
    let spread = format!("{}\t{}\n", &key[..9], &key[9..]);
    let hex = key.bytes().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().concat();
    let split: [Vec<&str>; 7] = [
        vec![&in_braces, &key[20..], "}\n"],
        vec![&joined],
        vec![&spread],
        vec![&hex, "\n"],
        vec!["got key ", &key[..5], &key[5..], "\n"],
        bytes.iter().map(String::as_str).chain(["\n"]).collect(),
        vec![&big, &key[8..], "\n"],
    ];
    for pieces in split {
        let place = Place::new();
        let mut steps = vec![with_methods(method.clone()), signed_out()];
        for piece in &pieces {
            // A pause shows what has come of a line so far.
            steps.push(json!({"on": "authenticate", "delay_ms": 400, "stderr": piece}));
        }
        if pieces.len() > 10 {
            for step in steps.iter_mut().skip(2) {
                step["delay_ms"] = json!(1);
            }
        }
        let data = json!({"k": key});
        steps.push(json!({"on": "authenticate", "error": {"code": 1, "message": format!("bad key {key}"), "data": data}}));
        let agent = Agent::new(&place, "pieces", Value::Array(steps));
        let mut command = place.command(
            &agent.after(&["login", "--with-token"]).iter().map(String::as_str).collect::<Vec<_>>(),
        );
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        child.stdin.take().unwrap().write_all(key.as_bytes()).unwrap();
        let run = Run::finish(child);
        run.assert_code(1)
            .assert_says_not(key)
            .assert_says_not(&key[5..])
            .assert_says_not(&key[..10]);
    }
}

#[test]
fn our_own_words_and_answers_survive_whatever_the_environment_holds() {
    let place = Place::new();
    let mut initialize = answers_v1();
    initialize["reply"]["authMethods"] = json!([{"id": "oauth-personal", "name": "Personal"}]);
    let agent = Agent::new(
        &place,
        "agent",
        json!([initialize, {"on": "auth/status", "reply": {"state": "unauthenticated",
            "accounts": [{"label": "alice@example.test", "email": "alice@example.test"}]}}]),
    );
    let plain = |command: &mut Command| {
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).stdin(Stdio::null());
        Run::finish(command.spawn().unwrap())
    };
    let words = agent.after(&[
        "status",
        "--json",
        "--env",
        "MODE=unauthenticated",
        "--env",
        "X=agents",
        "--env",
        "JIRA_EMAIL=alice@example.test",
    ]);
    let mut command = place.command(&words.iter().map(String::as_str).collect::<Vec<_>>());
    command.env("AUTH_STATE", "authenticated").env("DB_PASSWORD", "agents");
    command.env("GEMINI_DEFAULT_AUTH_TYPE", "oauth-personal").env("API_KEY", "unauthenticated");
    let run = plain(&mut command);
    run.assert_code(1).assert_says_not("[redacted]");
    let report = &run.document()["agents"][0];
    assert_eq!(report["state"], "unauthenticated");
    assert_eq!(report["authMethods"][0]["id"], "oauth-personal");
    // What answers is not searched for tokens either, for people.
    let odd = Agent::new(
        &place,
        "odd",
        json!([
            with_methods(json!([{"id": "sk-login-method-openai-key-2024", "name": "N"}])),
            {"on": "auth/status", "reply": {"state": "authenticated", "accounts": [{"label": "sk-ant-someone.long-name@corp.test"}]}},
        ]),
    );
    odd.run(&place, &["status"])
        .assert_stdout("Signed in: sk-ant-someone.long-name@corp.test")
        .assert_stdout("Sign-in methods: sk-login-method-openai-key-2024");
    assert_eq!(report["accounts"][0]["email"], "alice@example.test");
}

#[test]
fn the_trace_has_no_account_details_and_no_secrets() {
    let place = Place::new();
    let agent = Agent::new(
        &place,
        "agent",
        json!([
            {"on": "initialize", "write_raw": ["loading for alice@example.test {\"jsonrpc\":\"2.0\",\"method\":\"x\",\"params\":{\"account\":{\"name\":\"Alice Example\"}}}\n"]},
            answers_v1(),
            {"on": "auth/status", "reply": {"state": "authenticated", "accounts": [
                {"label": "Alice Example", "_meta": {"team": "Example Org"}, "email": "alice@example.test"}],
                "authenticatedIdentity": {"subject": "alice-1"}, "structuredContent": {"fullName": "Alice Example"}}},
        ]),
    );
    agent.run(&place, &["status", "--trace", "trace"]).assert_code(0);
    let text = std::fs::read_to_string(place.path("trace")).unwrap();
    for detail in ["Alice", "alice", "Example Org"] {
        assert!(!text.contains(detail), "{text}");
    }
    assert!(text.lines().all(|line| serde_json::from_str::<Value>(line).is_ok()), "{text}");
    assert!(text.contains("\"time\""), "{text}");
}

#[test]
fn the_trace_empties_no_file_it_did_not_make_and_follows_no_link() {
    let place = Place::new();
    place.write("precious", "mine\n");
    std::os::unix::fs::symlink(place.path("precious"), place.path("link")).unwrap();
    for name in ["precious", "link", "/dev/stderr"] {
        place.run(&["status", "demo", "--trace", name]).assert_code(2).assert_stderr("trace file");
    }
    assert_eq!(std::fs::read_to_string(place.path("precious")).unwrap(), "mine\n");
    let run = place.run(&["status", "demo", "--trace", "-"]);
    run.assert_code(1).assert_stderr("\"direction\":\"sent\"");
    // A command line that fails and the list of agents do not touch it.
    place.run(&["status", "demo", "--trace", "new", "--timeout", "soon"]).assert_code(2);
    place.run(&["status", "no-such-agent", "--trace", "new"]).assert_code(2);
    assert!(!place.path("new").exists());
    for _ in 0..2 {
        place.run(&["status", "demo", "--trace", "new"]).assert_code(1);
    }
    let headers = std::fs::read_to_string(place.path("new")).unwrap().matches("\"trace\"").count();
    assert_eq!(headers, 1, "a trace is written anew");
}

#[test]
fn ci_masks_account_details_in_odd_answers_names_and_peers() {
    let mut place = Place::new();
    let mut initialize = with_methods(
        json!([{"id": "web", "name": "Continue as Alice Example", "description": "alice@example.test"}]),
    );
    initialize["reply"]["agentInfo"] =
        json!({"name": "agent", "title": "Agent of alice@example.test", "version": "1"});
    let accounts = json!([{"email": "alice@example.test"}, {"label": "Alice Example", "name": "Alice Example"}]);
    let agent = Agent::new(
        &place,
        "agent",
        json!([initialize, {"on": "auth/status", "reply": {"state": "authenticated", "accounts": accounts}}]),
    );
    let odd = Agent::new(
        &place,
        "odd",
        json!([answers_v1(), {"on": "auth/status", "reply": {"state": 7, "name": "Alice Example", "email": "alice@example.test"}}]),
    );
    place.env("CI", "true");
    let speaking = Agent::new(
        &place,
        "speaking",
        json!([
            answers_v1(),
            {"on": "auth/status", "reply": {"authenticated": false, "message": "for Alice Example", "account": {"name": "Alice Example"}}},
            {"on": "authenticate", "stderr": "Welcome Alice Example alice%40example.test\n", "error": {"code": 1, "message": "no, Alice Example"}},
        ]),
    );
    let run = speaking.run(&place, &["login", "--trace", "trace"]);
    run.assert_code(1).assert_stderr("Welcome *** ***").assert_says_not("Alice");
    let trace = std::fs::read_to_string(place.path("trace")).unwrap();
    assert!(!trace.contains("Alice") && !trace.contains("alice"), "{trace}");
    for agent in [&agent, &odd] {
        for args in [
            &["status"][..],
            &["status", "-vv"],
            &["status", "--json"],
            &["status", "--expect-account", "Alice Example"],
        ] {
            agent.run(&place, args).assert_says_not("alice@").assert_says_not("Alice");
        }
    }
}
