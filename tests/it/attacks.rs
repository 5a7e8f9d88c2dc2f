//! Attacks on what is promised: that foreign text acts on no terminal, that secrets show nowhere, that
//! every file and stream can be interrupted, and that a document says what happened.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Command, Stdio};
use std::time::Instant;

use serde_json::{Value, json};

use crate::common::{Agent, Place, Run, answers_v1, eventually, example, signal};

/// Escape sequences, a title, a cleared screen, C1, bidirectional and zero-width characters.
const RAW: &str = "\u{1b}]0;owned\u{7}\u{1b}[2J\u{9b}31m\u{202e}\u{200b}\u{34f}\u{1d173}";

/// None of the characters that act on a terminal is in the text, the colours of a pseudo-terminal and
/// of our own prompts aside.
#[track_caller]
fn assert_harmless(text: &str) {
    for raw in [
        "\u{1b}]0;owned",
        "\u{1b}[2J",
        "\u{9b}",
        "\u{202e}",
        "\u{200b}",
        "\u{34f}",
        "\u{1d173}",
        "\u{7}",
    ] {
        assert!(!text.contains(raw), "{raw:?} in {text:?}");
    }
}

fn with_methods(methods: Value) -> Value {
    let mut initialize = answers_v1();
    initialize["reply"]["authMethods"] = methods;
    initialize
}

fn signed_out() -> Value {
    json!({"on": "auth/status", "reply": {"state": "unauthenticated"}})
}

/// An agent that says something on stderr while it signs in, piece by piece, and refuses then.
fn saying(place: &Place, pieces: &[&str]) -> Agent {
    let mut steps = vec![answers_v1(), signed_out()];
    steps.extend(pieces.iter().map(|piece| json!({"on": "authenticate", "stderr": piece})));
    steps.push(json!({"on": "authenticate", "error": {"code": 1, "message": "no"}}));
    Agent::new(place, "saying", Value::Array(steps))
}

// Foreign text

#[test]
fn a_form_reaches_the_terminal_clean_and_no_hidden_default_is_sent() {
    let place = Place::new();
    let form = json!({"id": "f", "method": "elicitation/create", "params": {
        "mode": "form", "message": format!("{RAW}message"),
        "requestedSchema": {"type": "object", "required": ["a", "b", "c"], "properties": {
            "a": {"type": "string", "title": format!("A{RAW}"), "default": format!("{RAW}dflt")},
            "b": {"type": "string", "pattern": "^[0-9]+(?:\u{1b}\\]0;owned\u{7}\u{202e})?$"},
            "c": {"type": "string", "enum": [format!("one{RAW}"), "two"]},
        }},
    }});
    let agent = Agent::new(
        &place,
        "form",
        json!([
            answers_v1(), signed_out(),
            {"on": "authenticate", "request": form},
            {"on": "answer:f", "reply_to": "authenticate", "error": {"code": 1, "message": "no"}},
        ]),
    );
    let mut pty = agent.pty(&place, &["login"]);
    pty.expect("Answer scripted-agent?");
    pty.send("y");
    pty.expect("dflt");
    pty.send_line("mine");
    pty.expect("\u{1b}[1mb\u{1b}[0m");
    pty.send_line("x");
    pty.expect("it does not match");
    // The line is still there to be changed.
    pty.send("\u{7f}");
    pty.send_line("12");
    pty.expect("two");
    pty.send("\r");
    let (_, text) = pty.finish();
    assert_harmless(&text);
    let answers = agent.messages();
    let answer = answers.iter().find(|message| message["result"]["action"] == "accept").unwrap();
    assert_eq!(answer["result"]["content"]["a"], "mine");
    assert_eq!(answer["result"]["content"]["b"], "12");
}

#[test]
fn the_name_of_a_start_argument_is_cleaned() {
    let place = Place::new();
    let method =
        json!([{"id": "p", "name": "P", "type": "startParam", "paramName": format!("--key{RAW}")}]);
    let agent = Agent::new(&place, "param", json!([with_methods(method), signed_out()]));
    agent.run(&place, &["login", "--list"]).assert_stdout("start argument --key");
    let mut pty = agent.pty(&place, &["login"]);
    pty.expect("\u{1b}[1mP\u{1b}[0m");
    pty.send_hidden_line("made-up-value-1234");
    pty.expect("Go on?");
    pty.send("n");
    assert_harmless(&pty.finish().1);
}

