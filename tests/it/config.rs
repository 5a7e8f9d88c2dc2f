//! Agents: named, configured, given on the spot.

use std::os::unix::fs::PermissionsExt;

use serde_json::json;

use crate::common::{Agent, Place, answers_v1};

fn signed_in(place: &Place) -> Agent {
    Agent::new(
        place,
        "agent",
        json!([answers_v1(), {"on": "auth/status", "reply": {"state": "authenticated"}}]),
    )
}

/// Writes the configuration where it is looked for.
fn configure(place: &Place, text: &str) {
    place.write("home/.config/acp-auth/config.toml", text);
}

#[test]
fn without_any_agent_it_says_what_was_found_and_what_to_type() {
    let place = Place::new();
    let run = place.run(&["status"]);
    run.assert_code(2)
        .assert_stderr("home/.config/acp-auth/config.toml")
        .assert_stderr("acp-auth status demo");
    assert_eq!(run.stdout, "");
    let (run, document) = place.run_json(&["status"]);
    run.assert_code(2);
    assert_eq!((&document["error"]["kind"], &document["agents"]), (&json!("usage"), &json!([])));
}

#[test]
fn the_configuration_names_agents_and_a_default() {
    let mut place = Place::new();
    let agent = signed_in(&place);
    configure(&place, &agent.table("one"));
    place.run(&["status"]).assert_code(0).assert_stdout("one  Scripted");
    configure(&place, &(agent.table("one") + &agent.table("two")));
    place
        .run(&["status"])
        .assert_code(0)
        .assert_stdout("one  Scripted")
        .assert_stdout("two  Scripted");
    place.run(&["logout"]).assert_code(2).assert_stderr("name one: one, two");
    configure(&place, &format!("default = \"two\"\n{}{}", agent.table("one"), agent.table("two")));
    place
        .run(&["status"])
        .assert_code(0)
        .assert_stdout("two  Scripted")
        .assert_says_not("one  Scripted");
    place.env("ACP_AUTH_AGENT", "one");
    place
        .run(&["status"])
        .assert_code(0)
        .assert_stdout("one  Scripted")
        .assert_says_not("two  Scripted");
    let (_, document) = place.run_json(&["status"]);
    assert_eq!(document["agents"][0]["definedIn"]["kind"], "config");
}

#[test]
fn an_unknown_name_starts_nothing_and_names_the_nearest() {
    let place = Place::new();
    let agent = signed_in(&place);
    configure(&place, &agent.table("codex"));
    place.run(&["status", "codx"]).assert_code(2).assert_stderr("did you mean `codex`?");
    assert!(agent.starts().is_empty());
}

#[test]
fn an_error_in_the_file_names_its_place_and_starts_nothing() {
    let place = Place::new();
    let agent = signed_in(&place);
    let path = place.write("c.toml", &format!("{}comand = \"x\"\n", agent.table("one")));
    let path = path.to_str().unwrap();
    let run = place.run(&["status", "--config", path]);
    run.assert_code(2)
        .assert_stderr("c.toml:3:1: unknown key `comand`")
        .assert_stderr("did you mean `command`?");
    let (run, document) = place.run_json(&["status", "--config", path]);
    run.assert_code(2);
    assert_eq!(document["error"]["kind"], "config");
    place
        .run(&["status", "--config", "missing.toml"])
        .assert_code(2)
        .assert_stderr("missing.toml cannot be read");
    assert!(agent.starts().is_empty());
}

#[test]
fn everything_of_a_definition_reaches_the_agent() {
    let mut place = Place::new();
    let agent = Agent::new(
        &place,
        "agent",
        json!([
            {"on": "start", "shell": "echo \"$(pwd) $FILE_TOKEN $OPTION_TOKEN\" >&2"},
            answers_v1(),
            {"on": "auth/status", "hang": true},
        ]),
    );
    std::fs::create_dir_all(place.path("home/work")).unwrap();
    configure(
        &place,
        &format!(
            "{}cwd = \"~/work\"\nenv = {{ FILE_TOKEN = \"${{SOURCE}}-${{UNSET:-fallback}}\" }}\ntimeout = \"300ms\"\n",
            agent.table("one"),
        ),
    );
    place
        .run(&["status"])
        .assert_code(2)
        .assert_stderr("config.toml:4:")
        .assert_stderr("SOURCE is not set");
    place.env("SOURCE", "file");
    let (run, document) = place.run_json(&["status", "--env", "OPTION_TOKEN=option-value-1"]);
    run.assert_code(124);
    let report = &document["agents"][0];
    assert_eq!(report["launch"]["envNames"], json!(["FILE_TOKEN", "OPTION_TOKEN"]));
    let said = report["error"]["stderr"].as_str().unwrap();
    // The values may be secrets, so they are hidden where the agent repeats them.
    assert!(said.contains("/home/work [redacted] [redacted]"), "{said}");
    place
        .run(&["status", "--cwd", "nowhere"])
        .assert_code(2)
        .assert_stderr("nowhere is not a directory");
    place.run(&["status", "--env", "NOT_SET"]).assert_code(2).assert_stderr("NOT_SET");
}

