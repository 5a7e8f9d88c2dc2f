//! The command line itself.

use serde_json::json;

use crate::common::Place;

#[test]
fn the_demo_agent_goes_through_a_whole_cycle_in_both_versions() {
    for protocol in ["1", "2"] {
        let place = Place::new();
        let go = |command: &str, code: i32, text: &str| {
            place
                .run(&[command, "demo", "--protocol", protocol])
                .assert_code(code)
                .assert_stdout(text);
        };
        go("status", 1, "Not signed in");
        go("logout", 0, "Signed out already");
        go("login", 0, "Signed in: Demo plan");
        go("status", 0, &format!("ACP v{protocol}"));
        go("login", 0, "Signed in already");
        go("logout", 0, "Signed out");
        go("status", 1, "acp-auth login --protocol");
    }
}

#[test]
fn the_command_that_is_suggested_signs_in() {
    let place = Place::new();
    let run = place.run(&["status", "demo"]);
    let line = run.stdout.lines().find(|line| line.contains("To sign in: ")).unwrap();
    let words: Vec<&str> = line.split_once("acp-auth ").unwrap().1.split(' ').collect();
    place.run(&words).assert_code(0);
}

#[test]
fn usage_errors_are_json_too_where_json_was_asked_for() {
    let place = Place::new();
    for args in
        [&["status", "--json", "--tiemout", "1s"][..], &["--json"], &["login", "a", "b", "--json"]]
    {
        let run = place.run(args);
        run.assert_code(2);
        let document = run.document();
        assert_eq!(
            (&document["error"]["kind"], &document["exitCode"]),
            (&json!("usage"), &json!(2))
        );
        assert!(!run.stderr.is_empty());
    }
    let run = place.run(&["status", "demo", "--", "x"]);
    run.assert_code(2).assert_stderr("not both");
    assert_eq!(run.stdout, "");
}

#[test]
fn help_and_version_go_to_stdout() {
    let place = Place::new();
    for args in [&["--help"][..], &["status", "--help"], &["help", "login"]] {
        let run = place.run(args);
        run.assert_code(0).assert_stdout("Usage:");
        assert_eq!(run.stderr, "");
    }
    assert!(place.run(&["--version"]).stdout.starts_with("acp-auth "));
}

#[test]
fn completions_and_schema_are_printed() {
    let place = Place::new();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish", "nushell"] {
        place.run(&["completions", shell]).assert_code(0).assert_stdout("acp-auth");
    }
    let run = place.run(&["schema"]);
    jsonschema::meta::validate(&run.document()).unwrap();
}

#[test]
fn quiet_prints_nothing_but_errors() {
    let place = Place::new();
    let run = place.run(&["status", "demo", "-q"]);
    run.assert_code(1);
    assert_eq!(run.all(), "");
    let run = place.run(&["status", "-q", "--", "no-such-program"]);
    run.assert_code(4).assert_stderr("no-such-program");
    assert_eq!(run.stdout, "");
}
