//! Foreign text acts on no terminal, and pretends to be nothing.

use std::process::Stdio;

use serde_json::{Value, json};

use super::{RAW, assert_harmless, saying, signed_out, with_methods};
use crate::common::{Agent, Place, Run, answers_v1};

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
