//! A login whose browser is on another machine.

use std::io::{Read, Write};
use std::net::TcpListener;

use serde_json::json;

use crate::common::{Agent, Place, answers_v1, unwrapped};

/// What an agent waits for, in words of a shell.
fn waits_for(place: &Place) -> String {
    format!("while ! [ -e '{}' ]; do sleep 0.02; done", place.path("returned").display())
}

/// An agent whose page returns to a port of this machine, where it waits.
fn returning(place: &Place, port: u16) -> Agent {
    let page = format!(
        "https://login.example.test/authorize?redirect_uri=http%3A%2F%2Flocalhost%3A{port}%2Fcb&state=s1"
    );
    let wait = waits_for(place);
    Agent::new(
        place,
        "agent",
        json!([
            answers_v1(),
            {"on": "auth/status", "state": {"in": false}, "reply": {"state": "unauthenticated"}},
            {"on": "auth/status", "state": {"in": true}, "reply": {"state": "authenticated"}},
            {"on": "authenticate", "stderr": format!("Open {page}\n")},
            {"on": "authenticate", "shell": wait, "set": {"in": true}, "reply": {}},
        ]),
    )
}

#[test]
fn the_address_where_the_browser_ended_is_handed_to_the_agent() {
    let mut place = Place::new();
    place.env("SSH_CONNECTION", "192.0.2.1 1 192.0.2.2 22");
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let agent = returning(&place, port);
    let done = place.path("returned");
    let browser = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut request = [0; 2048];
        let read = stream.read(&mut request).unwrap();
        std::fs::write(done, "").unwrap();
        // A page elsewhere, which must not be fetched.
        let answer = "HTTP/1.1 302 Found\r\nLocation: http://192.0.2.1/\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
        stream.write_all(answer.as_bytes()).unwrap();
        String::from_utf8_lossy(&request[..read]).into_owned()
    });
    let mut pty = agent.pty(&place, &["login"]);
    pty.expect("paste");
    pty.expect("Address (hidden)");
    pty.send_hidden_line("http://localhost:1/cb?code=made-up-code&state=s1");
    pty.expect("another address");
    pty.send_hidden_line(&format!("http://localhost:{port}/cb?code=made-up-code&state=other"));
    pty.expect("not that of this login");
    pty.send_hidden_line(&format!("http://localhost:{port}/cb?code=made-up-code&state=s1"));
    let (code, text) = pty.finish();
    assert_eq!(code, 0, "{text}");
    assert!(text.contains("has the address") && text.contains("Signed in"), "{text}");
    assert!(!text.contains("made-up-code"), "{text}");
    assert!(browser.join().unwrap().starts_with("GET /cb?code=made-up-code&state=s1 HTTP/1.1"));
}

#[test]
fn a_login_that_ends_by_itself_leaves_no_question_open() {
    let mut place = Place::new();
    place.env("SSH_TTY", "/dev/pts/1");
    let agent = returning(&place, 9);
    let mut pty = agent.pty(&place, &["login"]);
    pty.expect("Address (hidden)");
    place.write("returned", "");
    let (code, text) = pty.finish();
    assert_eq!(code, 0, "{text}");
    assert!(text.contains("Signed in"), "{text}");
}

#[test]
fn an_interruption_while_the_address_is_awaited_is_seen() {
    let mut place = Place::new();
    place.env("SSH_TTY", "/dev/pts/1");
    let agent = returning(&place, 9);
    let mut pty = agent.pty(&place, &["login"]);
    pty.expect("Address (hidden)");
    pty.send_control('c');
    let (code, text) = pty.finish();
    assert_eq!(code, 130, "{text}");
    agent.assert_nothing_left();
}

#[test]
fn at_this_machine_nothing_is_asked_and_a_code_prompt_is_explained() {
    let mut place = Place::new();
    if std::path::Path::new("/.dockerenv").exists() {
        // Then the browser is elsewhere whatever the variables say.
        place.env("ACP_AUTH_PROMPT_DISABLED", "1");
    }
    let wait = waits_for(&place);
    let agent = Agent::new(
        &place,
        "agent",
        json!([
            answers_v1(),
            {"on": "auth/status", "reply": {"state": "unauthenticated"}},
            {"on": "authenticate", "stderr": "Enter the authorization code: "},
            {"on": "authenticate", "shell": wait, "error": {"code": -32603, "message": "no code came"}},
        ]),
    );
    let mut pty = agent.pty(&place, &["login"]);
    pty.expect("seems to ask for a code");
    place.write("returned", "");
    let (code, text) = pty.finish();
    assert_ne!(code, 0);
    assert!(unwrapped(&text).contains("cannot be typed here"), "{text}");
}
