//! Every way real agents sign people in, beside the two standard types.

use std::io::Write;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::common::{Agent, Place, Run, answers_v1, answers_v2, unwrapped};

const SECRET: &str = "made-up-secret-value";

/// An agent with one method, which signs in where the request or the environment fits.
fn with_method(place: &Place, method: Value, fits: Value) -> Agent {
    let mut initialize = answers_v1();
    initialize["reply"]["authMethods"] = json!([method]);
    let mut authenticate = json!({"on": "authenticate", "set": {"in": true}, "reply": {}});
    for (key, value) in fits.as_object().unwrap() {
        authenticate[key] = value.clone();
    }
    Agent::new(
        place,
        "agent",
        json!([
            initialize,
            {"on": "auth/status", "state": {"in": false}, "reply": {"state": "unauthenticated"}},
            {"on": "auth/status", "state": {"in": true}, "reply": {"state": "authenticated"}},
            authenticate,
            {"on": "authenticate", "state": {"in": false}, "error": {"code": -32000, "message": "no credential came"}},
        ]),
    )
}

fn run_with_input(agent: &Agent, place: &Place, args: &[&str], input: &str) -> Run {
    let words = agent.after(args);
    let mut command = place.command(&words.iter().map(String::as_str).collect::<Vec<_>>());
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    Run::finish(child)
}

/// The methods that take one key, with what the agent must get.
fn keys() -> Vec<(Value, Value)> {
    let with_meta = |provider: &str| json!({"id": "key", "name": "API key", "_meta": {"api-key": {"provider": provider}}});
    vec![
        (with_meta("openai"), json!({"params": {"_meta": {"api-key": {"apiKey": SECRET}}}})),
        (with_meta("google"), json!({"params": {"_meta": {"api-key": SECRET}}})),
        (
            json!({"id": "key", "name": "Key", "type": "enterKey"}),
            json!({"params": {"authParams": {"key": SECRET}}}),
        ),
        (
            json!({"id": "key", "name": "Key", "type": "env_var", "vars": [{"name": "DEMO_API_KEY"}]}),
            json!({"env": {"DEMO_API_KEY": SECRET}}),
        ),
        (
            json!({"id": "key", "name": "Key", "type": "envVar", "varName": "DEMO_API_KEY"}),
            json!({"env": {"DEMO_API_KEY": SECRET}}),
        ),
    ]
}

#[test]
fn a_key_comes_from_stdin_and_shows_nowhere() {
    for (method, fits) in keys() {
        let place = Place::new();
        let agent = with_method(&place, method.clone(), fits);
        let trace = place.path("trace");
        let args = ["login", "--with-token", "-vv", "--trace", trace.to_str().unwrap()];
        let run = run_with_input(&agent, &place, &args, &format!("{SECRET}\n"));
        run.assert_code(0).assert_stdout("Signed in").assert_says_not(SECRET);
        assert!(!std::fs::read_to_string(trace).unwrap().contains(SECRET), "{method}");
    }
}

#[test]
fn a_key_comes_from_a_hidden_prompt_and_shows_nowhere() {
    for (method, fits) in keys() {
        let place = Place::new();
        let agent = with_method(&place, method.clone(), fits);
        let trace = place.path("trace");
        let mut pty = agent.pty(&place, &["login", "-vv", "--trace", trace.to_str().unwrap()]);
        pty.expect("\u{1b}[1m");
        pty.send_hidden_line(SECRET);
        let (code, text) = pty.finish();
        assert_eq!(code, 0, "{text}");
        assert!(!text.contains(SECRET), "{text}");
        assert!(!std::fs::read_to_string(trace).unwrap().contains(SECRET), "{method}");
        let started = agent.starts();
        assert!(!format!("{started:?}").contains(SECRET), "it would show in ps: {started:?}");
    }
}

