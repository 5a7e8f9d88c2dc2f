//! Real MCP servers from npm against a loopback stand-in for their services.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};

use libtest_mimic::Trial;
use serde_json::{Value, json};

use crate::common::Place;
use crate::trial;

pub fn trials() -> Vec<Trial> {
    vec![
        trial("notion-mcp", "notion_says_who_is_connected", notion_says_who_is_connected),
        trial("todoist-mcp", "todoist_says_who_is_connected", todoist_says_who_is_connected),
        trial("gitlab-mcp", "gitlab_says_who_is_connected", gitlab_says_who_is_connected),
        trial(
            "gitlab-mcp",
            "gitlab_without_a_token_leaves_and_is_not_guessed_about",
            gitlab_without_a_token_leaves_and_is_not_guessed_about,
        ),
        trial("supabase-mcp", "supabase_speaks_both_eras", supabase_speaks_both_eras),
    ]
}

/// Answers who a token belongs to, as Notion, Todoist and GitLab do; 401 for a token with `bad`.
fn stand_in() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    // It ends with the test process.
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            std::thread::spawn(move || answer(stream));
        }
    });
    address
}

fn answer(stream: TcpStream) {
    let mut lines = BufReader::new(stream.try_clone().unwrap()).lines().map_while(Result::ok);
    let path = lines.next().unwrap_or_default().split(' ').nth(1).unwrap_or_default().to_owned();
    let headers: Vec<String> = lines.take_while(|line| !line.is_empty()).collect();
    let is_bad = headers.iter().any(|header| header.contains("bad-token"));
    let (good, bad) = who(&path);
    let (status, body) = if is_bad { ("401 Unauthorized", bad) } else { ("200 OK", good) };
    let body = body.to_string();
    let length = body.len();
    let mut stream = stream;
    let head = format!(
        "HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n"
    );
    // A server that has gone asks no more.
    let _ = stream.write_all((head + &body).as_bytes());
}

fn who(path: &str) -> (Value, Value) {
    if path.contains("/users/me") {
        let person = json!({"object": "user", "id": "u-1", "name": "Alice Example", "person": {"email": "alice@example.test"}});
        return (
            json!({"object": "user", "id": "bot-1", "type": "bot", "name": "Integration",
                "bot": {"owner": {"type": "user", "user": person}, "workspace_name": "Example Org"}}),
            json!({"object": "error", "status": 401, "code": "unauthorized", "message": "API token is invalid."}),
        );
    }
    if path.contains("/api/v4/") {
        return (
            json!({"id": 7, "username": "alice", "name": "Alice Example", "state": "active", "avatar_url": null,
                "web_url": "https://gitlab.example.test/alice", "created_at": "2026-01-01T00:00:00Z", "bio": null,
                "location": null, "public_email": null, "website_url": null, "organization": null, "job_title": null,
                "email": "alice@example.test", "last_sign_in_at": null, "confirmed_at": null, "last_activity_on": null}),
            json!({"message": "401 Unauthorized"}),
        );
    }
    (
        json!({"id": "42", "email": "alice@example.test", "full_name": "Alice Example", "business_account_id": null,
            "is_premium": false, "premium_status": "not_premium", "date_format": 0, "time_format": 0, "weekly_goal": 25,
            "daily_goal": 5, "completed_count": 0, "completed_today": 0, "karma": 0, "karma_trend": "-", "lang": "en",
            "next_week": 1, "start_day": 1, "start_page": "inbox", "inbox_project_id": "1", "days_off": [],
            "weekend_start_day": 6, "tz_info": {"timezone": "UTC", "gmt_string": "+00:00", "hours": 0, "minutes": 0, "is_dst": 0}}),
        json!({"error": "Forbidden"}),
    )
}

/// A server, the variables that point it at the stand-in, and whom it names.
fn assert_names(
    directory: &Path,
    program: &str,
    variables: &[(&str, &str)],
    token: &str,
    shown: &str,
) {
    let program = directory.join("node_modules/.bin").join(program);
    let program = program.to_str().unwrap();
    let address = stand_in();
    let mut place = Place::new();
    for (variable, path) in variables {
        place.env(variable, &format!("{address}{path}"));
    }
    for (value, code, text) in
        [("good-token-0123456789", 0, shown), ("bad-token-0123456789", 1, "Not signed in")]
    {
        place.env(token, value);
        let run = place.run(&["status", "--mcp", "--probe", "--", program]);
        run.assert_code(code).assert_stdout(text).assert_says_not(value);
        let (run, document) = place.run_json(&["status", "--mcp", "--probe", "--", program]);
        run.assert_code(code).assert_says_not(value);
        assert_eq!(document["agents"][0]["evidence"], "tools/call");
    }
    // Without a probe no tool is touched, and nothing is known.
    place
        .run(&["status", "--mcp", "--", program])
        .assert_code(3)
        .assert_stdout("does not say who it thinks you are");
}

fn notion_says_who_is_connected(directory: PathBuf) {
    let shown = "Connected as Alice Example (alice@example.test), Example Org";
    assert_names(&directory, "notion-mcp-server", &[("BASE_URL", "")], "NOTION_TOKEN", shown);
}

fn todoist_says_who_is_connected(directory: PathBuf) {
    let shown = "Connected as Alice Example (alice@example.test)";
    assert_names(&directory, "todoist-mcp", &[("TODOIST_BASE_URL", "")], "TODOIST_API_KEY", shown);
}

fn gitlab_says_who_is_connected(directory: PathBuf) {
    let shown = "Connected as Alice Example (alice)";
    assert_names(
        &directory,
        "mcp-gitlab",
        &[("GITLAB_API_URL", "/api/v4")],
        "GITLAB_PERSONAL_ACCESS_TOKEN",
        shown,
    );
}

fn gitlab_without_a_token_leaves_and_is_not_guessed_about(directory: PathBuf) {
    let program = directory.join("node_modules/.bin/mcp-gitlab");
    let (run, document) =
        Place::new().run_json(&["status", "--mcp", "--", program.to_str().unwrap()]);
    run.assert_code(4).assert_stdout("GITLAB_PERSONAL_ACCESS_TOKEN");
    assert_eq!(document["agents"][0]["state"], "unknown");
}

fn supabase_speaks_both_eras(directory: PathBuf) {
    let program = directory.join("node_modules/.bin/mcp-server-supabase");
    let place = Place::new();
    for (era, version) in
        [("auto", "2026-07-28"), ("modern", "2026-07-28"), ("legacy", "2025-11-25")]
    {
        let args = [
            "status",
            "--mcp",
            "--mcp-era",
            era,
            "--",
            program.to_str().unwrap(),
            "--access-token",
            "sbp_0123456789",
        ];
        let (run, document) = place.run_json(&args);
        run.assert_code(3).assert_says_not("sbp_0123456789");
        assert_eq!(document["agents"][0]["protocolVersion"], version);
    }
}
