//! The first contact: no configuration, no name, other words for a command, several names.

use serde_json::{Value, json};

use crate::common::{Agent, Place, answers_v1, unwrapped};

fn signed_in(place: &Place, name: &str) -> Agent {
    Agent::new(
        place,
        name,
        json!([answers_v1(), {"on": "auth/status", "reply": {"state": "authenticated"}}]),
    )
}

/// A configuration of these agents.
fn configured(place: &Place, agents: &[(&str, &Agent)]) -> String {
    let tables: Vec<String> = agents.iter().map(|(name, agent)| agent.table(name)).collect();
    place.write("agents.toml", &tables.concat()).to_str().unwrap().to_owned()
}

#[test]
fn a_command_that_was_meant_is_suggested_and_a_hidden_one_never() {
    let place = Place::new();
    for (words, meant) in [
        (&["codex"][..], "acp-auth status codex"),
        (&["codex", "login"], "acp-auth login codex"),
        (&["whoami"], "acp-auth status"),
        (&["auth", "login"], "acp-auth login"),
        (&["ls"], "acp-auth agents"),
        (&["demo"], "acp-auth status demo"),
        (&["./agent"], "acp-auth status -- ./agent"),
        (&["statsu"], "acp-auth status"),
    ] {
        let run = place.run(words);
        run.assert_code(2).assert_says_not("demo-agent").assert_says_not("as a value");
        let hint = format!("hint: did you mean: {meant}\n");
        assert!(run.stderr.contains(&hint), "{words:?}: {}", run.stderr);
    }
    place.run(&["demo-agnt"]).assert_code(2).assert_says_not("did you mean");
    place.run(&["status", "demo", "--jqq", "."]).assert_code(2).assert_says_not("as a value");
    place.run(&["status", "./agent"]).assert_code(2).assert_stderr("acp-auth status -- ./agent");
    place.run(&["login", "./agent"]).assert_code(2).assert_stderr("acp-auth login -- ./agent");
    let bare = place.run(&[]);
    bare.assert_code(0).assert_stdout("Usage: acp-auth");
}

#[test]
fn without_a_configuration_everyone_who_is_found_is_asked() {
    let place = Place::new();
    let agent = signed_in(&place, "agent");
    let words = agent.words();
    let settings =
        json!({"agent_servers": {"mine": {"command": words[0], "args": &words[1..]}}}).to_string();
    place.write("home/.config/zed/settings.json", &settings);
    let (run, document) = place.run_json(&["status"]);
    run.assert_code(0);
    assert_eq!(document["agents"][0]["name"], "mine");
    let mut pty = place.pty(&["login"]);
    pty.expect("Which agent?");
    pty.expect("mine");
    pty.send("\r");
    let (code, text) = pty.finish();
    assert_eq!(code, 0, "{text}");
    assert!(text.contains("Signed in already"), "{text}");
    let mut pty = place.pty(&["logout"]);
    pty.expect("Which agent?");
    pty.expect("mine");
    pty.send("\u{1b}");
    let (code, text) = pty.finish();
    assert_eq!(code, 2, "{text}");
    assert!(text.contains("no agent was chosen"), "{text}");
    place.run(&["login"]).assert_code(2).assert_stderr("acp-auth login mine");
}

#[test]
fn where_none_is_found_those_that_are_known_are_named() {
    let place = Place::new();
    let run = place.run(&["status"]);
    run.assert_code(2).assert_stderr("acp-auth agents --known").assert_stderr("codex");
    let (run, document) = place.run_json(&["agents", "--known"]);
    run.assert_code(0);
    let known = document["known"].as_array().unwrap();
    let codex = known.iter().find(|agent| agent["name"] == "codex").unwrap();
    assert_eq!(codex["install"], "npm install -g @agentclientprotocol/codex-acp");
    assert_eq!(codex["installed"], false);
    place.run(&["agents", "--known"]).assert_code(0).assert_stdout("uv tool install gptme");
}