#[test]
fn a_value_that_is_missing_is_asked_for_by_name() {
    for (method, fits) in keys() {
        let place = Place::new();
        let agent = with_method(&place, method.clone(), fits);
        let (run, report) = agent.run_json(&place, &["login"]);
        run.assert_code(2).assert_stdout("--with-token");
        assert_eq!(report["error"]["kind"], "usage", "{method}");
        run_with_input(&agent, &place, &["login", "--with-token"], "\n").assert_code(2);
        let endless = "k".repeat((64 << 10) + 1);
        run_with_input(&agent, &place, &["login", "--with-token"], &endless)
            .assert_code(2)
            .assert_stdout("more than 64 KiB");
        assert!(!agent.requests().contains(&"authenticate".to_owned()));
    }
}

#[test]
fn the_page_where_a_key_is_had_shows_at_the_prompt_and_where_a_key_is_missing() {
    let method = json!({"id": "key", "name": "Key", "type": "env_var", "link": "https://keys.example.test/new",
        "description": "A key of the demo service", "vars": [{"name": "DEMO_API_KEY"}]});
    let place = Place::new();
    let agent = with_method(&place, method, json!({"env": {"DEMO_API_KEY": SECRET}}));
    agent
        .run(&place, &["login"])
        .assert_code(2)
        .assert_stdout("https://keys.example.test/new")
        .assert_stdout("A key of the demo service");
    let mut pty = agent.pty(&place, &["login"]);
    pty.expect("A key of the demo service");
    pty.expect("https://keys.example.test/new");
    pty.expect("\u{1b}[1m");
    pty.send_hidden_line(SECRET);
    assert_eq!(pty.finish().0, 0);
}

/// Some agents offer a method that takes a key only to clients that can be asked something.
#[test]
fn a_key_from_a_pipe_reaches_an_agent_that_insists_on_elicitation() {
    let place = Place::new();
    let mut initialize = answers_v1();
    initialize["reply"]["authMethods"] = json!([{"id": "key", "name": "Key", "type": "enterKey"}]);
    initialize["params"] = json!({"clientCapabilities": {"elicitation": {"form": {}}}});
    let agent = Agent::new(
        &place,
        "agent",
        json!([
            initialize,
            {"on": "auth/status", "state": {"in": false}, "reply": {"state": "unauthenticated"}},
            {"on": "auth/status", "state": {"in": true}, "reply": {"state": "authenticated"}},
            {"on": "authenticate", "set": {"in": true}, "reply": {}},
        ]),
    );
    run_with_input(&agent, &place, &["login", "--with-token"], SECRET).assert_code(0);
}

#[test]
fn several_variables_come_from_everywhere() {
    let method = json!({"id": "key", "name": "Key", "type": "env_var", "vars": [
        {"name": "DEMO_ORG", "label": "Organization", "secret": false},
        {"name": "DEMO_API_KEY", "label": "The key"},
        {"name": "DEMO_REGION", "optional": true},
    ]});
    let fits =
        json!({"env": {"DEMO_ORG": "example", "DEMO_API_KEY": SECRET, "DEMO_REGION": false}});
    let place = Place::new();
    let agent = with_method(&place, method.clone(), fits.clone());
    let input = format!("DEMO_ORG=example\nDEMO_API_KEY={SECRET}\n");
    run_with_input(&agent, &place, &["login", "--with-token"], &input)
        .assert_code(0)
        .assert_says_not(SECRET);

    let mut place = Place::new();
    place.env("DEMO_ORG", "example");
    let agent = with_method(&place, method, fits);
    let mut pty = agent.pty(&place, &["login"]);
    pty.expect("The key (DEMO_API_KEY)");
    pty.send_hidden_line(SECRET);
    pty.expect("DEMO_REGION, may be empty)");
    pty.send_hidden_line("");
    let (code, text) = pty.finish();
    let text = unwrapped(&text);
    assert_eq!(code, 0, "{text}");
    assert!(text.contains("as long as the agent is given DEMO_ORG and DEMO_API_KEY"), "{text}");
}

