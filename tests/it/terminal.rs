//! A person at a terminal.

use serde_json::{Value, json};

use crate::common::{Agent, Place, Pty, answers_v1};

/// An agent with a terminal method whose program runs `login`.
fn with_program(place: &Place, login: Value) -> Agent {
    let mut initialize = answers_v1();
    initialize["reply"]["authMethods"] = json!([
        {"id": "term", "name": "Terminal", "type": "terminal", "args": ["--login"], "env": {"FOR_LOGIN": "yes"}},
        {"id": "web", "name": "Browser", "description": "Opens a page"},
    ]);
    let mut steps = vec![
        initialize,
        json!({"on": "auth/status", "state": {"in": false}, "reply": {"state": "unauthenticated"}}),
        json!({"on": "auth/status", "state": {"in": true}, "reply": {"state": "authenticated"}}),
        json!({"on": "authenticate", "stderr": "\u{1b}[1mopen https://login.example.test/a?b=c\u{1b}[0m\n"}),
        json!({"on": "authenticate", "set": {"in": true}, "reply": {}}),
    ];
    steps.extend(login.as_array().unwrap().iter().cloned());
    Agent::new(place, "agent", Value::Array(steps))
}

fn pty(agent: &Agent, place: &Place, args: &[&str]) -> Pty {
    agent.pty(place, args)
}

#[test]
fn a_method_is_chosen_from_a_list() {
    let place = Place::new();
    let agent = with_program(&place, json!([]));
    let mut pty = pty(&agent, &place, &["login"]);
    pty.expect("How do you want to sign in");
    pty.expect("Opens a page");
    pty.send("brow");
    pty.send("\r");
    let (code, text) = pty.finish();
    assert_eq!(code, 0, "{text}");
    assert!(text.contains("- Chosen: Browser"), "{text}");
    assert!(agent.requests().contains(&"authenticate".to_owned()));
    assert!(text.contains("open https://login.example.test/a?b=c"), "{text}");
}

#[test]
fn on_a_dumb_terminal_a_number_chooses() {
    for (typed, code) in [("7\n2\n", 0), ("\n", 1)] {
        let mut place = Place::new();
        place.env("TERM", "dumb");
        let agent = with_program(&place, json!([]));
        let mut pty = pty(&agent, &place, &["login"]);
        pty.expect("2) Browser");
        pty.expect("nothing to leave: ");
        pty.send(typed);
        let (ended, text) = pty.finish();
        assert_eq!(ended, code, "{text}");
        assert!(!text.contains('\u{1b}'), "{text:?}");
    }
}

#[test]
fn without_colours_and_utf8_prompts_and_marks_are_plain() {
    let mut place = Place::new();
    place.env("LC_ALL", "C");
    let agent = with_program(&place, json!([]));
    let mut pty = pty(&agent, &place, &["login", "--color", "never"]);
    pty.expect("Type to filter");
    pty.send("\u{1b}");
    let (code, text) = pty.finish();
    assert_eq!(code, 1, "{text}");
    assert!(!text.contains("\u{1b}[1m") && !text.contains("\u{1b}[33m"), "{text:?}");
    assert!(text.contains("x Not signed in") && text.is_ascii(), "{text:?}");
}

#[test]
fn choosing_nothing_declines() {
    let place = Place::new();
    let agent = with_program(&place, json!([]));
    let mut pty = pty(&agent, &place, &["login"]);
    pty.expect("Opens a page");
    pty.send("\u{1b}");
    let (code, text) = pty.finish();
    assert_eq!(code, 1, "{text}");
    assert!(text.contains("you declined"), "{text}");
}

#[test]
fn interrupting_the_list_leaves_the_terminal_as_it_was() {
    let place = Place::new();
    let agent = with_program(&place, json!([]));
    let mut pty = pty(&agent, &place, &["login"]);
    pty.expect("How do you want");
    pty.expect("Opens a page");
    pty.send_control('c');
    pty.expect("interrupted while a choice for");
    let settings = pty.settings();
    let (code, text) = pty.finish();
    assert_eq!(code, 130, "{text}");
    assert!(settings.contains("isig icanon") && !settings.contains("-icanon"), "{settings}");
    agent.assert_nothing_left();
}

#[test]
fn the_agents_program_runs_on_the_terminal() {
    let place = Place::new();
    let agent = with_program(
        &place,
        json!([
            {"on": "argv:--login", "env": {"FOR_LOGIN": "yes"}, "shell": "test -t 0 && printf 'your code: ' && read code && echo got $code"},
            {"on": "argv:--login", "set": {"in": true}, "exit": 0},
        ]),
    );
    let mut pty = pty(&agent, &place, &["login", "--method", "term"]);
    pty.expect("your code: ");
    pty.send_line("1234");
    pty.expect("got 1234");
    let (code, text) = pty.finish();
    assert_eq!(code, 0, "{text}");
    assert!(!agent.requests().contains(&"authenticate".to_owned()));
    // The agent, its program, and the agent anew.
    assert_eq!(agent.starts(), [vec![], vec!["--login".to_owned()], vec![]]);
}

