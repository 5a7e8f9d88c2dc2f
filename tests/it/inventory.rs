//! Agents by their names: from other programs' files, a registry, a project, PATH.

use std::os::unix::fs::PermissionsExt;

use serde_json::{Value, json};

use crate::common::{Agent, Place, answers_v1};

fn signed_in(place: &Place) -> Agent {
    Agent::new(
        place,
        "agent",
        json!([answers_v1(), {"on": "auth/status", "reply": {"state": "authenticated"}}]),
    )
}

/// Puts a script that starts the agent on PATH under a name.
fn install(place: &mut Place, agent: &Agent, name: &str) {
    let words = agent.words();
    let script = format!("#!/bin/sh\nexec '{}' '{}' '{}' \"$@\"\n", words[0], words[1], words[2]);
    let path = place.write(&format!("bin/{name}"), &script);
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
    let paths = format!("{}:/usr/bin:/bin", place.path("bin").display());
    place.env("PATH", &paths);
}

/// An entry of an editor's file that starts the agent.
fn server(agent: &Agent) -> Value {
    let words = agent.words();
    json!({"command": words[0], "args": &words[1..], "env": {"FROM_EDITOR": "yes"}})
}

fn definition<'d>(document: &'d Value, name: &str, kind: &str) -> &'d Value {
    let definitions = document["definitions"].as_array().unwrap();
    let fits = |entry: &&Value| entry["name"] == name && entry["definedIn"]["kind"] == kind;
    definitions.iter().find(fits).unwrap_or_else(|| panic!("no {name} of {kind} in {document:#}"))
}

#[test]
fn other_programs_definitions_are_read_where_they_are() {
    let place = Place::new();
    let agent = signed_in(&place);
    let words = agent.words();
    let zed = json!({"agent_servers": {
        "zed-old": server(&agent),
        "zed-custom": {"type": "custom", "command": words[0], "args": &words[1..]},
        "zed-nested": {"command": {"path": words[0], "args": &words[1..]}},
        "zed-registry": {"type": "registry"},
        "zed-extension": {"type": "extension"},
        "zed-odd": {"type": "teleport"},
        "zed-empty": {},
    }});
    // Comments, a trailing comma and a byte order mark.
    let zed = format!("\u{feff}// settings\n{}", zed.to_string().replacen("}}", "},}", 1));
    place.write("home/.config/zed/settings.json", &zed);
    place.write(
        "home/.jetbrains/acp.json",
        &json!({"agent_servers": {"Jet Brains": server(&agent)}}).to_string(),
    );
    let line = shell_words::join(&words[..2]);
    place.write("home/.acpx/config.json", &json!({
        "agents": {"acpx-argv": {"argv": words}, "acpx-line": {"command": line, "args": [words[2]]}},
        "auth": {"web": "made-up-secret-value"},
    }).to_string());
    for name in ["zed-old", "zed-custom", "zed-nested", "Jet Brains", "acpx-argv", "acpx-line"] {
        place.run(&["status", name]).assert_code(0).assert_stdout("Scripted Agent");
    }
    for (name, reason) in [
        ("zed-registry", "installs it by itself"),
        ("zed-extension", "installs it by itself"),
        ("zed-odd", "its type teleport is not known"),
        ("zed-empty", "it has no command"),
    ] {
        place.run(&["status", name]).assert_code(2).assert_stderr(reason);
    }
    let (run, document) = place.run_json(&["agents"]);
    run.assert_code(0).assert_says_not("made-up-secret-value");
    assert_eq!(definition(&document, "zed-odd", "zed")["wins"], false);
    assert_eq!(
        definition(&document, "zed-old", "zed")["launch"]["envNames"],
        json!(["FROM_EDITOR"])
    );
    assert_eq!(
        definition(&document, "Jet Brains", "jetbrains")["definedIn"]["key"],
        "agent_servers.Jet Brains"
    );
    assert_eq!(definition(&document, "acpx-line", "acpx")["wins"], true);
    assert_eq!(agent.starts().len(), 6, "listing starts nothing");
    assert_eq!(std::fs::read_to_string(place.path("home/.config/zed/settings.json")).unwrap(), zed);
}

#[test]
fn a_file_that_cannot_be_read_is_reported_with_its_place() {
    let place = Place::new();
    place.write("home/.config/zed/settings.json", "{\n  \"agent_servers\": {]\n}");
    let run = place.run(&["agents"]);
    run.assert_code(0).assert_stderr("settings.json:2:");
    let (_, document) = place.run_json(&["agents"]);
    assert_eq!(document["problems"][0]["kind"], "config");
    place.run(&["status", "mine"]).assert_code(2).assert_stderr("settings.json:2:");
    place.run(&["status", "demo"]).assert_code(1);
}

