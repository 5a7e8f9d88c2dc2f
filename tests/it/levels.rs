//! The levels beyond the protocol: an agent's own status command, and sessions in contrast.

use serde_json::{Value, json};

use crate::common::{Agent, Place, Run, answers_v1, eventually, signal};
use crate::probing::unreporting;

/// The scripted agent as an agent of the catalog: its launcher stands where npm puts a package's
/// program, and is given a status command that answers by `answer` (a shell command).
fn of_catalog(place: &Place, program: &str, peer: &Value, answer: &str) -> (Agent, String) {
    let mut initialize = answers_v1();
    initialize["reply"]["agentInfo"] = peer.clone();
    let agent = Agent::new(
        place,
        "agent",
        json!([initialize, {"on": "session/new", "error": {"code": -32000, "message": "Authentication required"}}]),
    );
    let cases = format!("account|cli) echo command >>\"$0.log\"; {answer};;");
    let program = launcher(place, program, &agent, &cases);
    (agent, program)
}

/// A program of that name which is the agent, but for the words that `cases` of a shell cover.
fn launcher(place: &Place, program: &str, agent: &Agent, cases: &str) -> String {
    let words: Vec<String> = agent.after(&[])[1..].iter().map(|word| format!("'{word}'")).collect();
    let text = format!("#!/bin/sh\ncase \"$1\" in {cases} esac\nexec {}\n", words.join(" "));
    let path = place.write(program, &text);
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(&path, mode).unwrap();
    path.to_str().unwrap().to_owned()
}

fn auggie() -> Value {
    json!({"name": "auggie", "version": "0.36.0 (commit 1)"})
}

#[test]
fn an_agents_own_status_command_decides_by_its_exact_line_or_field() {
    for (answer, code, state, says) in [
        (
            "echo 'You are not currently logged in to Augment.' >&2; exit 1",
            1,
            "unauthenticated",
            "",
        ),
        ("echo '{\"planName\": \"Demo plan\"}'; exit 0", 0, "authenticated", "Demo plan"),
        // The word in other prose, another stream, another exit status, another line: no verdict.
        ("echo 'You are not currently logged in to Augment.'; exit 1", 3, "unknown", "it says"),
        (
            "echo 'You are not currently logged in to Augment.' >&2; exit 0",
            3,
            "unknown",
            "status 0",
        ),
        (
            "echo 'Cannot reach it; you are not currently logged in' >&2; exit 1",
            3,
            "unknown",
            "Cannot reach it",
        ),
        ("echo '{\"planName\": \"Demo plan\"}'; exit 1", 3, "unknown", "status 1"),
        ("exit 1", 3, "unknown", "it says nothing"),
        // What it leaves running keeps its pipes open, and it has said what it says.
        (
            "echo '{\"planName\": \"Demo plan\"}'; sleep 600 & exit 0",
            0,
            "authenticated",
            "Demo plan",
        ),
    ] {
        let place = Place::new();
        let (_agent, program) = of_catalog(&place, "auggie", &auggie(), answer);
        let words = ["status", "--", &program, "--acp"];
        let run = place.run(&words);
        run.assert_code(code).assert_stdout(says);
        let (_, document) = place.run_json(&words);
        let report = &document["agents"][0];
        assert_eq!(report["state"], state, "{answer}\n{run}");
        let evidence = (code < 3).then_some("auggie account status --json");
        assert_eq!(report["evidence"].as_str(), evidence);
    }
}