#[test]
fn a_start_argument_is_warned_of_and_needs_agreement() {
    let place = Place::new();
    let mut initialize = answers_v1();
    initialize["reply"]["authMethods"] =
        json!([{"id": "key", "name": "Key", "type": "startParam", "paramName": "api-key"}]);
    let agent = Agent::new(
        &place,
        "agent",
        json!([
            initialize, {"on": "auth/status", "reply": {"state": "unauthenticated"}},
        ]),
    );
    let run = run_with_input(&agent, &place, &["login", "--with-token"], SECRET);
    run.assert_code(2).assert_stderr("other users of this machine can see it");
    run.assert_stdout("pass --yes to agree");
    assert!(agent.starts().iter().all(Vec::is_empty));
    run_with_input(&agent, &place, &["login", "--with-token", "--yes"], SECRET)
        .assert_code(1)
        .assert_says_not(SECRET);
    assert!(agent.starts().contains(&vec!["--api-key".to_owned(), SECRET.to_owned()]));
}

#[test]
fn interrupting_a_hidden_prompt_leaves_the_terminal_as_it_was() {
    let place = Place::new();
    let (method, fits) = keys().remove(0);
    let agent = with_method(&place, method, fits);
    let mut pty = agent.pty(&place, &["login"]);
    pty.expect("API key (OPENAI_API_KEY)");
    pty.send_control('c');
    pty.expect("interrupted while");
    assert!(!pty.settings().contains("-icanon"));
    assert_eq!(pty.finish().0, 130);
    agent.assert_nothing_left();
}

/// An agent whose only method is a command of its own proposal.
fn proposing(place: &Place, command: &str, args: Value) -> Agent {
    let recipe =
        json!({"command": command, "args": args, "env": {"FROM_AGENT": "a b"}, "label": "Login"});
    with_method(
        place,
        json!({"id": "cli", "name": "Login", "_meta": {"terminal-auth": recipe}}),
        json!({}),
    )
}

#[test]
fn a_proposed_command_is_shown_whole_and_run_after_agreement() {
    let place = Place::new();
    let marker = place.path("ran");
    let script = format!("echo \"$FROM_AGENT\" > '{}'", marker.display());
    let agent = proposing(&place, "sh", json!(["-c", script]));
    let mut declined = agent.pty(&place, &["login"]);
    declined.expect("proposes this command");
    declined.expect("FROM_AGENT='a b' sh -c ");
    declined.expect("Run sh with 2 arguments and 1 variable on this terminal?");
    declined.send("n");
    let (code, text) = declined.finish();
    assert_eq!(code, 1, "{text}");
    assert!(!marker.exists());

    let mut agreed = agent.pty(&place, &["login"]);
    agreed.expect("on this terminal?");
    agreed.send("y");
    assert_eq!(agreed.finish().0, 1, "the agent still says that nobody is signed in");
    assert_eq!(std::fs::read_to_string(&marker).unwrap(), "a b\n");

    std::fs::remove_file(&marker).unwrap();
    agent.pty(&place, &["login", "--yes"]).finish();
    assert!(marker.exists());
    assert!(!agent.requests().contains(&"authenticate".to_owned()));
}

#[test]
fn a_proposed_command_is_never_run_without_a_terminal() {
    let place = Place::new();
    let agent = proposing(&place, "sh", json!(["-c", "exit 0"]));
    for args in [&["login"][..], &["login", "--yes"], &["login", "--method", "cli"]] {
        agent.run(&place, args).assert_code(2).assert_stdout("FROM_AGENT='a b' sh -c 'exit 0'");
    }
}

#[test]
fn a_proposed_program_that_is_missing_is_reported_before_anything_runs() {
    let place = Place::new();
    let agent = proposing(&place, "no-such-program", json!(["login"]));
    let (code, text) = agent.pty(&place, &["login"]).finish();
    let text = unwrapped(&text);
    assert_eq!(code, 4, "{text}");
    assert!(text.contains("the program no-such-program was not found on PATH"), "{text}");
    assert_eq!(agent.starts().len(), 1);
}

