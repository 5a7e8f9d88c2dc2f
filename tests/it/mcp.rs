//! MCP servers: who do they think the user is.

use serde_json::{Value, json};

use crate::common::{Agent, Place, Run, signal};

/// The first answer of a server of an era, with more members.
fn first_answer(is_modern: bool, more: Value) -> Value {
    let mut answer = if is_modern {
        json!({
            "resultType": "server/discover", "supportedVersions": ["2026-07-28"], "capabilities": {},
            "ttlMs": 1000, "cacheScope": "private",
            "_meta": {"io.modelcontextprotocol/serverInfo": {"name": "scripted", "title": "Scripted Server", "version": "1.0.0"}},
        })
    } else {
        json!({
            "protocolVersion": "2025-11-25", "capabilities": {"tools": {}},
            "serverInfo": {"name": "scripted", "title": "Scripted Server", "version": "1.0.0"},
        })
    };
    for (key, value) in more.as_object().unwrap() {
        answer[key] = value.clone();
    }
    let method = if is_modern { "server/discover" } else { "initialize" };
    json!({"on": method, "reply": answer})
}

fn server(place: &Place, steps: Value) -> Agent {
    Agent::new(place, "server", steps)
}

fn identity() -> Value {
    json!({"subject": "alice@example.test", "displayName": "Alice Example", "provider": "example.test", "accountId": "usr_01"})
}

#[test]
fn an_identity_is_shown_in_both_eras() {
    for is_modern in [true, false] {
        let place = Place::new();
        let agent = server(
            &place,
            json!([first_answer(is_modern, json!({"authenticatedIdentity": identity()}))]),
        );
        let run = agent.run(&place, &["status", "--mcp"]);
        run.assert_code(0)
            .assert_stdout("✓ Connected as Alice Example (alice@example.test) on example.test");
        let (_, report) = agent.run_json(&place, &["status", "--mcp"]);
        assert_eq!(report["kind"], "mcp");
        assert_eq!(
            report["identity"],
            json!({
                "subject": "alice@example.test", "displayName": "Alice Example", "provider": "example.test",
                "accountId": "usr_01", "organization": null, "source": "reported", "tool": null,
            })
        );
        let (evidence, version) = if is_modern {
            ("server/discover", "2026-07-28")
        } else {
            ("initialize", "2025-11-25")
        };
        assert_eq!(
            (&report["evidence"], &report["protocolVersion"]),
            (&json!(evidence), &json!(version))
        );
        assert_eq!(report["peer"]["title"], "Scripted Server");
        let initialized =
            agent.messages().iter().any(|message| message["method"] == "notifications/initialized");
        assert_eq!(initialized, !is_modern);
        agent.assert_nothing_left();
    }
}

#[test]
fn the_era_can_be_chosen_and_a_silent_discover_means_the_older_one() {
    let place = Place::new();
    let both =
        server(&place, json!([first_answer(true, json!({})), first_answer(false, json!({}))]));
    for (era, methods) in [
        ("auto", &["server/discover"][..]),
        ("modern", &["server/discover"]),
        ("legacy", &["initialize"]),
    ] {
        let before = both.requests().len();
        both.run(&place, &["status", "--mcp", "--mcp-era", era]).assert_code(3);
        assert_eq!(both.requests()[before..], *methods);
    }
    let silent = Agent::new(
        &place,
        "silent",
        json!([{"on": "server/discover", "state": {"never": true}}, first_answer(false, json!({"authenticatedIdentity": identity()}))]),
    );
    silent.run(&place, &["status", "--mcp"]).assert_code(0);
    let only_legacy = Agent::new(&place, "legacy", json!([first_answer(false, json!({}))]));
    only_legacy.run(&place, &["status", "--mcp", "--mcp-era", "modern"]).assert_code(4);
}

#[test]
fn an_identity_that_is_none_is_told_and_dropped() {
    for (field, kind) in [
        (json!({"displayName": "Alice"}), "malformed_identity"),
        (json!("alice"), "malformed_identity"),
        (json!({"subject": ""}), "malformed_identity"),
        (json!([]), "malformed_identity"),
    ] {
        let place = Place::new();
        let agent =
            server(&place, json!([first_answer(false, json!({"authenticatedIdentity": field}))]));
        let (run, report) = agent.run_json(&place, &["status", "--mcp"]);
        run.assert_code(3);
        assert_eq!(
            (&report["identity"], &report["identityReason"]),
            (&json!(null), &json!("not_reported"))
        );
        assert_eq!(
            report["diagnostics"].as_array().unwrap().last().unwrap()["kind"],
            kind,
            "{run}"
        );
    }
    let place = Place::new();
    let public = json!({"authenticatedIdentity": identity(), "cacheScope": "public"});
    let agent = server(&place, json!([first_answer(true, public)]));
    let (run, report) = agent.run_json(&place, &["status", "--mcp"]);
    run.assert_code(3);
    assert_eq!(report["diagnostics"][0]["kind"], "public_identity");
}

