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
        // Where nothing fits, bash would offer files.
        let script = String::from_utf8(script).unwrap().replace("-o bashdefault ", "");
        assert_current(path, &script);
    }
    generate("completions/acp-auth.nu", &|cli, script| {
        clap_complete::generate(clap_complete_nushell::Nushell, cli, "acp-auth", script);
    });
}

/// Where acp-auth reads and writes.
const FILES: &[(&str, &str)] = &[
    ("~/.config/acp-auth/config.toml", "the configuration: agents, a default, a registry"),
    (".acp-auth.toml", "a project's agents, used only with --trust-project"),
    ("~/.local/state/acp-auth/methods.json", "methods that were seen, for completion"),
];

#[test]
fn the_man_pages_are_up_to_date() {
    let mut cli = cli::documented();
    cli.build();
    let names: Vec<String> = cli
        .get_subcommands()
        .filter(|command| !command.is_hide_set() && command.get_name() != "help")
        .map(|command| command.get_name().to_owned())
        .collect();
    for name in &names {
        let command = cli.find_subcommand(name).unwrap().clone();
        let page = format!("acp-auth-{name}");
        let leaked: &'static str = page.clone().leak();
        assert_current(
            &format!("completions/{page}.1"),
            &man_page(command.name(leaked), name, &names),
        );
    }
    assert_current("completions/acp-auth.1", &man_page(cli.clone(), "acp-auth", &names));
}

/// A page with the sections that clap does not know.
fn man_page(command: clap::Command, name: &str, names: &[String]) -> String {
    use roff::{Roff, bold, roman};
    let man = clap_mangen::Man::new(command).date("").section("1");
    let mut text = Vec::new();
    man.render_title(&mut text).unwrap();
    man.render_name_section(&mut text).unwrap();
    man.render_synopsis_section(&mut text).unwrap();
    man.render_description_section(&mut text).unwrap();
    man.render_options_section(&mut text).unwrap();
    if name == "acp-auth" {
        man.render_subcommands_section(&mut text).unwrap();
    }
    let mut more = Roff::new();
    let mut section = |title: &str, entries: Vec<(String, String)>| {
        more.control("SH", [title]);
        for (term, what) in entries {
            more.control("TP", []);
            more.text([bold(term)]);
            more.text([roman(what)]);
        }
    };
    let owned = |&(term, what): &(&str, &str)| (term.to_owned(), what.to_owned());
    section("EXIT STATUS", cli::EXIT_CODES.iter().map(owned).collect());
    let variables = cli::VARIABLES.iter();
    let variable = |one: &cli::Variable| (one.name.to_owned(), one.description.to_owned());
    section("ENVIRONMENT", variables.map(variable).collect());
    section("FILES", FILES.iter().map(owned).collect());
    section("EXAMPLES", cli::examples(name).iter().map(owned).collect());
    let others =
        names.iter().filter(|other| *other != name).map(|other| format!("acp-auth-{other}(1)"));
    let whole = (name != "acp-auth").then(|| "acp-auth(1)".to_owned());
    let all: Vec<String> = whole.into_iter().chain(others).collect();
    more.control("SH", ["SEE ALSO"]);
    more.text([roman(all.join(", "))]);
    String::from_utf8(text).unwrap() + &more.to_roff()
}
