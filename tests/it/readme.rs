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