#[test]
fn the_own_configuration_wins_over_editors_and_those_over_path() {
    let mut place = Place::new();
    let own = signed_in(&place);
    let other = Agent::new(
        &place,
        "other",
        json!([answers_v1(), {"on": "auth/status", "reply": {"state": "unauthenticated"}}]),
    );
    install(&mut place, &other, "codex-acp");
    place.run(&["status", "codex"]).assert_code(1);
    place.run(&["status", "codex-acp"]).assert_code(1);
    place.write(
        "home/.config/zed/settings.json",
        &json!({"agent_servers": {"codex": server(&own)}}).to_string(),
    );
    place.run(&["status", "codex"]).assert_code(0);
    place.write("home/.config/acp-auth/config.toml", &other.table("codex"));
    place.run(&["status", "codex"]).assert_code(1);
    let (_, document) = place.run_json(&["agents"]);
    for (kind, wins) in [("config", true), ("zed", false), ("path", false)] {
        assert_eq!(definition(&document, "codex", kind)["wins"], wins, "{kind}");
    }
}

#[test]
fn a_known_agent_that_is_not_installed_says_how_to_run_it_once() {
    let mut place = Place::new();
    place.env("PATH", "/usr/bin:/bin");
    let run = place.run(&["status", "auggie"]);
    run.assert_code(2).assert_stderr("acp-auth status -- npx -y @augmentcode/auggie --acp");
    place.run(&["status", "goose"]).assert_code(2).assert_stderr("its program is not on PATH");
}

#[test]
fn what_a_project_defines_runs_only_when_it_is_trusted_or_named() {
    for (file, text) in [
        (".zed/settings.json", json!({"agent_servers": {"theirs": null}})),
        (".acpxrc.json", json!({"agents": {"theirs": null}})),
        (".acp-auth.toml", json!(null)),
    ] {
        let place = Place::new();
        let agent = signed_in(&place);
        let text = match text {
            Value::Null => agent.table("theirs"),
            mut json => {
                let key = json.as_object().unwrap().keys().next().unwrap().clone();
                json[key]["theirs"] = server(&agent);
                json.to_string()
            }
        };
        place.write(&format!("project/{file}"), &text);
        std::fs::create_dir_all(place.path("project/below")).unwrap();
        let run = |args: &[&str]| {
            let mut command = place.command(args);
            command.current_dir(place.path("project/below")).stdin(std::process::Stdio::null());
            command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
            crate::common::Run::finish(command.spawn().unwrap())
        };
        run(&["status", "theirs"]).assert_code(2).assert_stderr("--trust-project");
        run(&["status", "--all"]).assert_code(2);
        run(&["agents"]).assert_code(0).assert_stdout("only with --trust-project");
        assert!(agent.starts().is_empty(), "{file}");
        run(&["status", "theirs", "--trust-project"]).assert_code(0);
        run(&["status", "theirs", "--config", &format!("../{file}")]).assert_code(0);
    }
}

#[test]
fn what_a_project_says_about_asking_an_agent_counts() {
    let place = Place::new();
    let table = "[agents.theirs]\nkind = \"mcp\"\ncommand = [\"sh\", \"-c\", \"exec sleep 60\"]\ntimeout = \"120ms\"\n";
    place.write(".acp-auth.toml", table);
    let run = place.run(&["status", "theirs", "--trust-project", "--json"]);
    run.assert_code(124).assert_stdout("within 120ms");
    assert_eq!(run.document()["agents"][0]["kind"], "mcp");
}