#[test]
fn decoded_json_is_harmless_and_identifiers_are_exact() {
    let mut initialize = answers_v1();
    let raw = |text: &str| format!("{text}{RAW}");
    initialize["reply"]["agentInfo"] =
        json!({"name": raw("n"), "title": raw("t"), "version": raw("v")});
    initialize["reply"]["authMethods"] = json!([
        {"id": raw("id"), "name": raw("name"), "description": raw("d"), "type": raw("type")},
        {"id": raw("id"), "name": "twice"},
    ]);
    let place = Place::new();
    let status = json!({"state": raw("s"), "message": raw("m"), "accounts": [
        {"label": raw("l"), "description": raw("d"), "name": raw("n"), "email": raw("e"), "organization": raw("o")},
    ]});
    let agent = Agent::new(
        &place,
        "odd",
        json!([initialize, {"on": "auth/status", "stderr": raw("err"), "reply": status}]),
    );
    let (_, report) = agent.run_json(&place, &["status"]);
    assert_eq!(report["authMethods"][0]["id"], raw("id"));
    assert_eq!(report["authMethods"][0]["raw"]["id"], raw("id"));
    let mut prose = report.clone();
    for method in prose["authMethods"].as_array_mut().unwrap() {
        method["id"] = json!(null);
        method["raw"] = json!(null);
    }
    for_each_text(&prose, &mut |text| assert_harmless(text));

    let error = json!({"code": 5, "message": raw("no"), "data": {raw("key"): [raw("value")]}});
    let refusing = Agent::new(
        &place,
        "refusing",
        json!([answers_v1(), {"on": "auth/status", "stderr": raw("err"), "error": error}]),
    );
    let (_, report) = refusing.run_json(&place, &["status"]);
    for_each_text(&report["error"], &mut |text| assert_harmless(text));
    assert!(report["error"]["data"].to_string().contains("value"));
}

fn for_each_text(value: &Value, found: &mut dyn FnMut(&str)) {
    match value {
        Value::String(text) => found(text),
        Value::Array(items) => items.iter().for_each(|item| for_each_text(item, found)),
        Value::Object(fields) => fields.iter().for_each(|(key, field)| {
            found(key);
            for_each_text(field, found);
        }),
        _ => {}
    }
}

#[test]
fn a_server_identity_is_cleaned() {
    let place = Place::new();
    let identity = json!({"subject": format!("a{RAW}"), "displayName": format!("b{RAW}"), "provider": format!("c{RAW}")});
    let agent = Agent::new(
        &place,
        "server",
        json!([{"on": "initialize", "reply": {"protocolVersion": "2025-11-25", "capabilities": {},
            "serverInfo": {"name": format!("s{RAW}"), "version": "1"}, "authenticatedIdentity": identity}}]),
    );
    let (run, report) = agent.run_json(&place, &["status", "--mcp"]);
    run.assert_code(0);
    for_each_text(&report, &mut |text| assert_harmless(text));
    assert_harmless(&agent.run(&place, &["status", "--mcp"]).all());
}

#[test]
fn every_row_of_live_text_has_the_margin() {
    let place = Place::new();
    let padded = format!("working{}  ✓ Signed in: me@corp (forged)\n", " ".repeat(200));
    let agent = saying(&place, &[&padded, &format!("{}\n", "x".repeat(300))]);
    let mut pty = agent.pty(&place, &["login"]);
    pty.expect("[202 blanks]");
    let (_, text) = pty.finish();
    // The pseudo-terminal has 80 columns.
    let rows: Vec<&str> =
        text.lines().filter(|row| row.contains("xxx") && !row.starts_with("      ")).collect();
    assert!(rows.len() > 3, "{text}");
    for row in rows {
        let row = row.trim_start_matches(['\r']).replace("\u{1b}[2m", "").replace("\u{1b}[0m", "");
        assert!(row.trim_start().starts_with("scripted-agent │"), "{row:?}");
        assert!(row.trim().chars().count() <= 80, "{row:?}");
    }
    assert!(!text.lines().any(|row| row.starts_with("  ✓ Signed in")), "{text}");
}

#[test]
fn a_flood_of_live_text_is_cut_and_a_long_address_is_left_whole() {
    let place = Place::new();
    let address = format!("https://login.example.test/o?state={}", "a1".repeat(80));
    let flood = "all work and no play\n".repeat(5000);
    let agent = saying(&place, &[&format!("open {address} now\n"), &flood]);
    let mut pty = agent.pty(&place, &["login"]);
    pty.expect(&address);
    pty.expect("lines left out]");
    let (_, text) = pty.finish();
    assert!(text.matches("all work").count() < 1000, "a flood is shown");
}

