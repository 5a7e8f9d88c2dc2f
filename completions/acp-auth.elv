
use builtin;
use str;

set edit:completion:arg-completer[acp-auth] = {|@words|
    fn spaces {|n|
        builtin:repeat $n ' ' | str:join ''
    }
    fn cand {|text desc|
        edit:complex-candidate $text &display=$text' '(spaces (- 14 (wcswidth $text)))$desc
    }
    var command = 'acp-auth'
    for word $words[1..-1] {
        if (str:has-prefix $word '-') {
            break
        }
        set command = $command';'$word
    }
    var completions = [
        &'acp-auth'= {
            cand --color 'When to use colours'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
            cand status 'Say whether you are signed in at agents, and as whom'
            cand login 'Sign in at an agent'
            cand logout 'Sign out of an agent'
            cand agents 'List every agent that can be named, and where it is defined'
            cand completions 'Print a completion script for a shell'
            cand schema 'Print the JSON Schema of what --json prints'
            cand man 'Print a man page'
            cand demo-agent 'Run the built-in agent'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'acp-auth;status'= {
            cand --expect-account 'Exit 1 when no account or identity that is shown is this one; a comparison of what is displayed, which proves nothing'
            cand -j 'How many agents are asked at once [default: as many as the machine bears]'
            cand --jobs 'How many agents are asked at once [default: as many as the machine bears]'
            cand --until 'Watch until the agent reports this state, then exit 0; 124 when --timeout passes first'
            cand --mcp-config 'File of MCP servers (mcpServers, servers of VS Code, context_servers of Zed)'
            cand --server 'Server of that file; may be given several times'
            cand --mcp-era 'Handshake to use: server/discover (modern), initialize (legacy), or one after the other'
            cand --probe-tool 'Tool to call once where the server does not say who you are: read-only and not destructive'
            cand --probe-args 'Arguments of that tool, a JSON object'
            cand --map 'Where its answer says what: subject=/json/pointer,displayName=…,provider=…,accountId=…,organization=…'
            cand --jq 'Print what a jq expression makes of that document, strings without quotes'
            cand --registry 'File in the format of the ACP registry, whose agents can be named'
            cand --cwd 'Working directory of the agent'
            cand --env 'Environment variable for the agent; without a value it must be set already'
            cand --config 'Configuration file [env: ACP_AUTH_CONFIG]'
            cand --timeout 'Longest wait for one answer [default: 30s] [env: ACP_AUTH_TIMEOUT]'
            cand --start-timeout 'Longest start while the agent''s stderr shows progress [default: 2m] [env: ACP_AUTH_START_TIMEOUT]'
            cand --push-timeout 'Longest wait for a state that the agent says it pushes [default: 8s] [env: ACP_AUTH_PUSH_TIMEOUT]'
            cand --protocol 'ACP version to ask for [default: auto] [env: ACP_AUTH_PROTOCOL]'
            cand --probe 'How far an agent that does not say is tried: not at all, by its own status command, by a session that is opened and ended, by one short prompt, which costs tokens; of an MCP server, without a value, call its known identity tool [default: command] [env: ACP_AUTH_PROBE]'
            cand --trace 'Write every message to FILE, without secrets and account details [env: ACP_AUTH_TRACE]'
            cand --color 'When to use colours'
            cand -a 'Ask every agent that is found: see `acp-auth agents`'
            cand --all 'Ask every agent that is found: see `acp-auth agents`'
            cand --watch 'Keep the connection and print every change, a line each; one agent'
            cand --mcp 'COMMAND is an MCP server: ask who it thinks you are'
            cand --json 'Print one JSON document on stdout, whatever happens'
            cand --trust-project 'Run what a file of the project defines (.acp-auth.toml, .zed/settings.json, .acpxrc.json)'
            cand -q 'Print nothing but errors; the exit code answers'
            cand --quiet 'Print nothing but errors; the exit code answers'
            cand --show-accounts 'Show account details in CI too'
            cand -v 'Print more: what is started, the methods one by one; twice: the agent''s stderr too'
            cand --verbose 'Print more: what is started, the methods one by one; twice: the agent''s stderr too'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'acp-auth;login'= {
            cand -m 'The method to sign in by, as `acp-auth status` lists them'
            cand --method 'The method to sign in by, as `acp-auth status` lists them'
            cand --expect-account 'Exit 1 when the account that is shown afterwards is not this one'
            cand --jq 'Print what a jq expression makes of that document, strings without quotes'
            cand --registry 'File in the format of the ACP registry, whose agents can be named'
            cand --cwd 'Working directory of the agent'
            cand --env 'Environment variable for the agent; without a value it must be set already'
            cand --config 'Configuration file [env: ACP_AUTH_CONFIG]'
            cand --timeout 'Longest wait for one answer [default: 30s] [env: ACP_AUTH_TIMEOUT]'
            cand --start-timeout 'Longest start while the agent''s stderr shows progress [default: 2m] [env: ACP_AUTH_START_TIMEOUT]'
            cand --login-timeout 'Longest login [default: none at a terminal, else 15m] [env: ACP_AUTH_LOGIN_TIMEOUT]'
            cand --push-timeout 'Longest wait for a state that the agent says it pushes [default: 8s] [env: ACP_AUTH_PUSH_TIMEOUT]'
            cand --protocol 'ACP version to ask for [default: auto] [env: ACP_AUTH_PROTOCOL]'
            cand --probe 'How far the state is established before and after, where the agent does not say: not at all, by its own status command, by a session in a new process [default: session] [env: ACP_AUTH_PROBE]'
            cand --trace 'Write every message to FILE, without secrets and account details [env: ACP_AUTH_TRACE]'
            cand --color 'When to use colours'
            cand --force 'Sign in even when you are signed in already'
            cand --list 'List the methods, what each does and whether it is usable here; sign in by none'
            cand --with-token 'Read the key or token from stdin; NAME=VALUE lines where a method wants several values'
            cand -y 'Agree to the command that the agent proposes to run, or the page it asks you to open'
            cand --yes 'Agree to the command that the agent proposes to run, or the page it asks you to open'
            cand --no-browser 'Print addresses, open no browser'
            cand --json 'Print one JSON document on stdout, whatever happens'
            cand --trust-project 'Run what a file of the project defines (.acp-auth.toml, .zed/settings.json, .acpxrc.json)'
            cand -q 'Print nothing but errors; the exit code answers'
            cand --quiet 'Print nothing but errors; the exit code answers'
            cand --show-accounts 'Show account details in CI too'
            cand -v 'Print more: what is started, the methods one by one; twice: the agent''s stderr too'
            cand --verbose 'Print more: what is started, the methods one by one; twice: the agent''s stderr too'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'acp-auth;logout'= {
            cand --jq 'Print what a jq expression makes of that document, strings without quotes'
            cand --registry 'File in the format of the ACP registry, whose agents can be named'
            cand --cwd 'Working directory of the agent'
            cand --env 'Environment variable for the agent; without a value it must be set already'
            cand --config 'Configuration file [env: ACP_AUTH_CONFIG]'
            cand --timeout 'Longest wait for one answer [default: 30s] [env: ACP_AUTH_TIMEOUT]'
            cand --start-timeout 'Longest start while the agent''s stderr shows progress [default: 2m] [env: ACP_AUTH_START_TIMEOUT]'
            cand --push-timeout 'Longest wait for a state that the agent says it pushes [default: 8s] [env: ACP_AUTH_PUSH_TIMEOUT]'
            cand --protocol 'ACP version to ask for [default: auto] [env: ACP_AUTH_PROTOCOL]'
            cand --probe 'How far the state is established before and after, where the agent does not say: not at all, by its own status command, by a session in a new process [default: session] [env: ACP_AUTH_PROBE]'
            cand --trace 'Write every message to FILE, without secrets and account details [env: ACP_AUTH_TRACE]'
            cand --color 'When to use colours'
            cand --json 'Print one JSON document on stdout, whatever happens'
            cand --trust-project 'Run what a file of the project defines (.acp-auth.toml, .zed/settings.json, .acpxrc.json)'
            cand -q 'Print nothing but errors; the exit code answers'
            cand --quiet 'Print nothing but errors; the exit code answers'
            cand --show-accounts 'Show account details in CI too'
            cand -v 'Print more: what is started, the methods one by one; twice: the agent''s stderr too'
            cand --verbose 'Print more: what is started, the methods one by one; twice: the agent''s stderr too'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'acp-auth;agents'= {
            cand --jq 'Print what a jq expression makes of that document, strings without quotes'
            cand --registry 'File in the format of the ACP registry, whose agents can be named'
            cand --config 'Configuration file [env: ACP_AUTH_CONFIG]'
            cand --color 'When to use colours'
            cand --known 'List the well-known agents instead, and how each is installed'
            cand --json 'Print one JSON document on stdout, whatever happens'
            cand --trust-project 'Run what a file of the project defines (.acp-auth.toml, .zed/settings.json, .acpxrc.json)'
            cand -q 'Print nothing but errors; the exit code answers'
            cand --quiet 'Print nothing but errors; the exit code answers'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'acp-auth;completions'= {
            cand --color 'When to use colours'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'acp-auth;schema'= {
            cand --color 'When to use colours'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'acp-auth;man'= {
            cand --color 'When to use colours'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'acp-auth;demo-agent'= {
            cand --color 'When to use colours'
            cand --login 'Sign in on this terminal and end'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'acp-auth;help'= {
            cand status 'Say whether you are signed in at agents, and as whom'
            cand login 'Sign in at an agent'
            cand logout 'Sign out of an agent'
            cand agents 'List every agent that can be named, and where it is defined'
            cand completions 'Print a completion script for a shell'
            cand schema 'Print the JSON Schema of what --json prints'
            cand man 'Print a man page'
            cand demo-agent 'Run the built-in agent'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'acp-auth;help;status'= {
        }
        &'acp-auth;help;login'= {
        }
        &'acp-auth;help;logout'= {
        }
        &'acp-auth;help;agents'= {
        }
        &'acp-auth;help;completions'= {
        }
        &'acp-auth;help;schema'= {
        }
        &'acp-auth;help;man'= {
        }
        &'acp-auth;help;demo-agent'= {
        }
        &'acp-auth;help;help'= {
        }
    ]
    $completions[$command]
}