#[test]
fn a_definition_that_cannot_be_used_says_why_when_it_is_watched_too() {
    let place = Place::new();
    let file = place.write("agents.json", r#"{"agent_servers": {"broken": {"command": 5}}}"#);
    let file = file.to_str().unwrap();
    for options in [&["status"][..], &["status", "--watch"]] {
        let run = place.run(&[options, &["--config", file]].concat());
        run.assert_code(2).assert_stdout("it has no command");
    }
}

#[test]
fn a_registry_names_agents_and_all_of_them_are_asked() {
    let mut place = Place::new();
    let agent = signed_in(&place);
    install(&mut place, &agent, "installed-agent");
    // What npx and uvx would run is played by scripts of those names.
    let words = agent.words();
    for runner in ["npx", "uvx"] {
        let script = format!("#!/bin/sh\nexec '{}' '{}' '{}'\n", words[0], words[1], words[2]);
        let path = place.write(&format!("bin/{runner}"), &script);
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    let platform = format!("{}-{}", std::env::consts::OS, std::env::consts::ARCH);
    place.write("registry.json", &json!({"version": "1.0.0", "agents": [
        {"id": "by-npx", "name": "A", "version": "1", "distribution": {"npx": {"package": "p@1", "args": ["--acp"], "env": {"K": "v"}}}},
        {"id": "by-uvx", "name": "B", "version": "1", "distribution": {"uvx": {"package": "q==1"}}},
        {"id": "by-binary", "name": "C", "version": "1", "distribution": {"binary": {platform.clone(): {"archive": "a", "cmd": "./installed-agent", "args": []}}}},
        {"id": "archive", "name": "D", "version": "1", "distribution": {"binary": {platform: {"archive": "a", "cmd": "./not-there"}}}},
    ]}).to_string());
    let registry = ["--registry", "registry.json"];
    for name in ["by-npx", "by-uvx", "by-binary"] {
        place.run(&["status", name, registry[0], registry[1]]).assert_code(0);
    }
    place
        .run(&["status", "archive", registry[0], registry[1]])
        .assert_code(2)
        .assert_stderr("not installed");
    let (run, document) = place.run_json(&["status", "--all", registry[0], registry[1]]);
    run.assert_code(0);
    assert_eq!(document["agents"].as_array().unwrap().len(), 3);
    assert_eq!(document["agents"][0]["launch"]["args"], json!(["-y", "p@1", "--acp"]));
    place.write(
        "home/.config/acp-auth/config.toml",
        &format!("registry = \"../../../registry.json\"\n{}", agent.table("own")),
    );
    let run = place.run(&["status", "--all"]);
    run.assert_code(0);
    let lines: Vec<&str> = run.stdout.lines().collect();
    assert_eq!(
        lines,
        [
            "NAME       STATE",
            "own        ✓ Signed in",
            "by-npx     ✓ Signed in",
            "by-uvx     ✓ Signed in",
            "by-binary  ✓ Signed in"
        ]
    );
    place.run(&["status", "--all", "-v"]).assert_code(0).assert_stdout("Started: npx -y p@1 --acp");
    place
        .run(&["status", "--all", "--registry", "missing.json"])
        .assert_code(2)
        .assert_stderr("missing.json cannot be read");
    place.run(&["status", "--all", "own"]).assert_code(2).assert_stderr("not both");
}

#[test]
fn nobody_to_ask_is_reported() {
    let mut place = Place::new();
    place.env("PATH", "/usr/bin:/bin");
    place.run(&["status", "--all"]).assert_code(2).assert_stderr("acp-auth agents");
}

/// What the program offers to a shell for the words of a command line.
fn completed(place: &Place, shell: &str, words: &[&str]) -> String {
    let mut args = vec!["--", "acp-auth"];
    args.extend(words);
    let mut command = place.command(&args);
    let index = words.len().to_string();
    command.env("_ACP_AUTH_COMPLETE", shell).env("_CLAP_COMPLETE_INDEX", index);
    command
        .env("_CLAP_IFS", "\n")
        .env("_CLAP_COMPLETE_COMP_TYPE", "9")
        .env("_CLAP_COMPLETE_SPACE", "true");
    command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
    let run = crate::common::Run::finish(command.spawn().unwrap());
    run.assert_code(0);
    run.stdout
}

#[test]
fn names_and_methods_complete_at_the_prompt() {
    let place = Place::new();
    let agent = signed_in(&place);
    place.write("home/.config/acp-auth/config.toml", &agent.table("my-agent"));
    for shell in ["bash", "zsh", "fish"] {
        let offered = completed(&place, shell, &["status", "my"]);
        assert!(offered.contains("my-agent"), "{shell}: {offered}");
    }
    assert!(!completed(&place, "bash", &["login", "my-agent", "--method", ""]).contains("web"));
    assert!(agent.starts().is_empty());
    place.run(&["status", "my-agent"]).assert_code(0);
    for shell in ["bash", "zsh", "fish"] {
        assert!(
            completed(&place, shell, &["login", "my-agent", "--method", ""]).contains("web"),
            "{shell}"
        );
    }
    assert_eq!(agent.starts().len(), 1);
    // With its name beside, where the shell can show it.
    assert!(completed(&place, "zsh", &["login", "my-agent", "--method", ""]).contains("web:"));
    // Options only where one was begun, programs behind `--`, and nothing where nothing fits.
    for shell in ["bash", "zsh", "fish"] {
        let offered = completed(&place, shell, &["status", ""]);
        assert!(offered.contains("my-agent") && !offered.contains("--json"), "{shell}: {offered}");
        assert!(completed(&place, shell, &["status", "--js"]).contains("--json"), "{shell}");
        let program = completed(&place, shell, &["status", "--", "envsubs"]);
        let found = completed(&place, shell, &["status", "--", "sh"]);
        assert!(found.lines().any(|line| line.starts_with("sh")), "{shell}: {found}");
        assert!(!program.contains("--"), "{shell}: {program}");
        assert_eq!(completed(&place, shell, &["status", "no-such"]).trim(), "", "{shell}");
    }
    // As bash itself does it, with the script that is committed.
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/completions/acp-auth.bash");
    let line = format!(
        "PATH=\"{}:$PATH\"; source '{script}'; COMP_WORDS=(acp-auth status my); COMP_CWORD=2; COMP_TYPE=9; \
         _clap_complete_acp_auth acp-auth my status; echo \"got ${{COMPREPLY[*]}}\"",
        std::path::Path::new(crate::common::program()).parent().unwrap().display(),
    );
    let template = place.command(&[]);
    let mut bash = std::process::Command::new("bash");
    bash.args(["-c", &line])
        .env_clear()
        .envs(template.get_envs().filter_map(|(name, value)| Some((name, value?))));
    bash.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
    crate::common::Run::finish(bash.spawn().unwrap()).assert_stdout("got my-agent");
}