#[test]
fn of_several_names_unknown_ones_are_all_reported_and_each_is_asked_once() {
    let place = Place::new();
    let agent = signed_in(&place, "one");
    let config = configured(&place, &[("one", &agent)]);
    let args = ["status", "nope", "one", "never", "one", "--config", &config];
    let (run, document) = place.run_json(&args);
    run.assert_code(2);
    let agents = document["agents"].as_array().unwrap();
    let names: Vec<&str> = agents.iter().map(|agent| agent["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["nope", "one", "never"]);
    assert_eq!((&agents[0]["error"]["kind"], &agents[1]["error"]), (&json!("usage"), &Value::Null));
    assert_eq!(agent.starts().len(), 1);
    place.run(&args).assert_code(2).assert_stdout("there is no agent never");
}

#[test]
fn what_cannot_be_asked_of_all_is_skipped_and_fails_nothing() {
    let place = Place::new();
    let server = Agent::new(
        &place,
        "server",
        json!([{"on": "server/discover", "reply": {
            "resultType": "complete", "supportedVersions": ["2026-07-28"], "capabilities": {},
            "authenticatedIdentity": {"subject": "alice"}}}]),
    );
    let words = server.words();
    let file = place.write(
        "mcp.json",
        &json!({"mcpServers": {
            "far": {"type": "http", "url": "https://mcp.example.test/"},
            "near": {"command": words[0], "args": &words[1..]},
        }})
        .to_string(),
    );
    let file = file.to_str().unwrap();
    let (run, document) = place.run_json(&["status", "--mcp-config", file, "--all"]);
    run.assert_code(0);
    assert_eq!(document["agents"][0]["error"]["kind"], "skipped", "{document:#}");
    place.run(&["status", "--mcp-config", file, "--all"]).assert_stdout("- Skipped: far");
    let only = place
        .write("only.json", &json!({"servers": {"far": {"url": "https://x.test"}}}).to_string());
    let only = only.to_str().unwrap();
    // Nobody was asked, and so nothing is known.
    place.run(&["status", "--mcp-config", only, "--all"]).assert_code(3);
    place.run(&["status", "--mcp-config", only, "--server", "far"]).assert_code(2);
}

#[test]
fn a_definition_that_is_passed_over_is_named_with_its_variables() {
    let mut place = Place::new();
    let agent = signed_in(&place, "agent");
    let words = agent.words();
    let script = format!("#!/bin/sh\nexec '{}' '{}' '{}'\n", words[0], words[1], words[2]);
    let program = place.write("bin/codex-acp", &script);
    std::fs::set_permissions(program, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    place.env("PATH", &format!("{}:/usr/bin:/bin", place.path("bin").display()));
    let settings =
        json!({"agent_servers": {"codex": {"type": "registry", "env": {"CODEX_HOME": "/x"}}}});
    place.write("home/.config/zed/settings.json", &settings.to_string());
    let run = place.run(&["status", "codex"]);
    run.assert_code(0);
    let text = unwrapped(&run.stdout);
    assert!(text.contains("settings.json defines codex too"), "{text}");
    assert!(text.contains("with the variables CODEX_HOME"), "{text}");
    // One program is listed once, under the first of its names.
    let (_, document) = place.run_json(&["agents"]);
    let on_path = document["definitions"].as_array().unwrap().iter();
    let on_path = on_path.filter(|entry| entry["definedIn"]["kind"] == "path").count();
    assert_eq!(on_path, 1, "{document:#}");
    place.run(&["status", "zed-codex"]).assert_code(0);
}

/// A runner of GitHub Actions obeys lines that begin with `::`, blanks before them or not.
#[test]
fn a_job_of_github_gets_annotations_and_a_table_and_obeys_no_agent() {
    let mut place = Place::new();
    let out = Agent::new(
        &place,
        "out",
        json!([answers_v1(), {"on": "auth/status", "reply": {"state": "unauthenticated"}}]),
    );
    let hostile = Agent::new(
        &place,
        "hostile",
        json!([{"on": "initialize", "stderr": "::add-mask::x\n  ::stop-commands::y\n##[error]z\n", "exit": 1}]),
    );
    let fine = signed_in(&place, "fine");
    let config = configured(&place, &[("out", &out), ("hostile", &hostile), ("fine", &fine)]);
    let summary = place.path("summary.md");
    place.env("GITHUB_ACTIONS", "true").env("GITHUB_STEP_SUMMARY", summary.to_str().unwrap());
    let run = place.run(&["status", "--config", &config]);
    run.assert_code(4)
        .assert_stderr("::error title=acp-auth out::Not signed in\n")
        .assert_stderr("::error title=acp-auth hostile::");
    let obeyed = |line: &&str| line.trim_start().starts_with("::") || line.contains("\n##[");
    let lines: Vec<&str> = run.stderr.lines().chain(run.stdout.lines()).filter(obeyed).collect();
    assert!(lines.iter().all(|line| line.starts_with("::error title=acp-auth ")), "{lines:?}");
    let table = std::fs::read_to_string(&summary).unwrap();
    assert!(table.contains("| fine | Signed in | `auth/status` |"), "{table}");
    let (run, _) = place.run_json(&["status", "--config", &config]);
    run.assert_says_not("::error title");
}

#[test]
fn the_short_help_is_short_and_pages_are_whole() {
    let place = Place::new();
    let short = place.run(&["status", "-h"]);
    short
        .assert_code(0)
        .assert_stdout("Common options (--help explains them):")
        .assert_stdout("Examples:")
        .assert_says_not("Longest start");
    place.run(&["status", "--help"]).assert_stdout("Longest start");
    for page in [&["man"][..], &["man", "status"]] {
        let run = place.run(page);
        for section in ["EXIT STATUS", "ENVIRONMENT", "FILES", "EXAMPLES", "SEE ALSO"] {
            run.assert_code(0).assert_stdout(section);
        }
    }
}

#[test]
fn a_jq_expression_works_on_the_document() {
    let place = Place::new();
    let agent = signed_in(&place, "one");
    let config = configured(&place, &[("one", &agent)]);
    let args = |query: &'static str| {
        ["status", "one", "--config", &config, "--jq", query].map(ToOwned::to_owned)
    };
    let run = |query| place.run(&args(query).iter().map(String::as_str).collect::<Vec<_>>());
    let state = run(".agents[0] | .name, .state");
    state.assert_code(0);
    assert_eq!(state.stdout, "one\nauthenticated\n");
    run(".agents[").assert_code(2).assert_stderr("--jq does not fit");
    run(".nope.nope | length | halt").assert_code(2).assert_stderr("halt");
    assert_eq!(agent.starts().len(), 1, "a wrong expression starts nothing");
    run(".agents.state").assert_code(2).assert_stderr("--jq came to an error");
    agent.assert_nothing_left();
}
