//! What a person sees, to the letter: exit code, stdout and stderr apart, of help, errors and
//! answers.

use serde_json::{Value, json};

use crate::common::{Agent, Place, answers_v1, answers_v2};

/// Commands and what came of them, one below the other.
struct Transcript {
    place: Place,
    text: String,
}

impl Transcript {
    fn new() -> Self {
        let mut place = Place::new();
        place.env("PATH", "/usr/bin:/bin").env("COLUMNS", "100");
        Self { place, text: String::new() }
    }

    fn run(&mut self, args: &[&str]) {
        let run = self.place.run(args);
        self.text.push_str(&format!("$ acp-auth {}\n", shell_words::join(args)));
        self.text.push_str(&format!("-- exit code {}\n", run.code));
        for (stream, text) in [("stdout", &run.stdout), ("stderr", &run.stderr)] {
            if !text.is_empty() {
                let text = text.trim_end();
                self.text.push_str(&format!("-- {stream}\n{text}\n"));
            }
        }
        self.text.push('\n');
    }

    /// Runs `args` on an agent that plays `steps` under a name.
    fn ask(&mut self, name: &str, args: &[&str], steps: Value) {
        let agent = Agent::new(&self.place, name, steps);
        let config = self.place.write(&format!("{name}.toml"), &agent.table(name));
        let mut words = args.to_vec();
        words.extend(["--config", config.to_str().unwrap(), name]);
        self.run(&words);
    }

    #[track_caller]
    fn assert(self, name: &str) {
        let directory = self.place.path("").display().to_string();
        let examples = crate::common::example("scripted-agent");
        let text = self
            .text
            .replace(&directory, "[place]/")
            .replace(&examples, "[scripted-agent]")
            .replace(crate::common::program(), "[acp-auth]")
            .replace(env!("CARGO_PKG_VERSION"), "[version]");
        let mut settings = insta::Settings::clone_current();
        settings.add_filter(r"(Answered after: ).*", "${1}[time]");
        settings.set_omit_expression(true);
        settings.bind(|| insta::assert_snapshot!(name, text));
    }
}

#[test]
fn help() {
    let mut transcript = Transcript::new();
    for args in [
        &["--help"][..],
        &["-h"],
        &["status", "-h"],
        &["login", "-h"],
        &["logout", "-h"],
        &["agents", "-h"],
        &["completions", "-h"],
        &["schema", "-h"],
    ] {
        transcript.run(args);
    }
    transcript.assert("help");
}

#[test]
fn errors_of_the_command_line() {
    let mut transcript = Transcript::new();
    for args in [
        &[][..],
        &["statsu"],
        &["status"],
        &["status", "demo", "--tiemout", "1s"],
        &["status", "--timeout", "soon", "demo"],
        &["status", "--timeout", "0s", "demo"],
        &["status", "demo", "--", "x"],
        &["status", "--all", "demo"],
        &["status", "dmeo"],
        &["status", "auggie"],
        &["status", "--probe", "deep", "demo"],
        &["status", "--mcp", "demo"],
        &["status", "--server", "x"],
        &["status", "--mcp-config", "missing.json", "--server", "x"],
        &["status", "--watch", "--probe", "session", "demo"],
        &["status", "--probe-tool", "x", "--map", "displayName=/a", "--mcp", "--", "cat"],
        &["status", "--cwd", "nowhere", "demo"],
        &["status", "--env", "NOT_SET", "demo"],
        &["status", "--config", "missing.toml", "demo"],
        &["status", "--registry", "missing.json", "demo"],
        &["login"],
        &["login", "demo", "--method", "nope"],
        &["login", "demo", "--method", "demo-terminal"],
        &["login", "a", "b"],
        &["logout"],
        &["completions", "tcsh"],
    ] {
        transcript.run(args);
    }
    transcript.assert("errors");
}

#[test]
fn mistakes_in_the_configuration() {
    let mut transcript = Transcript::new();
    for (index, line) in [
        "comand = \"x\"",
        "command = \"\"",
        "command = \"'unbalanced\"",
        "command = \"x\\u0000y\"",
        "command = \"x\"\nenv = { \"A=B\" = \"c\" }",
        "command = \"x\"\nargs = \"-c\"",
        "command = \"${NOT_SET}\"",
        "command = \"x\"\nkind = \"lsp\"",
        "command = \"x\"\nprobe = \"deep\"",
        "command = \"x\"\nprotocol = 3",
        "command = \"x\"\ntimeout = \"soon\"",
    ]
    .iter()
    .enumerate()
    {
        let file = format!("{index}.toml");
        transcript.place.write(&file, &format!("[agents.a]\n{line}\n"));
        transcript.run(&["status", "--config", &file]);
    }
    transcript.assert("configuration");
}

/// An agent that reports `status` when it is asked.
fn reporting(status: Value) -> Value {
    json!([answers_v1(), {"on": "auth/status", "reply": status}])
}

fn with(initialize: Value, key: &str, value: Value) -> Value {
    let mut initialize = initialize;
    initialize["reply"][key] = value;
    initialize
}

