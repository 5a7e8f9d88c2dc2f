
using namespace System.Management.Automation
using namespace System.Management.Automation.Language

Register-ArgumentCompleter -Native -CommandName 'acp-auth' -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)

    $commandElements = $commandAst.CommandElements
    $command = @(
        'acp-auth'
        for ($i = 1; $i -lt $commandElements.Count; $i++) {
            $element = $commandElements[$i]
            if ($element -isnot [StringConstantExpressionAst] -or
                $element.StringConstantType -ne [StringConstantType]::BareWord -or
                $element.Value.StartsWith('-') -or
                $element.Value -eq $wordToComplete) {
                break
        }
        $element.Value
    }) -join ';'

    $completions = @(switch ($command) {
        'acp-auth' {
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colours')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('status', 'status', [CompletionResultType]::ParameterValue, 'Say whether you are signed in at agents, and as whom')
            [CompletionResult]::new('login', 'login', [CompletionResultType]::ParameterValue, 'Sign in at an agent')
            [CompletionResult]::new('logout', 'logout', [CompletionResultType]::ParameterValue, 'Sign out of an agent')
            [CompletionResult]::new('agents', 'agents', [CompletionResultType]::ParameterValue, 'List every agent that can be named, and where it is defined')
            [CompletionResult]::new('completions', 'completions', [CompletionResultType]::ParameterValue, 'Print a completion script for a shell')
            [CompletionResult]::new('schema', 'schema', [CompletionResultType]::ParameterValue, 'Print the JSON Schema of what --json prints')
            [CompletionResult]::new('man', 'man', [CompletionResultType]::ParameterValue, 'Print a man page')
            [CompletionResult]::new('demo-agent', 'demo-agent', [CompletionResultType]::ParameterValue, 'Run the built-in agent')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'acp-auth;status' {
            [CompletionResult]::new('--expect-account', '--expect-account', [CompletionResultType]::ParameterName, 'Exit 1 when no account or identity that is shown is this one; a comparison of what is displayed, which proves nothing')
            [CompletionResult]::new('-j', '-j', [CompletionResultType]::ParameterName, 'How many agents are asked at once [default: as many as the machine bears]')
            [CompletionResult]::new('--jobs', '--jobs', [CompletionResultType]::ParameterName, 'How many agents are asked at once [default: as many as the machine bears]')
            [CompletionResult]::new('--until', '--until', [CompletionResultType]::ParameterName, 'Watch until the agent reports this state, then exit 0; 124 when --timeout passes first')
            [CompletionResult]::new('--mcp-config', '--mcp-config', [CompletionResultType]::ParameterName, 'File of MCP servers (mcpServers, servers of VS Code, context_servers of Zed)')
            [CompletionResult]::new('--server', '--server', [CompletionResultType]::ParameterName, 'Server of that file; may be given several times')
            [CompletionResult]::new('--mcp-era', '--mcp-era', [CompletionResultType]::ParameterName, 'Handshake to use: server/discover (modern), initialize (legacy), or one after the other')
            [CompletionResult]::new('--probe-tool', '--probe-tool', [CompletionResultType]::ParameterName, 'Tool to call once where the server does not say who you are: read-only and not destructive')
            [CompletionResult]::new('--probe-args', '--probe-args', [CompletionResultType]::ParameterName, 'Arguments of that tool, a JSON object')
            [CompletionResult]::new('--map', '--map', [CompletionResultType]::ParameterName, 'Where its answer says what: subject=/json/pointer,displayName=…,provider=…,accountId=…,organization=…')
            [CompletionResult]::new('--jq', '--jq', [CompletionResultType]::ParameterName, 'Print what a jq expression makes of that document, strings without quotes')
            [CompletionResult]::new('--registry', '--registry', [CompletionResultType]::ParameterName, 'File in the format of the ACP registry, whose agents can be named')
            [CompletionResult]::new('--cwd', '--cwd', [CompletionResultType]::ParameterName, 'Working directory of the agent')
            [CompletionResult]::new('--env', '--env', [CompletionResultType]::ParameterName, 'Environment variable for the agent; without a value it must be set already')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Configuration file [env: ACP_AUTH_CONFIG]')
            [CompletionResult]::new('--timeout', '--timeout', [CompletionResultType]::ParameterName, 'Longest wait for one answer [default: 30s] [env: ACP_AUTH_TIMEOUT]')
            [CompletionResult]::new('--start-timeout', '--start-timeout', [CompletionResultType]::ParameterName, 'Longest start while the agent''s stderr shows progress [default: 2m] [env: ACP_AUTH_START_TIMEOUT]')
            [CompletionResult]::new('--push-timeout', '--push-timeout', [CompletionResultType]::ParameterName, 'Longest wait for a state that the agent says it pushes [default: 8s] [env: ACP_AUTH_PUSH_TIMEOUT]')
            [CompletionResult]::new('--protocol', '--protocol', [CompletionResultType]::ParameterName, 'ACP version to ask for [default: auto] [env: ACP_AUTH_PROTOCOL]')
            [CompletionResult]::new('--probe', '--probe', [CompletionResultType]::ParameterName, 'How far an agent that does not say is tried: not at all, by its own status command, by a session that is opened and ended, by one short prompt, which costs tokens; of an MCP server, without a value, call its known identity tool [default: command] [env: ACP_AUTH_PROBE]')
            [CompletionResult]::new('--trace', '--trace', [CompletionResultType]::ParameterName, 'Write every message to FILE, without secrets and account details [env: ACP_AUTH_TRACE]')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colours')
            [CompletionResult]::new('-a', '-a', [CompletionResultType]::ParameterName, 'Ask every agent that is found: see `acp-auth agents`')
            [CompletionResult]::new('--all', '--all', [CompletionResultType]::ParameterName, 'Ask every agent that is found: see `acp-auth agents`')
            [CompletionResult]::new('--watch', '--watch', [CompletionResultType]::ParameterName, 'Keep the connection and print every change, a line each; one agent')
            [CompletionResult]::new('--mcp', '--mcp', [CompletionResultType]::ParameterName, 'COMMAND is an MCP server: ask who it thinks you are')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print one JSON document on stdout, whatever happens')
            [CompletionResult]::new('--trust-project', '--trust-project', [CompletionResultType]::ParameterName, 'Run what a file of the project defines (.acp-auth.toml, .zed/settings.json, .acpxrc.json)')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print nothing but errors; the exit code answers')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print nothing but errors; the exit code answers')
            [CompletionResult]::new('--show-accounts', '--show-accounts', [CompletionResultType]::ParameterName, 'Show account details in CI too')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more: what is started, the methods one by one; twice: the agent''s stderr too')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more: what is started, the methods one by one; twice: the agent''s stderr too')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'acp-auth;login' {
            [CompletionResult]::new('-m', '-m', [CompletionResultType]::ParameterName, 'The method to sign in by, as `acp-auth status` lists them')
            [CompletionResult]::new('--method', '--method', [CompletionResultType]::ParameterName, 'The method to sign in by, as `acp-auth status` lists them')
            [CompletionResult]::new('--expect-account', '--expect-account', [CompletionResultType]::ParameterName, 'Exit 1 when the account that is shown afterwards is not this one')
            [CompletionResult]::new('--jq', '--jq', [CompletionResultType]::ParameterName, 'Print what a jq expression makes of that document, strings without quotes')
            [CompletionResult]::new('--registry', '--registry', [CompletionResultType]::ParameterName, 'File in the format of the ACP registry, whose agents can be named')
            [CompletionResult]::new('--cwd', '--cwd', [CompletionResultType]::ParameterName, 'Working directory of the agent')
            [CompletionResult]::new('--env', '--env', [CompletionResultType]::ParameterName, 'Environment variable for the agent; without a value it must be set already')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Configuration file [env: ACP_AUTH_CONFIG]')
            [CompletionResult]::new('--timeout', '--timeout', [CompletionResultType]::ParameterName, 'Longest wait for one answer [default: 30s] [env: ACP_AUTH_TIMEOUT]')
            [CompletionResult]::new('--start-timeout', '--start-timeout', [CompletionResultType]::ParameterName, 'Longest start while the agent''s stderr shows progress [default: 2m] [env: ACP_AUTH_START_TIMEOUT]')
            [CompletionResult]::new('--login-timeout', '--login-timeout', [CompletionResultType]::ParameterName, 'Longest login [default: none at a terminal, else 15m] [env: ACP_AUTH_LOGIN_TIMEOUT]')
            [CompletionResult]::new('--push-timeout', '--push-timeout', [CompletionResultType]::ParameterName, 'Longest wait for a state that the agent says it pushes [default: 8s] [env: ACP_AUTH_PUSH_TIMEOUT]')
            [CompletionResult]::new('--protocol', '--protocol', [CompletionResultType]::ParameterName, 'ACP version to ask for [default: auto] [env: ACP_AUTH_PROTOCOL]')
            [CompletionResult]::new('--probe', '--probe', [CompletionResultType]::ParameterName, 'How far the state is established before and after, where the agent does not say: not at all, by its own status command, by a session in a new process [default: session] [env: ACP_AUTH_PROBE]')
            [CompletionResult]::new('--trace', '--trace', [CompletionResultType]::ParameterName, 'Write every message to FILE, without secrets and account details [env: ACP_AUTH_TRACE]')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colours')
            [CompletionResult]::new('--force', '--force', [CompletionResultType]::ParameterName, 'Sign in even when you are signed in already')
            [CompletionResult]::new('--list', '--list', [CompletionResultType]::ParameterName, 'List the methods, what each does and whether it is usable here; sign in by none')
            [CompletionResult]::new('--with-token', '--with-token', [CompletionResultType]::ParameterName, 'Read the key or token from stdin; NAME=VALUE lines where a method wants several values')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Agree to the command that the agent proposes to run, or the page it asks you to open')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Agree to the command that the agent proposes to run, or the page it asks you to open')
            [CompletionResult]::new('--no-browser', '--no-browser', [CompletionResultType]::ParameterName, 'Print addresses, open no browser')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print one JSON document on stdout, whatever happens')
            [CompletionResult]::new('--trust-project', '--trust-project', [CompletionResultType]::ParameterName, 'Run what a file of the project defines (.acp-auth.toml, .zed/settings.json, .acpxrc.json)')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print nothing but errors; the exit code answers')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print nothing but errors; the exit code answers')
            [CompletionResult]::new('--show-accounts', '--show-accounts', [CompletionResultType]::ParameterName, 'Show account details in CI too')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more: what is started, the methods one by one; twice: the agent''s stderr too')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more: what is started, the methods one by one; twice: the agent''s stderr too')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'acp-auth;logout' {
            [CompletionResult]::new('--jq', '--jq', [CompletionResultType]::ParameterName, 'Print what a jq expression makes of that document, strings without quotes')
            [CompletionResult]::new('--registry', '--registry', [CompletionResultType]::ParameterName, 'File in the format of the ACP registry, whose agents can be named')
            [CompletionResult]::new('--cwd', '--cwd', [CompletionResultType]::ParameterName, 'Working directory of the agent')
            [CompletionResult]::new('--env', '--env', [CompletionResultType]::ParameterName, 'Environment variable for the agent; without a value it must be set already')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Configuration file [env: ACP_AUTH_CONFIG]')
            [CompletionResult]::new('--timeout', '--timeout', [CompletionResultType]::ParameterName, 'Longest wait for one answer [default: 30s] [env: ACP_AUTH_TIMEOUT]')
            [CompletionResult]::new('--start-timeout', '--start-timeout', [CompletionResultType]::ParameterName, 'Longest start while the agent''s stderr shows progress [default: 2m] [env: ACP_AUTH_START_TIMEOUT]')
            [CompletionResult]::new('--push-timeout', '--push-timeout', [CompletionResultType]::ParameterName, 'Longest wait for a state that the agent says it pushes [default: 8s] [env: ACP_AUTH_PUSH_TIMEOUT]')
            [CompletionResult]::new('--protocol', '--protocol', [CompletionResultType]::ParameterName, 'ACP version to ask for [default: auto] [env: ACP_AUTH_PROTOCOL]')
            [CompletionResult]::new('--probe', '--probe', [CompletionResultType]::ParameterName, 'How far the state is established before and after, where the agent does not say: not at all, by its own status command, by a session in a new process [default: session] [env: ACP_AUTH_PROBE]')
            [CompletionResult]::new('--trace', '--trace', [CompletionResultType]::ParameterName, 'Write every message to FILE, without secrets and account details [env: ACP_AUTH_TRACE]')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colours')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print one JSON document on stdout, whatever happens')
            [CompletionResult]::new('--trust-project', '--trust-project', [CompletionResultType]::ParameterName, 'Run what a file of the project defines (.acp-auth.toml, .zed/settings.json, .acpxrc.json)')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print nothing but errors; the exit code answers')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print nothing but errors; the exit code answers')
            [CompletionResult]::new('--show-accounts', '--show-accounts', [CompletionResultType]::ParameterName, 'Show account details in CI too')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more: what is started, the methods one by one; twice: the agent''s stderr too')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more: what is started, the methods one by one; twice: the agent''s stderr too')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'acp-auth;agents' {
            [CompletionResult]::new('--jq', '--jq', [CompletionResultType]::ParameterName, 'Print what a jq expression makes of that document, strings without quotes')
            [CompletionResult]::new('--registry', '--registry', [CompletionResultType]::ParameterName, 'File in the format of the ACP registry, whose agents can be named')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Configuration file [env: ACP_AUTH_CONFIG]')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colours')
            [CompletionResult]::new('--known', '--known', [CompletionResultType]::ParameterName, 'List the well-known agents instead, and how each is installed')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print one JSON document on stdout, whatever happens')
            [CompletionResult]::new('--trust-project', '--trust-project', [CompletionResultType]::ParameterName, 'Run what a file of the project defines (.acp-auth.toml, .zed/settings.json, .acpxrc.json)')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print nothing but errors; the exit code answers')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print nothing but errors; the exit code answers')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'acp-auth;completions' {
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colours')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'acp-auth;schema' {
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colours')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'acp-auth;man' {
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colours')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'acp-auth;demo-agent' {
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colours')
            [CompletionResult]::new('--login', '--login', [CompletionResultType]::ParameterName, 'Sign in on this terminal and end')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'acp-auth;help' {
            [CompletionResult]::new('status', 'status', [CompletionResultType]::ParameterValue, 'Say whether you are signed in at agents, and as whom')
            [CompletionResult]::new('login', 'login', [CompletionResultType]::ParameterValue, 'Sign in at an agent')
            [CompletionResult]::new('logout', 'logout', [CompletionResultType]::ParameterValue, 'Sign out of an agent')
            [CompletionResult]::new('agents', 'agents', [CompletionResultType]::ParameterValue, 'List every agent that can be named, and where it is defined')
            [CompletionResult]::new('completions', 'completions', [CompletionResultType]::ParameterValue, 'Print a completion script for a shell')
            [CompletionResult]::new('schema', 'schema', [CompletionResultType]::ParameterValue, 'Print the JSON Schema of what --json prints')
            [CompletionResult]::new('man', 'man', [CompletionResultType]::ParameterValue, 'Print a man page')
            [CompletionResult]::new('demo-agent', 'demo-agent', [CompletionResultType]::ParameterValue, 'Run the built-in agent')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'acp-auth;help;status' {
            break
        }
        'acp-auth;help;login' {
            break
        }
        'acp-auth;help;logout' {
            break
        }
        'acp-auth;help;agents' {
            break
        }
        'acp-auth;help;completions' {
            break
        }
        'acp-auth;help;schema' {
            break
        }
        'acp-auth;help;man' {
            break
        }
        'acp-auth;help;demo-agent' {
            break
        }
        'acp-auth;help;help' {
            break
        }
    })

    $completions.Where{ $_.CompletionText -like "$wordToComplete*" } |
        Sort-Object -Property ListItemText
}