#[test]
fn interrupting_the_agreement_runs_nothing() {
    let place = Place::new();
    let marker = place.path("ran");
    let agent = proposing(&place, "touch", json!([marker]));
    let mut pty = agent.pty(&place, &["login"]);
    pty.expect("on this terminal?");
    pty.send_control('c');
    assert_eq!(pty.finish().0, 130);
    assert!(!marker.exists());
    agent.assert_nothing_left();
}

/// An agent of that version that asks something while it signs in, and signs in when the person
/// agreed.
fn asking(place: &Place, version: u64, params: Value) -> Agent {
    let (initialize, login) =
        if version == 1 { (answers_v1(), "authenticate") } else { (answers_v2(), "auth/login") };
    let agreed = json!({"result": {"action": "accept"}});
    let complete = json!({"method": "elicitation/complete", "params": {"elicitationId": "e"}});
    Agent::new(
        place,
        "agent",
        json!([
            initialize,
            {"on": "auth/status", "state": {"in": false}, "reply": {"state": "unauthenticated"}},
            {"on": "auth/status", "state": {"in": true}, "reply": {"state": "authenticated"}},
            {"on": login, "request": {"id": 7, "method": "elicitation/create", "params": params}},
            {"on": "answer:7", "params": agreed, "set": {"in": true}, "notify": complete, "reply_to": login, "reply": {}},
            {"on": "answer:7", "params_not": agreed, "reply_to": login, "error": {"code": -32000, "message": "the person did not agree"}},
        ]),
    )
}

fn answer(agent: &Agent) -> Value {
    agent
        .messages()
        .into_iter()
        .find(|message| message["id"] == 7 && message["method"].is_null())
        .unwrap()
}

fn page() -> Value {
    json!({"mode": "url", "elicitationId": "e", "requestId": 1, "message": "Sign in\u{1b}[2J here",
        "url": "https://login.example.test/device?code=ABCD-1234&long=0123456789012345678901234567890123456789012345678901234567890123456789"})
}

#[test]
fn a_page_is_shown_whole_and_opened_after_agreement() {
    for version in [1, 2] {
        let mut place = Place::new();
        let opened = place.path("opened");
        let browser =
            place.write("browser", &format!("#!/bin/sh\necho \"$1\" > '{}'\n", opened.display()));
        std::fs::set_permissions(&browser, std::os::unix::fs::PermissionsExt::from_mode(0o755))
            .unwrap();
        place.env("BROWSER", browser.to_str().unwrap());
        let agent = asking(&place, version, page());
        let mut pty = agent.pty(&place, &["login", "--protocol", &version.to_string()]);
        pty.expect("https://login.example.test/device?code=ABCD-1234&long=0123456789012345678901234567890123456789012345678901234567890123456789");
        pty.expect("on the host login.example.test");
        pty.expect("Open it in your browser?");
        pty.send("y");
        let (code, text) = pty.finish();
        assert_eq!(code, 0, "{text}");
        assert_eq!(answer(&agent)["result"], json!({"action": "accept"}));
        let address = crate::common::eventually("the browser", || {
            std::fs::read_to_string(&opened).ok().filter(|text| text.ends_with('\n'))
        });
        assert_eq!(address.trim(), page()["url"].as_str().unwrap());
    }
}

#[test]
fn a_page_is_only_printed_where_that_is_wanted_or_over_ssh() {
    for over_ssh in [true, false] {
        let mut place = Place::new();
        place.env("BROWSER", "false");
        let mut args = vec!["login"];
        if over_ssh {
            place.env("SSH_CONNECTION", "192.0.2.1 1 192.0.2.2 22");
        } else {
            args.push("--no-browser");
        }
        let agent = asking(&place, 1, page());
        let mut pty = agent.pty(&place, &args);
        pty.expect("Open the page yourself");
        pty.send("y");
        assert_eq!(pty.finish().0, 0);
    }
}

