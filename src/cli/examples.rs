//! Examples of every command, for the help and the man pages.

/// A command line, and what it does.
pub type Example = (&'static str, &'static str);

/// The examples of a command.
#[must_use]
pub fn examples(command: &str) -> &'static [Example] {
    match command {
        "acp-auth" => &[
            ("acp-auth status", "every agent that is configured, or else found"),
            ("acp-auth login codex", "sign in at one"),
            ("acp-auth status demo", "try it with the built-in agent"),
        ],
        "status" => &[
            ("acp-auth status codex claude", "agents by their names"),
            ("acp-auth status -- npx -y @agentclientprotocol/codex-acp", "one given on the spot"),
            ("acp-auth status codex --quiet || exit 1", "a check in a script"),
            ("acp-auth status --all --jq '.agents[] | .name + \" \" + .state'", "for programs"),
            ("acp-auth status codex --watch", "every change, a line each"),
            ("acp-auth status --mcp-config .mcp.json --all", "who MCP servers think you are"),
        ],
        "login" => &[
            ("acp-auth login codex", "ask how, where there are several ways"),
            ("acp-auth login codex --list", "the ways there are"),
            ("printenv OPENAI_API_KEY | acp-auth login codex --with-token", "a key from a script"),
            ("acp-auth login claude --no-browser", "print the page, and open none"),
        ],
        "logout" => &[("acp-auth logout codex", "sign out, and see that it is true")],
        "agents" => &[
            ("acp-auth agents", "what can be named, and where it is defined"),
            ("acp-auth agents --known", "what could be installed, and how"),
        ],
        "completions" => &[
            ("source <(acp-auth completions bash)", "in ~/.bashrc"),
            ("acp-auth completions fish | source", "in config.fish"),
        ],
        "schema" => &[("acp-auth schema > schema.json", "to check documents against")],
        "man" => &[
            ("acp-auth man status", "the page of a command"),
            ("acp-auth man > acp-auth.1", "to install it"),
        ],
        _ => &[],
    }
}

/// The examples as a part of a help text.
#[must_use]
pub fn in_help(command: &str) -> String {
    let lines = examples(command).iter().map(|(line, what)| format!("  {line}\n      {what}"));
    format!("Examples:\n{}", lines.collect::<Vec<_>>().join("\n"))
}