#[test]
fn a_command_is_found_in_all_its_forms() {
    let place = Place::new();
    let agent = signed_in(&place);
    let words = agent.words();
    let script = format!("#!/bin/sh\nexec '{}' '{}' '{}' \"$@\"\n", words[0], words[1], words[2]);
    for path in ["home/bin/my-agent", "with space/my agent", "my-agent"] {
        let path = place.write(path, &script);
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    let spaced = place.path("with space/my agent");
    let spaced = spaced.to_str().unwrap();
    for command in [
        "\"~/bin/my-agent\"".to_owned(),
        "\"./my-agent\"".to_owned(),
        format!("\"{spaced}\""),
        format!("[\"{spaced}\", \"acp\"]"),
        format!("\"'{spaced}' acp\""),
        "\"sh ./my-agent acp\"".to_owned(),
    ] {
        configure(&place, &format!("[agents.one]\ncommand = {command}\n"));
        place.run(&["status"]).assert_code(0);
    }
}

#[test]
fn a_program_that_cannot_be_started_says_why() {
    let place = Place::new();
    place.write("not-executable", "#!/bin/sh\n");
    let script = place.write("no-interpreter", "#!/no/such/interpreter\n");
    std::fs::set_permissions(script, std::fs::Permissions::from_mode(0o755)).unwrap();
    for (program, text) in [
        ("no-such-program", "the program no-such-program was not found on PATH"),
        ("./no-such-program", "there is no program"),
        ("./not-executable", "is not executable"),
        ("./no-interpreter", "the interpreter in its first line is missing"),
    ] {
        let (run, document) = place.run_json(&["status", "--", program]);
        run.assert_code(4).assert_stdout(text);
        assert_eq!(document["agents"][0]["error"]["kind"], "start_failed");
        place.run(&["status", "--", program]).assert_code(4).assert_stdout(text);
    }
    place.run(&["status", "--", "no-such-program"]).assert_stdout("looked in ");
}

#[test]
fn limits_come_from_option_over_environment_over_file() {
    let mut place = Place::new();
    let agent = Agent::new(&place, "agent", json!([{"on": "initialize", "hang": true}]));
    configure(&place, &format!("{}timeout = \"101ms\"\n", agent.table("one")));
    place.run(&["status"]).assert_code(124).assert_stdout("within 10");
    place.env("ACP_AUTH_TIMEOUT", "never");
    place.run(&["status"]).assert_code(2).assert_stderr("ACP_AUTH_TIMEOUT");
    place.env("ACP_AUTH_TIMEOUT", "201ms");
    place.run(&["status"]).assert_code(124).assert_stdout("within 20");
    place.run(&["status", "--timeout", "301ms"]).assert_code(124).assert_stdout("within 30");
    place.run(&["status", "--timeout", "0s"]).assert_code(2).assert_stderr("more than zero");
}

#[test]
fn an_agent_that_cannot_be_asked_keeps_none_of_all_from_being_asked() {
    let place = Place::new();
    let agent = signed_in(&place);
    let text = format!(
        "{}[agents.unset]\ncommand = \"${{NOT_SET}}\"\n[agents.server]\ncommand = \"x\"\nkind = \"mcp\"\n",
        agent.table("fine"),
    );
    configure(&place, &text);
    let (run, document) = place.run_json(&["status"]);
    run.assert_code(2)
        .assert_stdout("NOT_SET is not set")
        .assert_stdout("the program x was not found");
    let states: Vec<&str> = document["agents"]
        .as_array()
        .unwrap()
        .iter()
        .map(|agent| agent["state"].as_str().unwrap())
        .collect();
    assert_eq!(states, ["authenticated", "unknown", "unknown"]);
    place.run(&["status", "fine", "unset"]).assert_code(2).assert_stdout("NOT_SET is not set");
    assert_eq!(agent.starts().len(), 2, "the others are asked");
    place.run(&["status", "unset"]).assert_code(2).assert_stderr("NOT_SET is not set");
}

#[test]
fn mistakes_in_a_definition_are_found_where_they_are() {
    let place = Place::new();
    for (line, text) in [
        ("command = \"\"", "c.toml:1:9: the agent a has an empty command"),
        ("command = \"'unbalanced\"", "c.toml:2:11: the command `'unbalanced` cannot be split"),
        ("command = \"x\\u0000y\"", "c.toml:2:11: `command` contains a null character"),
        (
            "command = \"x\"\nenv = { \"A=B\" = \"c\" }",
            "c.toml:3:9: this is not a name that a variable can have",
        ),
        ("command = \"x\"\nargs = \"-c\"", "c.toml:3:8: `args` must be a list of strings"),
    ] {
        let config = place.write("c.toml", &format!("[agents.a]\n{line}\n"));
        let run = place.run(&["status", "--config", config.to_str().unwrap()]);
        run.assert_code(2).assert_stderr(text);
    }
    let config = place.path("c.toml");
    std::fs::write(&config, b"[agents.a]\ncommand = \"x\" # \xff\n").unwrap();
    place
        .run(&["status", "--config", "c.toml"])
        .assert_code(2)
        .assert_stderr("c.toml:2:17: this is not UTF-8 text");
    place.write("c.toml", "[agents.\"a\\nb\"]\ncommand = \"x\"\n");
    place
        .run(&["status", "--config", "c.toml"])
        .assert_code(2)
        .assert_stderr("c.toml:1:9: an agent's name");
    place.run(&["status", "--config", "/dev/zero"]).assert_code(2).assert_stderr("more than 1 MiB");
}

#[test]
fn a_configuration_that_never_comes_can_be_interrupted() {
    let place = Place::new();
    let made = std::process::Command::new("mkfifo").arg(place.path("pipe")).status().unwrap();
    assert!(made.success());
    let mut child = place.start(&["status", "demo", "--json", "--config", "pipe"]);
    let id = child.id();
    // Its signals are listened to when it has a second thread, which waits for the pipe.
    crate::common::eventually("the program waits", || {
        let threads = std::fs::read_dir(format!("/proc/{id}/task")).ok()?.count();
        assert!(child.try_wait().unwrap().is_none());
        (threads > 1).then_some(())
    });
    crate::common::signal(id, "TERM");
    let run = crate::common::Run::finish(child);
    run.assert_code(143);
    assert_eq!(run.document()["error"]["kind"], "interrupted");
}
