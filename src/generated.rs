//! Files that are made from the code and committed: a test says when they are stale.

use std::path::Path;

use clap_complete::Shell;
use clap_complete::env::EnvCompleter;

use crate::cli;

/// Set to renew the files instead of comparing them.
const RENEW: &str = "ACP_AUTH_RENEW_GENERATED";

/// Compares a generated file with what it should be, or writes it where that was asked for.
#[track_caller]
pub fn assert_current(path: &str, wanted: &str) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    if std::env::var_os(RENEW).is_some() {
        std::fs::write(&file, wanted).unwrap();
        return;
    }
    let found = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(found == wanted, "{path} is stale; renew it by: {RENEW}=1 cargo test --lib up_to_date");
}

/// Compares the part of a file between two comments that name it with what it should be, or writes
/// it where that was asked for.
#[track_caller]
pub fn assert_part_current(path: &str, name: &str, wanted: &str) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    let text = std::fs::read_to_string(file).unwrap();
    let (start, end) = (format!("<!-- {name} -->\n"), format!("<!-- end of {name} -->"));
    let (before, rest) = text.split_once(&start).unwrap();
    let (_, after) = rest.split_once(&end).unwrap();
    assert_current(path, &format!("{before}{start}{wanted}{end}{after}"));
}

#[test]
fn the_completions_are_up_to_date() {
    let mut cli = cli::command();
    let mut generate = |path: &str, generator: &dyn Fn(&mut clap::Command, &mut Vec<u8>)| {
        let mut script = Vec::new();
        generator(&mut cli, &mut script);
        assert_current(path, &String::from_utf8(script).unwrap());
    };
    for (path, shell) in [
        ("completions/_acp-auth.ps1", Shell::PowerShell),
        ("completions/acp-auth.elv", Shell::Elvish),
    ] {
        generate(path, &|cli, script| {
            clap_complete::generate(shell, cli, "acp-auth", script);
        });
    }
    // These ask the program itself, which knows the agents' names.
    let asking: [(&str, &dyn EnvCompleter); 3] = [
        ("completions/acp-auth.bash", &clap_complete::env::Bash),
        ("completions/_acp-auth", &clap_complete::env::Zsh),
        ("completions/acp-auth.fish", &clap_complete::env::Fish),
    ];
    for (path, shell) in asking {
        let mut script = Vec::new();
        shell
            .write_registration(crate::COMPLETE, "acp_auth", "acp-auth", "acp-auth", &mut script)
            .unwrap();
        assert_current(path, &String::from_utf8(script).unwrap());
    }
    generate("completions/acp-auth.nu", &|cli, script| {
        clap_complete::generate(clap_complete_nushell::Nushell, cli, "acp-auth", script);
    });
}

#[test]
fn the_man_pages_are_up_to_date() {
    let mut cli = cli::command();
    cli.build();
    let page = |command: clap::Command, name: &str| {
        let mut text = Vec::new();
        clap_mangen::Man::new(command).date("").render(&mut text).unwrap();
        assert_current(&format!("completions/{name}.1"), &String::from_utf8(text).unwrap());
    };
    for command in cli
        .get_subcommands()
        .filter(|command| !command.is_hide_set() && command.get_name() != "help")
    {
        let name = format!("acp-auth-{}", command.get_name());
        let leaked: &'static str = name.clone().leak();
        page(command.clone().name(leaked), &name);
    }
    page(cli.clone(), "acp-auth");
}