#[test]
fn what_a_server_says_is_cleaned_and_masked_in_ci() {
    let mut place = Place::new();
    let field = json!({"subject": "alice@example.test", "displayName": "\u{1b}]0;x\u{7}Alice\n  ✓ Signed in\u{202e}"});
    let agent =
        server(&place, json!([first_answer(false, json!({"authenticatedIdentity": field}))]));
    let run = agent.run(&place, &["status", "--mcp"]);
    run.assert_code(0).assert_stdout("Connected as Alice ✓ Signed in (alice@example.test)");
    place.env("CI", "1");
    agent
        .run(&place, &["status", "--mcp"])
        .assert_code(0)
        .assert_says_not("alice")
        .assert_says_not("Alice");
    let (run, report) = agent.run_json(&place, &["status", "--mcp"]);
    run.assert_says_not("alice@example.test");
    assert_eq!(report["identity"]["subject"], "***");
}

/// A server with a tool, and what a call of it answers.
fn with_tool(place: &Place, tool: Value, answer: Value) -> Agent {
    let mut call = answer;
    call["on"] = "tools/call".into();
    server(
        place,
        json!([
            first_answer(false, json!({})),
            {"on": "tools/list", "params": {"cursor": "2"}, "reply": {"tools": [tool]}},
            {"on": "tools/list", "params_not": {"cursor": "2"}, "reply": {"tools": [{"name": "other"}], "nextCursor": "2"}},
            call,
        ]),
    )
}

fn harmless(required: Value) -> Value {
    json!({"name": "whoami", "inputSchema": {"type": "object", "required": required}, "annotations": {"readOnlyHint": true}})
}

const TOOL: [&str; 6] = [
    "status",
    "--mcp",
    "--probe-tool",
    "whoami",
    "--map",
    "subject=/user/email,displayName=/user/name,organization=/org",
];

#[test]
fn a_tool_that_is_named_is_called_once() {
    let place = Place::new();
    let text =
        json!({"user": {"email": "alice@example.test", "name": "Alice"}, "org": "Example Org"})
            .to_string();
    let agent = with_tool(
        &place,
        harmless(json!([])),
        json!({"reply": {"content": [{"type": "text", "text": text}]}}),
    );
    agent.run(&place, &["status", "--mcp"]).assert_code(3).assert_stdout("--probe");
    assert!(
        !agent.requests().contains(&"tools/list".to_owned()),
        "no tool is touched unless it is asked for"
    );
    let (run, report) = agent.run_json(&place, &TOOL);
    run.assert_code(0);
    assert_eq!(
        (&report["identity"]["source"], &report["identity"]["tool"]),
        (&json!("tool"), &json!("whoami"))
    );
    assert_eq!(report["evidence"], "tools/call");
    agent.run(&place, &TOOL).assert_stdout("Connected as Alice (alice@example.test), Example Org");
    assert_eq!(agent.requests().iter().filter(|method| *method == "tools/call").count(), 2);
}

#[test]
fn a_tool_that_may_do_harm_is_not_called() {
    for (tool, reason) in [
        (json!({"name": "whoami"}), "probe_not_allowed"),
        (json!({"name": "whoami", "annotations": {"readOnlyHint": false}}), "probe_not_allowed"),
        (
            json!({"name": "whoami", "annotations": {"readOnlyHint": true, "destructiveHint": true}}),
            "probe_not_allowed",
        ),
        (harmless(json!(["id"])), "probe_not_allowed"),
        (json!({"name": "whoami2", "annotations": {"readOnlyHint": true}}), "no_known_tool"),
    ] {
        let place = Place::new();
        let agent = with_tool(&place, tool, json!({"reply": {}}));
        let (run, report) = agent.run_json(&place, &TOOL);
        run.assert_code(3);
        assert_eq!(
            (&report["identity"], &report["identityReason"]),
            (&json!(null), &json!(reason)),
            "{run}"
        );
        assert!(!agent.requests().contains(&"tools/call".to_owned()));
    }
    let place = Place::new();
    let agent = with_tool(
        &place,
        harmless(json!(["id"])),
        json!({"params": {"arguments": {"id": 7}}, "reply": {"structuredContent": {"user": {"email": "a@example.test"}}}}),
    );
    let mut args = TOOL.to_vec();
    args.extend(["--probe-args", "{\"id\": 7}"]);
    agent.run(&place, &args).assert_code(0).assert_stdout("Connected as a@example.test");
}