#[test]
fn states() {
    let mut transcript = Transcript::new();
    let account = |label: &str, active: Value| json!({"label": label, "email": "a@example.test", "organization": "Example Org", "active": active});
    let methods = json!([
        {"id": "web", "name": "Browser", "description": "Opens a page"},
        {"id": "key", "name": "API key", "type": "env_var", "vars": [{"name": "DEMO_API_KEY"}]},
        {"id": "term", "name": "Terminal", "type": "terminal", "args": ["--login"]},
        {"id": "old", "name": "Recipe", "_meta": {"terminal-auth": {"command": "true", "args": ["it's", "a b"], "env": {"A": "b c"}}}},
        {"id": "odd", "name": "Odd", "type": "teleport"},
    ]);
    let silent = with(answers_v1(), "agentCapabilities", json!({}));
    for (name, args, steps) in [
        (
            "signed-in",
            &["status"][..],
            reporting(
                json!({"state": "authenticated", "accounts": [account("Plan", json!(true))]}),
            ),
        ),
        (
            "several",
            &["status"],
            reporting(
                json!({"state": "authenticated", "accounts": [account("One", json!(false)), account("Two", json!(true))]}),
            ),
        ),
        ("signed-out", &["status"], reporting(json!({"state": "unauthenticated"}))),
        ("not-required", &["status"], reporting(json!({"state": "not_required"}))),
        ("cannot-tell", &["status"], reporting(json!({"state": "unknown"}))),
        ("own-word", &["status"], reporting(json!({"state": "half_asleep"}))),
        ("silent", &["status"], json!([silent])),
        (
            "methods",
            &["status"],
            json!([with(answers_v1(), "authMethods", methods.clone()), {"on": "auth/status", "reply": {"state": "unauthenticated", "message": "Log in first"}}]),
        ),
        (
            "verbose",
            &["status", "-vv"],
            json!([with(answers_v1(), "authMethods", methods.clone()), {"on": "auth/status", "stderr": "a word\nanother\n", "reply": {"state": "unauthenticated"}}]),
        ),
        ("list", &["login", "--list"], json!([with(answers_v1(), "authMethods", methods)])),
        (
            "version-2",
            &["status", "--protocol", "2"],
            json!([answers_v2(), {"on": "auth/status", "reply": {"state": "authenticated"}}]),
        ),
        (
            "wrong-account",
            &["status", "--expect-account", "b@example.test"],
            reporting(
                json!({"state": "authenticated", "accounts": [account("Plan", json!(true))]}),
            ),
        ),
        (
            "refused-session",
            &["status", "--probe", "session"],
            json!([with(answers_v1(), "agentCapabilities", json!({})), {"on": "session/new", "error": {"code": -32000, "message": "Authentication required"}}]),
        ),
        (
            "opened-session",
            &["status", "--probe", "session"],
            json!([with(answers_v1(), "agentCapabilities", json!({})), {"on": "session/new", "reply": {"sessionId": "s"}}]),
        ),
        (
            "noisy",
            &["status"],
            json!([{"on": "initialize", "write_raw": ["starting up\n"]}, answers_v1(), {"on": "auth/status", "reply": {"state": "authenticated"}}]),
        ),
    ] {
        transcript.ask(name, args, steps);
    }
    transcript.assert("states");
}

#[test]
fn failures() {
    let mut transcript = Transcript::new();
    for (name, args, steps) in [
        (
            "ends-early",
            &["status"][..],
            json!([{"on": "start", "stderr": "Error: no such module\n", "exit": 3}]),
        ),
        (
            "never-answers",
            &["status", "--timeout", "300ms"],
            json!([{"on": "initialize", "hang": true}]),
        ),
        (
            "no-state",
            &["status", "--timeout", "300ms"],
            json!([answers_v1(), {"on": "auth/status", "hang": true}]),
        ),
        (
            "refuses",
            &["status"],
            json!([{"on": "initialize", "error": {"code": -32603, "message": "no disk space", "data": {"path": "/"}}}]),
        ),
        (
            "wants-sign-in",
            &["status"],
            json!([{"on": "initialize", "error": {"code": -32000, "message": "Authentication required"}}]),
        ),
        (
            "odd-state",
            &["status"],
            json!([answers_v1(), {"on": "auth/status", "reply": {"state": 7}}]),
        ),
        (
            "odd-version",
            &["status"],
            json!([{"on": "initialize", "reply": {"protocolVersion": "new"}}]),
        ),
        (
            "far-version",
            &["status"],
            json!([{"on": "initialize", "reply": {"protocolVersion": 9}}]),
        ),
        ("closes", &["status"], json!([answers_v1(), {"on": "auth/status", "exit": 1}])),
    ] {
        transcript.ask(name, args, steps);
    }
    transcript.run(&["status", "--", "no-such-program", "acp"]);
    transcript.run(&["status", "--", "./no-such-program"]);
    transcript.run(&["status", "--mcp", "--", "no-such-program"]);
    transcript.assert("failures");
}