#[test]
fn a_proposed_command_shows_its_dangerous_half() {
    let place = Place::new();
    let recipe = |command: &str, args: Value, env: Value| {
        let meta = json!({"terminal-auth": {"command": command, "args": args, "env": env}});
        json!([{"id": "r", "name": "R", "_meta": meta}])
    };
    let propose =
        |methods: Value| Agent::new(&place, "odd", json!([with_methods(methods), signed_out()]));
    let blanks = format!("{}\u{2800}\u{2800}rm -rf x", " ".repeat(6000));
    let agent = propose(recipe("sh", json!(["-c", "true", blanks]), json!({})));
    let mut pty = agent.pty(&place, &["login"]);
    pty.expect("[6002 blanks]rm -rf x");
    pty.expect("Run sh with 3 arguments on this terminal?");
    pty.send("n");
    pty.finish();
    for name in [
        format!("gh auth login #{}", " ".repeat(300)),
        "LD_PRE\u{200b}LOAD".to_owned(),
        "A\nB".to_owned(),
    ] {
        let agent = propose(recipe("sh", json!([]), json!({name: "x"})));
        let (run, report) = agent.run_json(&place, &["login"]);
        run.assert_code(3);
        assert_eq!(report["authMethods"][0]["flow"], "unsupported");
    }
    place.write("bin/m\u{430}rk", "#!/bin/sh\n");
    let program = place.path("bin/m\u{430}rk");
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(&program, mode).unwrap();
    let agent = propose(recipe(program.to_str().unwrap(), json!([]), json!({})));
    let mut pty = agent.pty(&place, &["login"]);
    pty.expect("(U+0430)");
    pty.expect("on this terminal?");
    pty.send("n");
    pty.finish();
    // Its own program with other variables is still a proposal.
    let own = Agent::new(&place, "own", json!([]));
    let words = own.words();
    let methods = recipe(&words[0], json!(&words[1..]), json!({"LD_PRELOAD": "x"}));
    place.write(
        "own/scenario.json",
        &json!({"agent_script": [with_methods(methods), signed_out()]}).to_string(),
    );
    let mut pty = own.pty(&place, &["login"]);
    pty.expect("on this terminal?");
    pty.send("n");
    assert_eq!(pty.finish().0, 1);
}

#[test]
fn identifiers_that_a_shell_would_run_are_not_completed() {
    let place = Place::new();
    let methods = json!([{"id": "x; touch F #", "name": "X"}, {"id": "web", "name": "W"}]);
    let agent = Agent::new(&place, "odd", json!([with_methods(methods), signed_out()]));
    place.write("home/.config/acp-auth/config.toml", &agent.table("mine"));
    place.run(&["status", "mine"]).assert_code(1);
    let kept =
        std::fs::read_to_string(place.path("home/.local/state/acp-auth/methods.json")).unwrap();
    assert!(kept.contains("web") && !kept.contains("touch"), "{kept}");
    // Nor what somebody else wrote into the file.
    place.write("home/.local/state/acp-auth/methods.json", r#"{"mine": ["x; touch F #", "web"]}"#);
    let mut command = place.command(&["--", "acp-auth", "login", "mine", "--method", ""]);
    command.env("_ACP_AUTH_COMPLETE", "bash").env("_CLAP_COMPLETE_INDEX", "4");
    command.env("_CLAP_IFS", "\n").env("_CLAP_COMPLETE_COMP_TYPE", "9");
    command.env("_CLAP_COMPLETE_SPACE", "true").stdout(Stdio::piped()).stderr(Stdio::piped());
    let offered = Run::finish(command.spawn().unwrap());
    offered.assert_stdout("web").assert_says_not("touch");
    place.run(&["status", "mine"]).assert_stdout("'x; touch F #'");
}

// Secrets

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

// Deaf

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

// Documents and codes

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
    assert_eq!(kept["narrowing"], json!(["one", "two"]));
    for name in names {
        assert_eq!(kept[&name], json!(["web"]), "{kept}");
    }
    // The program that plays agents is what the tests believe it is.
    assert!(example("scripted-agent").ends_with("scripted-agent"));
}