#[test]
fn the_forms_of_failure_are_told_apart() {
    let text = |text: &str| json!({"reply": {"content": [{"type": "text", "text": text}]}});
    for (answer, code, reason) in [
        (text(r#"{"object":"error","status":401}"#), 1, "tool_failed"),
        (text(r#"{"object":"error","status":403}"#), 3, "tool_failed"),
        (
            json!({"reply": {"isError": true, "content": [{"type": "text", "text": "HTTP 401"}]}}),
            1,
            "tool_failed",
        ),
        (
            json!({"reply": {"isError": true, "content": [{"type": "text", "text": "Forbidden"}]}}),
            3,
            "tool_failed",
        ),
        (
            json!({"error": {"code": -32603, "message": "API error: 401 Unauthorized"}}),
            1,
            "tool_failed",
        ),
        (json!({"error": {"code": -32603, "message": "API error: 500"}}), 3, "tool_failed"),
        (json!({"reply": {"structuredContent": {"status": "anonymous"}}}), 1, "tool_failed"),
        (text("You are alice@example.test"), 3, "unmapped_shape"),
    ] {
        let place = Place::new();
        let agent = with_tool(&place, harmless(json!([])), answer.clone());
        let (run, report) = agent.run_json(&place, &TOOL);
        run.assert_code(code);
        assert_eq!(report["identityReason"], reason, "{answer}");
    }
    let place = Place::new();
    let agent = with_tool(&place, harmless(json!([])), json!({"hang": true}));
    let mut args = TOOL.to_vec();
    args.extend(["--timeout", "300ms"]);
    agent.run(&place, &args).assert_code(124);
    agent.assert_nothing_left();
}

#[test]
fn an_unknown_server_has_no_tool_to_call() {
    let place = Place::new();
    let agent = with_tool(&place, harmless(json!([])), json!({"reply": {}}));
    let (run, report) = agent.run_json(&place, &["status", "--mcp", "--probe"]);
    run.assert_code(3);
    assert_eq!(report["identityReason"], "no_known_tool");
    assert!(!agent.requests().contains(&"tools/list".to_owned()));
    place
        .run(&["status", "--mcp", "--probe-tool", "x", "--", "y"])
        .assert_code(2)
        .assert_stderr("--map");
    place
        .run(&["status", "--mcp", "--probe-tool", "x", "--map", "name=/x", "--", "y"])
        .assert_code(2);
    agent
        .run(&place, &["status", "--mcp", "--probe", "session"])
        .assert_code(2)
        .assert_stdout("no sessions");
}

#[test]
fn the_wrong_account_is_told() {
    let place = Place::new();
    let agent =
        server(&place, json!([first_answer(false, json!({"authenticatedIdentity": identity()}))]));
    for (expected, code) in [("Alice@Example.test", 0), ("usr_01", 0), ("bob@example.test", 1)] {
        let (run, report) =
            agent.run_json(&place, &["status", "--mcp", "--expect-account", expected]);
        run.assert_code(code);
        assert_eq!(report["accountMatches"], code == 0);
    }
    let run = agent.run(&place, &["status", "--mcp", "--expect-account", "bob@example.test"]);
    run.assert_stdout("Not the expected account: bob@example.test");
    // The same for agents.
    place.run(&["login", "demo", "--method", "demo-account"]).assert_code(0);
    place.run(&["status", "demo", "--expect-account", "demo@example.test"]).assert_code(0);
    place
        .run(&["status", "demo", "--expect-account", "someone"])
        .assert_code(1)
        .assert_stdout("Not the expected account");
}

#[test]
fn a_server_that_leaves_without_a_token_is_not_guessed_about() {
    let place = Place::new();
    let agent = server(
        &place,
        json!([{"on": "start", "stderr": "error: API_TOKEN is not set\n", "exit": 1}]),
    );
    let (run, report) = agent.run_json(&place, &["status", "--mcp"]);
    run.assert_code(4).assert_stdout("API_TOKEN is not set");
    assert_eq!((&report["state"], &report["error"]["kind"]), (&json!("unknown"), &json!("exited")));
}

#[test]
fn servers_come_from_the_configuration_and_from_other_clients_files() {
    let mut place = Place::new();
    place.env("FROM_ENV", "value");
    let agent = server(
        &place,
        json!([
            {"on": "initialize", "env": {"TOKEN": "value-x"}, "reply": {"protocolVersion": "2025-11-25", "capabilities": {}, "authenticatedIdentity": identity()}},
        ]),
    );
    let words = agent.words();
    place.write(
        "home/.config/acp-auth/config.toml",
        &format!(
            "{}kind = \"mcp\"\nenv = {{ TOKEN = \"${{FROM_ENV}}-x\" }}\n",
            agent.table("notion")
        ),
    );
    place.run(&["status", "notion"]).assert_code(0).assert_stdout("Connected as Alice Example");
    let entry =
        |token: &str| json!({"command": words[0], "args": &words[1..], "env": {"TOKEN": token}});
    for (file, key) in
        [(".mcp.json", "mcpServers"), ("vscode.json", "servers"), ("zed.json", "context_servers")]
    {
        place.write(file, &json!({key: {
            "claude": entry("${FROM_ENV}-${NOT_SET:-x}"),
            "cursor": entry("${env:FROM_ENV}-x"),
            "asking": entry("${input:token}"),
            "unset": entry("${NOT_SET}"),
            "remote": {"type": "http", "url": "https://mcp.example.test", "headers": {"Authorization": "Bearer made-up-secret-value"}},
        }}).to_string());
        for name in ["claude", "cursor"] {
            place.run(&["status", "--mcp-config", file, "--server", name]).assert_code(0);
        }
        let fails = |name: &str, text: &str| {
            let run = place.run(&["status", "--mcp-config", file, "--server", name]);
            run.assert_code(2).assert_stderr(text).assert_says_not("made-up-secret-value");
        };
        fails("asking", "${input:token}");
        fails("unset", "NOT_SET is not set");
        fails("remote", "over the network");
        fails("nobody", "it has: ");
        place
            .run(&["status", "--mcp-config", file])
            .assert_code(2)
            .assert_stderr("pass --server NAME");
        let (run, document) = place.run_json(&["status", "--mcp-config", file, "--all"]);
        run.assert_code(0);
        let agents = document["agents"].as_array().unwrap();
        let is_skipped = |agent: &&Value| agent["error"]["kind"] == "skipped";
        assert_eq!((agents.len(), agents.iter().filter(is_skipped).count()), (5, 3));
    }
}

#[test]
fn signing_in_and_out_is_not_for_servers() {
    let place = Place::new();
    let agent = server(&place, json!([first_answer(false, json!({}))]));
    place.write(
        "home/.config/acp-auth/config.toml",
        &format!("{}kind = \"mcp\"\n", agent.table("notion")),
    );
    for command in ["login", "logout"] {
        let (run, document) = place.run_json(&[command, "notion"]);
        run.assert_code(3).assert_stdout("acp-auth status notion");
        assert_eq!(document["agents"][0]["operation"]["result"], "unsupported");
    }
    assert!(agent.starts().is_empty());
}

#[test]
fn a_change_of_identity_is_told_by_a_watch() {
    let place = Place::new();
    let changed =
        |params: Value| json!({"method": "notifications/identity_changed", "params": params});
    let agent = server(
        &place,
        json!([
            first_answer(false, json!({"authenticatedIdentity": identity()})),
            {"on": "notify:notifications/initialized", "delay_ms": 50, "notify": changed(json!({"authenticatedIdentity": {"subject": "bob@example.test"}}))},
            {"on": "notify:notifications/initialized", "delay_ms": 50, "notify": changed(json!({}))},
        ]),
    );
    let run = agent.run(&place, &["status", "--mcp", "--until", "unknown"]);
    run.assert_code(0);
    let lines: Vec<&str> = run.stdout.lines().collect();
    assert_eq!(lines.len(), 3, "{run}");
    assert!(lines[1].contains("Connected as bob@example.test"), "{run}");
    let agent = Agent::new(
        &place,
        "watched",
        json!([first_answer(false, json!({"authenticatedIdentity": identity()}))]),
    );
    let child = agent.start(&place, &["status", "--mcp", "--watch", "--json"]);
    agent.wait_for("notification", |entry| entry["method"] == "notifications/initialized");
    signal(child.id(), "TERM");
    Run::finish(child).assert_code(143);
    agent.assert_nothing_left();
}