#[test]
fn a_page_can_be_declined_or_left() {
    for (key, action) in [("n", "decline"), ("\u{1b}", "cancel")] {
        let place = Place::new();
        let agent = asking(&place, 1, page());
        let mut pty = agent.pty(&place, &["login"]);
        pty.expect("Open it in your browser?");
        pty.send(key);
        let (code, text) = pty.finish();
        assert_eq!(code, 1, "{text}");
        assert!(text.contains("you declined"), "{text}");
        assert_eq!(answer(&agent)["result"], json!({"action": action}));
    }
}

#[test]
fn a_question_that_stands_open_is_cancelled_by_an_interruption() {
    let place = Place::new();
    let agent = asking(&place, 1, page());
    let mut pty = agent.pty(&place, &["login"]);
    pty.expect("Open it in your browser?");
    pty.send_control('c');
    let (code, text) = pty.finish();
    assert_eq!(code, 130, "{text}");
    assert_eq!(answer(&agent)["result"], json!({"action": "cancel"}));
    assert!(agent.messages().iter().any(|message| message["method"] == "$/cancel_request"));
    agent.assert_nothing_left();
}

#[test]
fn without_a_terminal_nothing_is_asked() {
    let place = Place::new();
    let agent = asking(&place, 1, page());
    agent.run(&place, &["login"]).assert_code(1);
    assert_eq!(answer(&agent)["error"]["code"], -32601);
    let initialize = agent.messages().remove(0);
    assert!(initialize["params"]["clientCapabilities"]["elicitation"].is_null());
}

#[test]
fn other_modes_and_addresses_are_refused() {
    for params in [
        json!({"mode": "video", "message": "m"}),
        json!({"authenticateRequestId": 99, "url": "https://login.example.test/", "message": "m"}),
        json!({"mode": "url", "message": "m", "url": "file:///etc/passwd"}),
        json!({"mode": "form", "message": "m", "requestedSchema": {"type": "object", "properties": {"a": {"type": "object"}}}}),
    ] {
        let place = Place::new();
        let agent = asking(&place, 1, params.clone());
        assert_eq!(agent.pty(&place, &["login"]).finish().0, 1, "{params}");
        assert_eq!(answer(&agent)["error"]["code"], -32602);
    }
}

#[test]
fn a_form_is_filled_in_and_checked() {
    for version in [1, 2] {
        let place = Place::new();
        let agent = asking(
            &place,
            version,
            json!({
                "mode": "form", "message": "Who are you?", "requestId": 1,
                "requestedSchema": {"type": "object", "required": ["mail", "zone"], "properties": {
                    "mail": {"type": "string", "title": "E-mail", "format": "email"},
                    "zone": {"type": "string", "oneOf": [{"const": "eu", "title": "Europe"}, {"const": "us", "title": "America"}], "default": "us"},
                    "age": {"type": "integer", "minimum": 1, "default": 5},
                    "news": {"type": "boolean", "default": true},
                    "tags": {"type": "array", "minItems": 1, "items": {"type": "string", "enum": ["a", "b"]}},
                    "note": {"type": "string"},
                }},
            }),
        );
        let mut pty = agent.pty(&place, &["login", "--protocol", &version.to_string()]);
        pty.expect("Who are you?");
        pty.send("y");
        pty.expect("E-mail");
        pty.send_line("not an address");
        pty.expect("it is not a valid email");
        pty.send("\u{15}");
        pty.send_line("a@example.test");
        pty.expect("Europe");
        pty.send("\r");
        pty.expect("age");
        pty.send_line("");
        pty.expect("news");
        pty.send("n");
        pty.expect("tags");
        pty.send("\r");
        pty.expect("choose 1 to 2");
        pty.expect("tags");
        pty.send(" \r");
        pty.expect("note");
        pty.send_line("");
        let (code, text) = pty.finish();
        assert_eq!(code, 0, "{text}");
        let content =
            json!({"mail": "a@example.test", "zone": "us", "age": 5, "news": false, "tags": ["a"]});
        assert_eq!(
            answer(&agent)["result"],
            json!({"action": "accept", "content": content}),
            "{text}"
        );
    }
}
