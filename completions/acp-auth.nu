module completions {

  def "nu-complete acp-auth color" [] {
    [ "auto" "always" "never" ]
  }

  # Ask coding agents whether you are signed in, and as whom; sign in, sign out
  export extern acp-auth [
    --color: string@"nu-complete acp-auth color" # When to use colours
    --help(-h)                # Print help (see more with '--help')
    --version(-V)             # Print version
  ]

  def "nu-complete acp-auth status until" [] {
    [ "authenticated" "unauthenticated" "not_required" "unknown" ]
  }

  def "nu-complete acp-auth status mcp_era" [] {
    [ "auto" "legacy" "modern" ]
  }

  def "nu-complete acp-auth status protocol" [] {
    [ "auto" "1" "2" ]
  }

  def "nu-complete acp-auth status probe" [] {
    [ "none" "command" "session" "prompt" "tool" ]
  }

  def "nu-complete acp-auth status color" [] {
    [ "auto" "always" "never" ]
  }

  # Say whether you are signed in at agents, and as whom
  export extern "acp-auth status" [
    --all(-a)                 # Ask every agent that is found: see `acp-auth agents`
    --expect-account: string  # Exit 1 when no account or identity that is shown is this one; a comparison of what is displayed, which proves nothing
    --jobs(-j): string        # How many agents are asked at once [default: as many as the machine bears]
    --watch                   # Keep the connection and print every change, a line each; one agent
    --until: string@"nu-complete acp-auth status until" # Watch until the agent reports this state, then exit 0; 124 when --timeout passes first
    --mcp                     # COMMAND is an MCP server: ask who it thinks you are
    --mcp-config: path        # File of MCP servers (mcpServers, servers of VS Code, context_servers of Zed)
    --server: string          # Server of that file; may be given several times
    --mcp-era: string@"nu-complete acp-auth status mcp_era" # Handshake to use: server/discover (modern), initialize (legacy), or one after the other
    --probe-tool: string      # Tool to call once where the server does not say who you are: read-only and not destructive
    --probe-args: string      # Arguments of that tool, a JSON object
    --map: string             # Where its answer says what: subject=/json/pointer,displayName=…,provider=…,accountId=…,organization=…
    --json                    # Print one JSON document on stdout, whatever happens
    --jq: string              # Print what a jq expression makes of that document, strings without quotes
    --registry: path          # File in the format of the ACP registry, whose agents can be named
    --trust-project           # Run what a file of the project defines (.acp-auth.toml, .zed/settings.json, .acpxrc.json)
    --quiet(-q)               # Print nothing but errors; the exit code answers
    --cwd: directory          # Working directory of the agent
    --env: string             # Environment variable for the agent; without a value it must be set already
    --show-accounts           # Show account details in CI too
    --verbose(-v)             # Print more: what is started, the methods one by one; twice: the agent's stderr too
    --config: path            # Configuration file [env: ACP_AUTH_CONFIG]
    --timeout: string         # Longest wait for one answer [default: 30s] [env: ACP_AUTH_TIMEOUT]
    --start-timeout: string   # Longest start while the agent's stderr shows progress [default: 2m] [env: ACP_AUTH_START_TIMEOUT]
    --push-timeout: string    # Longest wait for a state that the agent says it pushes [default: 8s] [env: ACP_AUTH_PUSH_TIMEOUT]
    --protocol: string@"nu-complete acp-auth status protocol" # ACP version to ask for [default: auto] [env: ACP_AUTH_PROTOCOL]
    --probe: string@"nu-complete acp-auth status probe" # How far an agent that does not say is tried: not at all, by its own status command, by a session that is opened and ended, by one short prompt, which costs tokens; of an MCP server, without a value, call its known identity tool [default: command] [env: ACP_AUTH_PROBE]
    --trace: path             # Write every message to FILE, without secrets and account details [env: ACP_AUTH_TRACE]
    --color: string@"nu-complete acp-auth status color" # When to use colours
    --help(-h)                # Print help (see more with '--help')
    --version(-V)             # Print version
    ...agents: string         # Names of agents: see `acp-auth agents`
  ]

  def "nu-complete acp-auth login protocol" [] {
    [ "auto" "1" "2" ]
  }

  def "nu-complete acp-auth login probe" [] {
    [ "none" "command" "session" ]
  }

  def "nu-complete acp-auth login color" [] {
    [ "auto" "always" "never" ]
  }

  # Sign in at an agent
  export extern "acp-auth login" [
    --method(-m): string      # The method to sign in by, as `acp-auth status` lists them
    --force                   # Sign in even when you are signed in already
    --list                    # List the methods, what each does and whether it is usable here; sign in by none
    --with-token              # Read the key or token from stdin; NAME=VALUE lines where a method wants several values
    --yes(-y)                 # Agree to the command that the agent proposes to run, or the page it asks you to open
    --no-browser              # Print addresses, open no browser
    --expect-account: string  # Exit 1 when the account that is shown afterwards is not this one
    --json                    # Print one JSON document on stdout, whatever happens
    --jq: string              # Print what a jq expression makes of that document, strings without quotes
    --registry: path          # File in the format of the ACP registry, whose agents can be named
    --trust-project           # Run what a file of the project defines (.acp-auth.toml, .zed/settings.json, .acpxrc.json)
    --quiet(-q)               # Print nothing but errors; the exit code answers
    --cwd: directory          # Working directory of the agent
    --env: string             # Environment variable for the agent; without a value it must be set already
    --show-accounts           # Show account details in CI too
    --verbose(-v)             # Print more: what is started, the methods one by one; twice: the agent's stderr too
    --config: path            # Configuration file [env: ACP_AUTH_CONFIG]
    --timeout: string         # Longest wait for one answer [default: 30s] [env: ACP_AUTH_TIMEOUT]
    --start-timeout: string   # Longest start while the agent's stderr shows progress [default: 2m] [env: ACP_AUTH_START_TIMEOUT]
    --login-timeout: string   # Longest login [default: none at a terminal, else 15m] [env: ACP_AUTH_LOGIN_TIMEOUT]
    --push-timeout: string    # Longest wait for a state that the agent says it pushes [default: 8s] [env: ACP_AUTH_PUSH_TIMEOUT]
    --protocol: string@"nu-complete acp-auth login protocol" # ACP version to ask for [default: auto] [env: ACP_AUTH_PROTOCOL]
    --probe: string@"nu-complete acp-auth login probe" # How far the state is established before and after, where the agent does not say: not at all, by its own status command, by a session in a new process [default: session] [env: ACP_AUTH_PROBE]
    --trace: path             # Write every message to FILE, without secrets and account details [env: ACP_AUTH_TRACE]
    --color: string@"nu-complete acp-auth login color" # When to use colours
    --help(-h)                # Print help (see more with '--help')
    --version(-V)             # Print version
    agent?: string            # Name of the agent: see `acp-auth agents`
  ]

  def "nu-complete acp-auth logout protocol" [] {
    [ "auto" "1" "2" ]
  }

  def "nu-complete acp-auth logout probe" [] {
    [ "none" "command" "session" ]
  }

  def "nu-complete acp-auth logout color" [] {
    [ "auto" "always" "never" ]
  }

  # Sign out of an agent
  export extern "acp-auth logout" [
    --json                    # Print one JSON document on stdout, whatever happens
    --jq: string              # Print what a jq expression makes of that document, strings without quotes
    --registry: path          # File in the format of the ACP registry, whose agents can be named
    --trust-project           # Run what a file of the project defines (.acp-auth.toml, .zed/settings.json, .acpxrc.json)
    --quiet(-q)               # Print nothing but errors; the exit code answers
    --cwd: directory          # Working directory of the agent
    --env: string             # Environment variable for the agent; without a value it must be set already
    --show-accounts           # Show account details in CI too
    --verbose(-v)             # Print more: what is started, the methods one by one; twice: the agent's stderr too
    --config: path            # Configuration file [env: ACP_AUTH_CONFIG]
    --timeout: string         # Longest wait for one answer [default: 30s] [env: ACP_AUTH_TIMEOUT]
    --start-timeout: string   # Longest start while the agent's stderr shows progress [default: 2m] [env: ACP_AUTH_START_TIMEOUT]
    --push-timeout: string    # Longest wait for a state that the agent says it pushes [default: 8s] [env: ACP_AUTH_PUSH_TIMEOUT]
    --protocol: string@"nu-complete acp-auth logout protocol" # ACP version to ask for [default: auto] [env: ACP_AUTH_PROTOCOL]
    --probe: string@"nu-complete acp-auth logout probe" # How far the state is established before and after, where the agent does not say: not at all, by its own status command, by a session in a new process [default: session] [env: ACP_AUTH_PROBE]
    --trace: path             # Write every message to FILE, without secrets and account details [env: ACP_AUTH_TRACE]
    --color: string@"nu-complete acp-auth logout color" # When to use colours
    --help(-h)                # Print help (see more with '--help')
    --version(-V)             # Print version
    agent?: string            # Name of the agent: see `acp-auth agents`
  ]

  def "nu-complete acp-auth agents color" [] {
    [ "auto" "always" "never" ]
  }

  # List every agent that can be named, and where it is defined
  export extern "acp-auth agents" [
    --known                   # List the well-known agents instead, and how each is installed
    --json                    # Print one JSON document on stdout, whatever happens
    --jq: string              # Print what a jq expression makes of that document, strings without quotes
    --registry: path          # File in the format of the ACP registry, whose agents can be named
    --trust-project           # Run what a file of the project defines (.acp-auth.toml, .zed/settings.json, .acpxrc.json)
    --quiet(-q)               # Print nothing but errors; the exit code answers
    --config: path            # Configuration file [env: ACP_AUTH_CONFIG]
    --color: string@"nu-complete acp-auth agents color" # When to use colours
    --help(-h)                # Print help (see more with '--help')
    --version(-V)             # Print version
  ]

  def "nu-complete acp-auth completions shell" [] {
    [ "bash" "zsh" "fish" "powershell" "elvish" "nushell" ]
  }

  def "nu-complete acp-auth completions color" [] {
    [ "auto" "always" "never" ]
  }

  # Print a completion script for a shell
  export extern "acp-auth completions" [
    --color: string@"nu-complete acp-auth completions color" # When to use colours
    --help(-h)                # Print help (see more with '--help')
    --version(-V)             # Print version
    shell: string@"nu-complete acp-auth completions shell" # The shell
  ]

  def "nu-complete acp-auth schema color" [] {
    [ "auto" "always" "never" ]
  }

  # Print the JSON Schema of what --json prints
  export extern "acp-auth schema" [
    --color: string@"nu-complete acp-auth schema color" # When to use colours
    --help(-h)                # Print help (see more with '--help')
    --version(-V)             # Print version
  ]

  def "nu-complete acp-auth man command" [] {
    [ "status" "login" "logout" "agents" "completions" "schema" "man" ]
  }

  def "nu-complete acp-auth man color" [] {
    [ "auto" "always" "never" ]
  }

  # Print a man page
  export extern "acp-auth man" [
    --color: string@"nu-complete acp-auth man color" # When to use colours
    --help(-h)                # Print help (see more with '--help')
    --version(-V)             # Print version
    command?: string@"nu-complete acp-auth man command" # The command that the page is of
  ]

  def "nu-complete acp-auth demo-agent color" [] {
    [ "auto" "always" "never" ]
  }

  # Run the built-in agent
  export extern "acp-auth demo-agent" [
    --login                   # Sign in on this terminal and end
    --color: string@"nu-complete acp-auth demo-agent color" # When to use colours
    --help(-h)                # Print help (see more with '--help')
    --version(-V)             # Print version
  ]

  # Print this message or the help of the given subcommand(s)
  export extern "acp-auth help" [
  ]

  # Say whether you are signed in at agents, and as whom
  export extern "acp-auth help status" [
  ]

  # Sign in at an agent
  export extern "acp-auth help login" [
  ]

  # Sign out of an agent
  export extern "acp-auth help logout" [
  ]

  # List every agent that can be named, and where it is defined
  export extern "acp-auth help agents" [
  ]

  # Print a completion script for a shell
  export extern "acp-auth help completions" [
  ]

  # Print the JSON Schema of what --json prints
  export extern "acp-auth help schema" [
  ]

  # Print a man page
  export extern "acp-auth help man" [
  ]

  # Run the built-in agent
  export extern "acp-auth help demo-agent" [
  ]

  # Print this message or the help of the given subcommand(s)
  export extern "acp-auth help help" [
  ]

}

export use completions *