#[test]
fn a_status_command_is_run_only_where_name_version_and_arguments_fit() {
    let answer = "echo 'You are not currently logged in to Augment.' >&2; exit 1";
    for (peer, args, more) in [
        (json!({"name": "other", "version": "0.36.0"}), &["--acp"][..], &[][..]),
        (json!({"name": "auggie", "version": "0.20.0"}), &["--acp"], &[]),
        (auggie(), &["--acp", "--model", "x"], &[]),
        (auggie(), &["--acp"], &["--probe", "none"]),
    ] {
        let place = Place::new();
        let (_agent, program) = of_catalog(&place, "auggie", &peer, answer);
        let mut words = vec!["status"];
        words.extend(more);
        words.extend(["--", &program]);
        words.extend(args);
        place.run(&words).assert_code(3);
        assert!(!std::path::Path::new(&format!("{program}.log")).exists(), "{peer} {args:?}");
    }
    // Another program that calls itself so is not run.
    let place = Place::new();
    let (_agent, program) = of_catalog(&place, "other", &auggie(), answer);
    place.run(&["status", "--", &program, "--acp"]).assert_code(3);
    assert!(!std::path::Path::new(&format!("{program}.log")).exists());
}

#[test]
fn a_status_command_that_hangs_is_ended_with_what_it_started() {
    let place = Place::new();
    let answer = "sleep 600 & echo $! >\"$0.pid\"; wait";
    let (_agent, program) = of_catalog(&place, "auggie", &auggie(), answer);
    let run = place.run(&["status", "--timeout", "500ms", "--", &program, "--acp"]);
    run.assert_code(3).assert_stdout("did not end within 500ms");
    let pid = std::fs::read_to_string(format!("{program}.pid")).unwrap();
    assert!(!std::path::Path::new(&format!("/proc/{}", pid.trim())).exists(), "{run}");
}

/// An agent that opens sessions for who has a file in its home.
fn with_home(place: &Place) -> Agent {
    unreporting(
        place,
        1,
        json!([
            {"on": "session/new", "env": {"DEMO_API_KEY": true}, "reply": {"sessionId": "s"}},
            {"on": "session/new", "env": {"DEMO_API_KEY": false}, "error": {"code": -32603, "message": "no network"}},
        ]),
    )
}

#[test]
fn a_contrast_that_comes_to_nothing_proves_nothing() {
    let place = Place::new();
    let agent = with_home(&place);
    let run =
        agent.run(&place, &["status", "--probe", "session", "--env", "DEMO_API_KEY=made-up-value"]);
    run.assert_code(3)
        .assert_stdout("for contrast")
        .assert_stdout("no network")
        .assert_says_not("made-up-value");
}

#[test]
fn the_empty_home_is_gone_afterwards_and_nothing_secret_is_in_it() {
    let mut place = Place::new();
    let temporary = place.path("temporary");
    std::fs::create_dir(&temporary).unwrap();
    place.env("TMPDIR", temporary.to_str().unwrap()).env("OTHER_SECRET_TOKEN", "made-up-value");
    let agent = unreporting(
        &place,
        1,
        json!([
            {"on": "session/new", "env": {"OTHER_SECRET_TOKEN": true}, "reply": {"sessionId": "s"}},
            {"on": "session/new", "env": {"OTHER_SECRET_TOKEN": false}, "error": {"code": -32000, "message": "Authentication required"}},
        ]),
    );
    let (run, report) = agent.run_json(&place, &["status", "--probe", "session"]);
    run.assert_code(0);
    assert_eq!((&report["contrast"], &report["verified"]), (&json!("refused"), &json!(false)));
    agent
        .run(&place, &["status", "--probe", "session"])
        .assert_stdout("Signed in by contrast (not verified)");
    assert_eq!(std::fs::read_dir(&temporary).unwrap().count(), 0, "{run}");
}

