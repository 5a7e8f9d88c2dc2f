//! Every output that the README shows is what the program prints.

use crate::common::Place;

/// The `console` blocks on the built-in agent: commands, each with what it printed.
fn shown() -> Vec<(String, String)> {
    let readme = include_str!("../../README.md");
    let blocks = readme.split("```console\n").skip(1).map(|rest| rest.split("```").next().unwrap());
    let mut shown: Vec<(String, String)> = Vec::new();
    for line in blocks.flat_map(str::lines) {
        match line.strip_prefix("$ ") {
            Some(command) => shown.push((command.to_owned(), String::new())),
            None => {
                let output = &mut shown.last_mut().unwrap().1;
                output.push_str(line);
                output.push('\n');
            }
        }
    }
    shown
}

#[test]
fn the_output_that_is_shown_is_true() {
    let place = Place::new();
    let mut checked = 0;
    for (command, output) in shown() {
        let Some(args) = command.strip_prefix("acp-auth ") else {
            continue;
        };
        let (args, echoes) = match args.strip_suffix("; echo $?") {
            Some(args) => (args, true),
            None => (args, false),
        };
        let run = place.run(&args.split(' ').collect::<Vec<_>>());
        let code = if echoes { format!("{}\n", run.code) } else { String::new() };
        let printed = format!("{}{}{code}", run.stderr, run.stdout);
        assert_eq!(printed.trim_end(), output.trim_end(), "{command}");
        checked += 1;
    }
    assert!(checked >= 4, "only {checked} commands are shown");
}

#[test]
fn the_configuration_that_is_shown_works_in_an_empty_home() {
    let place = Place::new();
    let readme = include_str!("../../README.md");
    let shown = readme.split("```toml\ndefault").nth(1).unwrap().split("```").next().unwrap();
    place.write("home/.config/acp-auth/config.toml", &format!("default{shown}"));
    place.run(&["agents"]).assert_code(0).assert_stdout("codex");
    // All that is wrong is that the agent is not there.
    place.run(&["status"]).assert_code(4).assert_stdout("codex-acp was not found");
    // With what is commented out, places are relative to the file.
    let whole = format!("default{shown}").replace("# registry", "registry").replace("# cwd", "cwd");
    place.write("home/.config/acp-auth/config.toml", &whole);
    place
        .write("home/.config/acp-auth/team/registry.json", r#"{"version": "1.0.0", "agents": []}"#);
    std::fs::create_dir_all(place.path("home/.config/acp-auth/work")).unwrap();
    place.run(&["status"]).assert_code(4).assert_stdout("codex-acp was not found");
}