/// An agent that keeps its state and says it.
fn remembering(login: Value) -> Value {
    json!([
        answers_v1(),
        {"on": "auth/status", "state": {"in": false}, "reply": {"state": "unauthenticated"}},
        {"on": "auth/status", "state": {"in": true}, "reply": {"state": "authenticated"}},
        login,
        {"on": "logout", "set": {"in": false}, "reply": {}},
    ])
}

#[test]
fn logins_and_logouts() {
    let mut transcript = Transcript::new();
    let accepts = || remembering(json!({"on": "authenticate", "set": {"in": true}, "reply": {}}));
    transcript.ask("accepts", &["logout"], accepts());
    transcript.ask("accepts", &["login"], accepts());
    transcript.ask("accepts", &["login"], accepts());
    transcript.ask("accepts", &["login", "--method", "nope"], accepts());
    transcript.ask("accepts", &["logout"], accepts());
    for (name, args, steps) in [
        ("does-nothing", &["login"][..], remembering(json!({"on": "authenticate", "reply": {}}))),
        (
            "refuses-login",
            &["login"],
            remembering(
                json!({"on": "authenticate", "error": {"code": -32603, "message": "no browser here"}}),
            ),
        ),
        (
            "says-nothing-of-it",
            &["login"],
            json!([with(answers_v1(), "agentCapabilities", json!({})), {"on": "authenticate", "stderr": "open https://example.test/device\n", "reply": {}}]),
        ),
        ("no-method", &["login"], json!([with(answers_v1(), "authMethods", json!([]))])),
        ("no-logout", &["logout"], json!([with(answers_v1(), "agentCapabilities", json!({}))])),
        (
            "wants-key",
            &["login"],
            json!([with(answers_v1(), "authMethods", json!([{"id": "key", "name": "API key", "type": "env_var", "vars": [{"name": "DEMO_API_KEY"}]}])), {"on": "auth/status", "reply": {"state": "unauthenticated"}}]),
        ),
        (
            "slow-login",
            &["login", "--login-timeout", "300ms"],
            json!([answers_v1(), {"on": "auth/status", "reply": {"state": "unauthenticated"}}, {"on": "authenticate", "hang": true}]),
        ),
    ] {
        transcript.ask(name, args, steps);
    }
    transcript.assert("logins");
}

#[test]
fn servers() {
    let mut transcript = Transcript::new();
    let first = |more: Value| {
        let mut answer = json!({
            "protocolVersion": "2025-11-25", "capabilities": {"tools": {}},
            "serverInfo": {"name": "scripted", "title": "Scripted Server", "version": "1.0.0"},
        });
        for (key, value) in more.as_object().unwrap() {
            answer[key] = value.clone();
        }
        json!({"on": "initialize", "reply": answer})
    };
    let identity = json!({"subject": "alice@example.test", "displayName": "Alice", "provider": "example.test", "accountId": "usr_01"});
    for (name, args, steps) in [
        ("says", &["status"][..], json!([first(json!({"authenticatedIdentity": identity}))])),
        ("says-nothing", &["status"], json!([first(json!({}))])),
        ("no-tool", &["status", "--probe"], json!([first(json!({}))])),
        ("asked-to-login", &["login"], json!([first(json!({}))])),
    ] {
        let agent = Agent::new(&transcript.place, name, steps);
        let table = agent.table(name) + "kind = \"mcp\"\n";
        let config = transcript.place.write(&format!("{name}.toml"), &table);
        let config = config.to_str().unwrap().to_owned();
        let mut words = args.to_vec();
        if words.last() == Some(&"--probe") {
            words.insert(1, name);
            words.extend(["--config", &config]);
        } else {
            words.extend(["--config", &config, name]);
        }
        transcript.run(&words);
    }
    transcript.assert("servers");
}

#[test]
fn lists() {
    let mut transcript = Transcript::new();
    let agent = Agent::new(
        &transcript.place,
        "agent",
        reporting(json!({"state": "authenticated", "accounts": [{"label": "Plan"}]})),
    );
    let out = Agent::new(&transcript.place, "out", reporting(json!({"state": "unauthenticated"})));
    let text = [
        agent.table("one"),
        out.table("two"),
        "[agents.three]\ncommand = \"no-such-program\"\n".to_owned(),
        "[agents.four]\ncommand = \"${NOT_SET}\"\n".to_owned(),
    ]
    .concat();
    transcript.place.write("home/.config/acp-auth/config.toml", &text);
    transcript.place.write(
        "home/.config/zed/settings.json",
        r#"{"agent_servers": {"one": {"command": "zed-one"}, "odd": {"type": "registry"}}}"#,
    );
    transcript.place.write("home/.jetbrains/acp.json", "{\n [}");
    transcript.place.write(".acpxrc.json", r#"{"agents": {"theirs": {"argv": ["x"]}}}"#);
    transcript.run(&["agents"]);
    transcript.run(&["status", "--all"]);
    transcript.run(&["status", "one", "two"]);
    transcript.run(&["logout"]);
    transcript.run(&["status", "theirs"]);
    transcript.assert("lists");
}