#[test]
fn a_signal_leaves_no_empty_home_behind() {
    let mut place = Place::new();
    let temporary = place.path("temporary");
    std::fs::create_dir(&temporary).unwrap();
    place.env("TMPDIR", temporary.to_str().unwrap()).env("DEMO_TOKEN", "made-up-value");
    let agent = unreporting(
        &place,
        1,
        json!([
            {"on": "session/new", "env": {"DEMO_TOKEN": true}, "reply": {"sessionId": "s"}},
            {"on": "session/new", "env": {"DEMO_TOKEN": false}, "hang": true},
        ]),
    );
    let words = agent.after(&["status", "--probe", "session"]);
    let words: Vec<&str> = words.iter().map(|word| &**word).collect();
    let child = place.start(&words);
    eventually("the session in the empty home", || {
        let sessions = agent.requests().iter().filter(|method| *method == "session/new").count();
        (sessions > 1).then_some(())
    });
    signal(child.id(), "TERM");
    Run::finish(child).assert_code(143);
    assert_eq!(std::fs::read_dir(&temporary).unwrap().count(), 0);
    agent.assert_nothing_left();
}

#[test]
fn a_refusal_that_may_be_a_missing_network_is_no_sign_out() {
    let refusal = json!({"code": -32000, "message": "Authentication required"});
    for (steps, level) in [
        (json!([{"on": "session/new", "error": refusal}]), "session"),
        (
            json!([{"on": "session/new", "reply": {"sessionId": "s"}}, {"on": "session/prompt", "error": refusal}]),
            "prompt",
        ),
    ] {
        let place = Place::new();
        let mut initialize = answers_v1();
        initialize["reply"]["agentInfo"] = json!({"name": "Copilot", "version": "1.0.102"});
        let mut all = vec![initialize];
        all.extend(steps.as_array().unwrap().iter().cloned());
        let agent = Agent::new(&place, "agent", Value::Array(all));
        let program = launcher(&place, "copilot", &agent, "");
        let words = ["status", "--probe", level, "--env", "GH_TOKEN=made-up-value", "--", &program];
        let run = place.run(&words);
        run.assert_code(3).assert_stdout("GH_TOKEN is set, and could not be checked");
        run.assert_says_not("made-up-value").assert_says_not("The agent says: refused");
        // Without the variable it is what it says.
        place.run(&["status", "--probe", level, "--", &program]).assert_code(1);
    }
}

#[test]
fn a_selected_method_that_needs_no_credential_proves_nothing() {
    let mut place = Place::new();
    let home = place.path("home");
    std::fs::create_dir_all(home.join(".gemini")).unwrap();
    place.env("HOME", home.to_str().unwrap());
    let mut initialize = answers_v1();
    initialize["reply"]["agentInfo"] = json!({"name": "gemini-cli", "version": "0.61.0"});
    let agent = Agent::new(
        &place,
        "agent",
        json!([
            initialize,
            {"on": "session/new", "env": {"GEMINI_API_KEY": true}, "reply": {"sessionId": "s"}},
            {"on": "session/new", "env": {"GEMINI_API_KEY": false}, "error": {"code": -32000, "message": "Authentication required"}},
        ]),
    );
    let program = launcher(&place, "gemini", &agent, "");
    let words =
        ["status", "--probe", "session", "--env", "GEMINI_API_KEY=made-up-value", "--", &program];
    place.run(&words).assert_code(0);
    let settings = r#"{"security": {"auth": {"selectedType": "vertex-ai"}}}"#;
    std::fs::write(home.join(".gemini/settings.json"), settings).unwrap();
    place.run(&words).assert_code(3).assert_stdout("once vertex-ai is selected");
}

#[test]
fn a_file_that_may_be_a_credential_is_told_by_its_age_and_never_read() {
    let mut place = Place::new();
    let home = place.path("home");
    std::fs::create_dir_all(home.join(".augment")).unwrap();
    place.env("HOME", home.to_str().unwrap());
    std::fs::write(home.join(".augment/session.json"), "made-up-value").unwrap();
    let (_agent, program) = of_catalog(&place, "auggie", &auggie(), "exit 1");
    let words = ["status", "--", &program, "--acp"];
    let run = place.run(&words);
    run.assert_stdout(".augment/session.json, written just now (whether the agent uses it is");
    run.assert_says_not("made-up-value");
    let (_, document) = place.run_json(&words);
    assert_eq!(document["agents"][0]["credentials"][0]["kind"], "file");
}