#[test]
fn json_stays_alone_on_stdout_while_the_program_has_the_terminal() {
    let place = Place::new();
    let agent = with_program(
        &place,
        json!([
            {"on": "argv:--login", "write_raw": "text of the program\n", "set": {"in": true}, "exit": 0},
        ]),
    );
    let out = place.path("out.json");
    let words = agent.words().join("' '");
    let line = format!(
        "'{}' login --json --method term -- '{words}' > '{}'",
        crate::common::program(),
        out.display()
    );
    let mut command = place.command(&[]);
    let mut shell = std::process::Command::new("sh");
    shell
        .args(["-c", &line])
        .env_clear()
        .envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
    shell.current_dir(command.get_current_dir().unwrap());
    command = shell;
    let (code, text) = Pty::start(command).finish();
    assert_eq!(code, 0, "{text}");
    assert!(text.contains("text of the program"));
    let document: Value = serde_json::from_str(&std::fs::read_to_string(out).unwrap()).unwrap();
    assert_eq!(document["agents"][0]["operation"]["result"], "signed_in");
}

#[test]
fn a_program_that_has_the_terminal_raw_and_ignores_signals_is_survived() {
    for second in [true, false] {
        let place = Place::new();
        let agent = with_program(
            &place,
            json!([
                {"on": "argv:--login", "ignore": ["INT", "TERM"], "shell": "read go; stty raw -echo; echo it is raw"},
                {"on": "argv:--login", "hang": true},
            ]),
        );
        let mut pty = pty(&agent, &place, &["login", "--method", "term"]);
        pty.expect("own sign-in on this terminal");
        let before = pty.settings();
        pty.send_line("go");
        pty.expect("it is raw");
        assert_ne!(pty.settings(), before);
        // Raw, the terminal makes no signal of a typed Ctrl-C.
        pty.signal(rexpect::process::Signal::SIGINT);
        pty.expect("one more signal kills it");
        if second {
            pty.signal(rexpect::process::Signal::SIGTERM);
        }
        pty.expect("\u{1b}[?25h");
        pty.expect("interrupted while the sign-in program");
        assert_eq!(pty.settings(), before);
        let (code, text) = pty.finish();
        assert_eq!(code, 130, "{text}");
        agent.assert_nothing_left();
    }
}

#[test]
fn what_the_agent_says_is_shown_while_it_waits() {
    let place = Place::new();
    let agent = Agent::new(
        &place,
        "agent",
        json!([
            answers_v1(),
            {"on": "auth/status", "reply": {"state": "unauthenticated"}},
            {"on": "authenticate", "stderr": "code ABCD-1234, then enter it: ", "write_raw": "or open https://login.example.test/x"},
        ]),
    );
    let mut pty = pty(&agent, &place, &["login"]);
    pty.expect("code ABCD-1234, then enter it: ");
    pty.expect("https://login.example.test/x");
    pty.send_control('c');
    let (code, text) = pty.finish();
    assert_eq!(code, 130, "{text}");
    agent.assert_nothing_left();
}

/// Both streams are one screen: what is said of one agent while another is waited for, and a key that
/// the terminal shows, must leave nothing of the spinner.
#[test]
fn nothing_of_the_spinner_stays_on_the_screen() {
    for columns in [100, 40] {
        let place = Place::new();
        let slow = |name: &str| {
            let go = place.path(&format!("go-{name}"));
            let wait = format!("while ! [ -e '{}' ]; do sleep 0.02; done", go.display());
            Agent::new(
                &place,
                name,
                json!([
                    answers_v1(),
                    {"on": "auth/status", "shell": wait, "reply": {"state": "authenticated"}},
                ]),
            )
        };
        let (first, second) = (slow("first-agent"), slow("second-agent"));
        let tables = [first.table("first-agent"), second.table("second-agent")].concat();
        let config = place.write("config.toml", &tables);
        let args = ["status", "--config", config.to_str().unwrap()];
        let mut pty = Pty::start_wide(place.command(&args), columns);
        pty.expect("waiting for first-agent");
        pty.send("k");
        pty.expect("k");
        pty.expect("waiting for first-agent");
        place.write("go-first-agent", "");
        pty.expect("Signed in");
        pty.expect("waiting for second-agent");
        place.write("go-second-agent", "");
        let (code, screen) = pty.finish_screen();
        assert_eq!(code, 0, "{screen}");
        assert!(!screen.contains("waiting"), "{screen}");
        assert!(!screen.contains('\u{2807}') && !screen.contains("\n\n\n"), "{screen}");
        assert!(screen.starts_with("first-agent") && screen.contains("second-agent"), "{screen}");
    }
}

#[test]
fn a_spinner_says_what_is_waited_for() {
    let place = Place::new();
    let agent = Agent::new(
        &place,
        "agent",
        json!([
            answers_v1(),
            {"on": "auth/status", "reply": {"state": "unauthenticated"}},
            {"on": "authenticate", "ignore": []},
        ]),
    );
    let mut pty = pty(&agent, &place, &["login"]);
    pty.expect("waiting for scripted-agent to sign in by web");
    pty.send_control('c');
    assert_eq!(pty.finish().0, 130);
}
