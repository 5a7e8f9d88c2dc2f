# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_acp_auth_global_optspecs
    string join \n json timeout= start-timeout= login-timeout= push-timeout= protocol= config= cwd= env= trace= show-accounts color= q/quiet v/verbose h/help V/version
end

function __fish_acp_auth_needs_command
    # Figure out if the current invocation already has a command.
    set -l cmd (commandline -opc)
    set -e cmd[1]
    argparse -s (__fish_acp_auth_global_optspecs) -- $cmd 2>/dev/null
    or return
    if set -q argv[1]
        # Also print the command, so this can be used to figure out what it is.
        echo $argv[1]
        return 1
    end
    return 0
end

function __fish_acp_auth_using_subcommand
    set -l cmd (__fish_acp_auth_needs_command)
    test -z "$cmd"
    and return 1
    contains -- $cmd[1] $argv
end

complete -c acp-auth -n "__fish_acp_auth_needs_command" -l timeout -d 'Longest wait for one answer [env: ACP_AUTH_TIMEOUT] [default: 30s]' -r
complete -c acp-auth -n "__fish_acp_auth_needs_command" -l start-timeout -d 'Longest start while the agent\'s stderr shows progress [env: ACP_AUTH_START_TIMEOUT] [default: 2m]' -r
complete -c acp-auth -n "__fish_acp_auth_needs_command" -l login-timeout -d 'Longest login [env: ACP_AUTH_LOGIN_TIMEOUT] [default: none at a terminal, else 15m]' -r
complete -c acp-auth -n "__fish_acp_auth_needs_command" -l push-timeout -d 'Longest wait for a state that the agent says it pushes [env: ACP_AUTH_PUSH_TIMEOUT] [default: 5s]' -r
complete -c acp-auth -n "__fish_acp_auth_needs_command" -l protocol -d 'ACP version to ask for [env: ACP_AUTH_PROTOCOL] [default: auto]' -r -f -a "auto\t''
1\t''
2\t''"
complete -c acp-auth -n "__fish_acp_auth_needs_command" -l config -d 'Configuration file [env: ACP_AUTH_CONFIG]' -r -F
complete -c acp-auth -n "__fish_acp_auth_needs_command" -l cwd -d 'Working directory of the agent' -r -f -a "(__fish_complete_directories)"
complete -c acp-auth -n "__fish_acp_auth_needs_command" -l env -d 'Environment variable for the agent; without a value it must be set already' -r
complete -c acp-auth -n "__fish_acp_auth_needs_command" -l trace -d 'Write every message to FILE, without secrets and account details [env: ACP_AUTH_TRACE]' -r -F
complete -c acp-auth -n "__fish_acp_auth_needs_command" -l color -d 'When to use colours' -r -f -a "auto\t''
always\t''
never\t''"
complete -c acp-auth -n "__fish_acp_auth_needs_command" -l json -d 'Print one JSON document on stdout, whatever happens'
complete -c acp-auth -n "__fish_acp_auth_needs_command" -l show-accounts -d 'Show account details in CI too'
complete -c acp-auth -n "__fish_acp_auth_needs_command" -s q -l quiet -d 'Print nothing but errors; the exit code answers'
complete -c acp-auth -n "__fish_acp_auth_needs_command" -s v -l verbose -d 'Print more: what is started, the methods one by one; twice: the agent\'s stderr too'
complete -c acp-auth -n "__fish_acp_auth_needs_command" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c acp-auth -n "__fish_acp_auth_needs_command" -s V -l version -d 'Print version'
complete -c acp-auth -n "__fish_acp_auth_needs_command" -f -a "status" -d 'Say whether you are signed in at agents, and as whom'
complete -c acp-auth -n "__fish_acp_auth_needs_command" -f -a "login" -d 'Sign in at an agent'
complete -c acp-auth -n "__fish_acp_auth_needs_command" -f -a "logout" -d 'Sign out of an agent'
complete -c acp-auth -n "__fish_acp_auth_needs_command" -f -a "completions" -d 'Print a completion script for a shell'
complete -c acp-auth -n "__fish_acp_auth_needs_command" -f -a "schema" -d 'Print the JSON Schema of what --json prints'
complete -c acp-auth -n "__fish_acp_auth_needs_command" -f -a "demo-agent" -d 'Run the built-in agent'
complete -c acp-auth -n "__fish_acp_auth_needs_command" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c acp-auth -n "__fish_acp_auth_using_subcommand status" -l probe -d 'Where the agent does not say, open a session and end it, or send one short prompt, which costs tokens' -r -f -a "session\t''
prompt\t''"
complete -c acp-auth -n "__fish_acp_auth_using_subcommand status" -s j -l jobs -d 'How many agents are asked at once [default: four for each core]' -r
complete -c acp-auth -n "__fish_acp_auth_using_subcommand status" -l until -d 'Watch until the agent reports this state, then exit 0; 124 when --timeout passes first' -r -f -a "authenticated\t''
unauthenticated\t''
not_required\t''
unknown\t''"
complete -c acp-auth -n "__fish_acp_auth_using_subcommand status" -l timeout -d 'Longest wait for one answer [env: ACP_AUTH_TIMEOUT] [default: 30s]' -r
complete -c acp-auth -n "__fish_acp_auth_using_subcommand status" -l start-timeout -d 'Longest start while the agent\'s stderr shows progress [env: ACP_AUTH_START_TIMEOUT] [default: 2m]' -r
complete -c acp-auth -n "__fish_acp_auth_using_subcommand status" -l login-timeout -d 'Longest login [env: ACP_AUTH_LOGIN_TIMEOUT] [default: none at a terminal, else 15m]' -r
complete -c acp-auth -n "__fish_acp_auth_using_subcommand status" -l push-timeout -d 'Longest wait for a state that the agent says it pushes [env: ACP_AUTH_PUSH_TIMEOUT] [default: 5s]' -r
complete -c acp-auth -n "__fish_acp_auth_using_subcommand status" -l protocol -d 'ACP version to ask for [env: ACP_AUTH_PROTOCOL] [default: auto]' -r -f -a "auto\t''
1\t''
2\t''"
complete -c acp-auth -n "__fish_acp_auth_using_subcommand status" -l config -d 'Configuration file [env: ACP_AUTH_CONFIG]' -r -F
complete -c acp-auth -n "__fish_acp_auth_using_subcommand status" -l cwd -d 'Working directory of the agent' -r -f -a "(__fish_complete_directories)"
complete -c acp-auth -n "__fish_acp_auth_using_subcommand status" -l env -d 'Environment variable for the agent; without a value it must be set already' -r
complete -c acp-auth -n "__fish_acp_auth_using_subcommand status" -l trace -d 'Write every message to FILE, without secrets and account details [env: ACP_AUTH_TRACE]' -r -F
complete -c acp-auth -n "__fish_acp_auth_using_subcommand status" -l color -d 'When to use colours' -r -f -a "auto\t''
always\t''
never\t''"
complete -c acp-auth -n "__fish_acp_auth_using_subcommand status" -l watch -d 'Keep the connection and tell every change, a line each; one agent'
complete -c acp-auth -n "__fish_acp_auth_using_subcommand status" -l json -d 'Print one JSON document on stdout, whatever happens'
complete -c acp-auth -n "__fish_acp_auth_using_subcommand status" -l show-accounts -d 'Show account details in CI too'
complete -c acp-auth -n "__fish_acp_auth_using_subcommand status" -s q -l quiet -d 'Print nothing but errors; the exit code answers'
complete -c acp-auth -n "__fish_acp_auth_using_subcommand status" -s v -l verbose -d 'Print more: what is started, the methods one by one; twice: the agent\'s stderr too'
complete -c acp-auth -n "__fish_acp_auth_using_subcommand status" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c acp-auth -n "__fish_acp_auth_using_subcommand status" -s V -l version -d 'Print version'
complete -c acp-auth -n "__fish_acp_auth_using_subcommand login" -s m -l method -d 'The method to sign in by, as `acp-auth status` lists them' -r
complete -c acp-auth -n "__fish_acp_auth_using_subcommand login" -l timeout -d 'Longest wait for one answer [env: ACP_AUTH_TIMEOUT] [default: 30s]' -r
complete -c acp-auth -n "__fish_acp_auth_using_subcommand login" -l start-timeout -d 'Longest start while the agent\'s stderr shows progress [env: ACP_AUTH_START_TIMEOUT] [default: 2m]' -r
complete -c acp-auth -n "__fish_acp_auth_using_subcommand login" -l login-timeout -d 'Longest login [env: ACP_AUTH_LOGIN_TIMEOUT] [default: none at a terminal, else 15m]' -r
complete -c acp-auth -n "__fish_acp_auth_using_subcommand login" -l push-timeout -d 'Longest wait for a state that the agent says it pushes [env: ACP_AUTH_PUSH_TIMEOUT] [default: 5s]' -r
complete -c acp-auth -n "__fish_acp_auth_using_subcommand login" -l protocol -d 'ACP version to ask for [env: ACP_AUTH_PROTOCOL] [default: auto]' -r -f -a "auto\t''
1\t''
2\t''"
complete -c acp-auth -n "__fish_acp_auth_using_subcommand login" -l config -d 'Configuration file [env: ACP_AUTH_CONFIG]' -r -F
complete -c acp-auth -n "__fish_acp_auth_using_subcommand login" -l cwd -d 'Working directory of the agent' -r -f -a "(__fish_complete_directories)"
complete -c acp-auth -n "__fish_acp_auth_using_subcommand login" -l env -d 'Environment variable for the agent; without a value it must be set already' -r
complete -c acp-auth -n "__fish_acp_auth_using_subcommand login" -l trace -d 'Write every message to FILE, without secrets and account details [env: ACP_AUTH_TRACE]' -r -F
complete -c acp-auth -n "__fish_acp_auth_using_subcommand login" -l color -d 'When to use colours' -r -f -a "auto\t''
always\t''
never\t''"
complete -c acp-auth -n "__fish_acp_auth_using_subcommand login" -l force -d 'Sign in even when you are signed in already'
complete -c acp-auth -n "__fish_acp_auth_using_subcommand login" -l list -d 'List the methods, what each does and whether it is usable here; sign in by none'
complete -c acp-auth -n "__fish_acp_auth_using_subcommand login" -l with-token -d 'Read the key or token from stdin; NAME=VALUE lines where a method wants several values'
complete -c acp-auth -n "__fish_acp_auth_using_subcommand login" -s y -l yes -d 'Agree to the command that the agent proposes to run, or the page it asks you to open'
complete -c acp-auth -n "__fish_acp_auth_using_subcommand login" -l no-browser -d 'Print addresses, open no browser'
complete -c acp-auth -n "__fish_acp_auth_using_subcommand login" -l json -d 'Print one JSON document on stdout, whatever happens'
complete -c acp-auth -n "__fish_acp_auth_using_subcommand login" -l show-accounts -d 'Show account details in CI too'
complete -c acp-auth -n "__fish_acp_auth_using_subcommand login" -s q -l quiet -d 'Print nothing but errors; the exit code answers'
complete -c acp-auth -n "__fish_acp_auth_using_subcommand login" -s v -l verbose -d 'Print more: what is started, the methods one by one; twice: the agent\'s stderr too'
complete -c acp-auth -n "__fish_acp_auth_using_subcommand login" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c acp-auth -n "__fish_acp_auth_using_subcommand login" -s V -l version -d 'Print version'
complete -c acp-auth -n "__fish_acp_auth_using_subcommand logout" -l timeout -d 'Longest wait for one answer [env: ACP_AUTH_TIMEOUT] [default: 30s]' -r
complete -c acp-auth -n "__fish_acp_auth_using_subcommand logout" -l start-timeout -d 'Longest start while the agent\'s stderr shows progress [env: ACP_AUTH_START_TIMEOUT] [default: 2m]' -r
complete -c acp-auth -n "__fish_acp_auth_using_subcommand logout" -l login-timeout -d 'Longest login [env: ACP_AUTH_LOGIN_TIMEOUT] [default: none at a terminal, else 15m]' -r
complete -c acp-auth -n "__fish_acp_auth_using_subcommand logout" -l push-timeout -d 'Longest wait for a state that the agent says it pushes [env: ACP_AUTH_PUSH_TIMEOUT] [default: 5s]' -r
complete -c acp-auth -n "__fish_acp_auth_using_subcommand logout" -l protocol -d 'ACP version to ask for [env: ACP_AUTH_PROTOCOL] [default: auto]' -r -f -a "auto\t''
1\t''
2\t''"
complete -c acp-auth -n "__fish_acp_auth_using_subcommand logout" -l config -d 'Configuration file [env: ACP_AUTH_CONFIG]' -r -F
complete -c acp-auth -n "__fish_acp_auth_using_subcommand logout" -l cwd -d 'Working directory of the agent' -r -f -a "(__fish_complete_directories)"
complete -c acp-auth -n "__fish_acp_auth_using_subcommand logout" -l env -d 'Environment variable for the agent; without a value it must be set already' -r
complete -c acp-auth -n "__fish_acp_auth_using_subcommand logout" -l trace -d 'Write every message to FILE, without secrets and account details [env: ACP_AUTH_TRACE]' -r -F
complete -c acp-auth -n "__fish_acp_auth_using_subcommand logout" -l color -d 'When to use colours' -r -f -a "auto\t''
always\t''
never\t''"
complete -c acp-auth -n "__fish_acp_auth_using_subcommand logout" -l json -d 'Print one JSON document on stdout, whatever happens'
complete -c acp-auth -n "__fish_acp_auth_using_subcommand logout" -l show-accounts -d 'Show account details in CI too'
complete -c acp-auth -n "__fish_acp_auth_using_subcommand logout" -s q -l quiet -d 'Print nothing but errors; the exit code answers'
complete -c acp-auth -n "__fish_acp_auth_using_subcommand logout" -s v -l verbose -d 'Print more: what is started, the methods one by one; twice: the agent\'s stderr too'
complete -c acp-auth -n "__fish_acp_auth_using_subcommand logout" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c acp-auth -n "__fish_acp_auth_using_subcommand logout" -s V -l version -d 'Print version'
complete -c acp-auth -n "__fish_acp_auth_using_subcommand completions" -l timeout -d 'Longest wait for one answer [env: ACP_AUTH_TIMEOUT] [default: 30s]' -r
complete -c acp-auth -n "__fish_acp_auth_using_subcommand completions" -l start-timeout -d 'Longest start while the agent\'s stderr shows progress [env: ACP_AUTH_START_TIMEOUT] [default: 2m]' -r
complete -c acp-auth -n "__fish_acp_auth_using_subcommand completions" -l login-timeout -d 'Longest login [env: ACP_AUTH_LOGIN_TIMEOUT] [default: none at a terminal, else 15m]' -r
complete -c acp-auth -n "__fish_acp_auth_using_subcommand completions" -l push-timeout -d 'Longest wait for a state that the agent says it pushes [env: ACP_AUTH_PUSH_TIMEOUT] [default: 5s]' -r
complete -c acp-auth -n "__fish_acp_auth_using_subcommand completions" -l protocol -d 'ACP version to ask for [env: ACP_AUTH_PROTOCOL] [default: auto]' -r -f -a "auto\t''
1\t''
2\t''"
complete -c acp-auth -n "__fish_acp_auth_using_subcommand completions" -l config -d 'Configuration file [env: ACP_AUTH_CONFIG]' -r -F
complete -c acp-auth -n "__fish_acp_auth_using_subcommand completions" -l cwd -d 'Working directory of the agent' -r -f -a "(__fish_complete_directories)"
complete -c acp-auth -n "__fish_acp_auth_using_subcommand completions" -l env -d 'Environment variable for the agent; without a value it must be set already' -r
complete -c acp-auth -n "__fish_acp_auth_using_subcommand completions" -l trace -d 'Write every message to FILE, without secrets and account details [env: ACP_AUTH_TRACE]' -r -F
complete -c acp-auth -n "__fish_acp_auth_using_subcommand completions" -l color -d 'When to use colours' -r -f -a "auto\t''
always\t''
never\t''"
complete -c acp-auth -n "__fish_acp_auth_using_subcommand completions" -l json -d 'Print one JSON document on stdout, whatever happens'
complete -c acp-auth -n "__fish_acp_auth_using_subcommand completions" -l show-accounts -d 'Show account details in CI too'
complete -c acp-auth -n "__fish_acp_auth_using_subcommand completions" -s q -l quiet -d 'Print nothing but errors; the exit code answers'
complete -c acp-auth -n "__fish_acp_auth_using_subcommand completions" -s v -l verbose -d 'Print more: what is started, the methods one by one; twice: the agent\'s stderr too'
complete -c acp-auth -n "__fish_acp_auth_using_subcommand completions" -s h -l help -d 'Print help'
complete -c acp-auth -n "__fish_acp_auth_using_subcommand completions" -s V -l version -d 'Print version'
complete -c acp-auth -n "__fish_acp_auth_using_subcommand schema" -l timeout -d 'Longest wait for one answer [env: ACP_AUTH_TIMEOUT] [default: 30s]' -r
complete -c acp-auth -n "__fish_acp_auth_using_subcommand schema" -l start-timeout -d 'Longest start while the agent\'s stderr shows progress [env: ACP_AUTH_START_TIMEOUT] [default: 2m]' -r
complete -c acp-auth -n "__fish_acp_auth_using_subcommand schema" -l login-timeout -d 'Longest login [env: ACP_AUTH_LOGIN_TIMEOUT] [default: none at a terminal, else 15m]' -r
complete -c acp-auth -n "__fish_acp_auth_using_subcommand schema" -l push-timeout -d 'Longest wait for a state that the agent says it pushes [env: ACP_AUTH_PUSH_TIMEOUT] [default: 5s]' -r
complete -c acp-auth -n "__fish_acp_auth_using_subcommand schema" -l protocol -d 'ACP version to ask for [env: ACP_AUTH_PROTOCOL] [default: auto]' -r -f -a "auto\t''
1\t''
2\t''"
complete -c acp-auth -n "__fish_acp_auth_using_subcommand schema" -l config -d 'Configuration file [env: ACP_AUTH_CONFIG]' -r -F
complete -c acp-auth -n "__fish_acp_auth_using_subcommand schema" -l cwd -d 'Working directory of the agent' -r -f -a "(__fish_complete_directories)"
complete -c acp-auth -n "__fish_acp_auth_using_subcommand schema" -l env -d 'Environment variable for the agent; without a value it must be set already' -r
complete -c acp-auth -n "__fish_acp_auth_using_subcommand schema" -l trace -d 'Write every message to FILE, without secrets and account details [env: ACP_AUTH_TRACE]' -r -F
complete -c acp-auth -n "__fish_acp_auth_using_subcommand schema" -l color -d 'When to use colours' -r -f -a "auto\t''
always\t''
never\t''"
complete -c acp-auth -n "__fish_acp_auth_using_subcommand schema" -l json -d 'Print one JSON document on stdout, whatever happens'
complete -c acp-auth -n "__fish_acp_auth_using_subcommand schema" -l show-accounts -d 'Show account details in CI too'
complete -c acp-auth -n "__fish_acp_auth_using_subcommand schema" -s q -l quiet -d 'Print nothing but errors; the exit code answers'
complete -c acp-auth -n "__fish_acp_auth_using_subcommand schema" -s v -l verbose -d 'Print more: what is started, the methods one by one; twice: the agent\'s stderr too'
complete -c acp-auth -n "__fish_acp_auth_using_subcommand schema" -s h -l help -d 'Print help'
complete -c acp-auth -n "__fish_acp_auth_using_subcommand schema" -s V -l version -d 'Print version'
complete -c acp-auth -n "__fish_acp_auth_using_subcommand demo-agent" -l timeout -d 'Longest wait for one answer [env: ACP_AUTH_TIMEOUT] [default: 30s]' -r
complete -c acp-auth -n "__fish_acp_auth_using_subcommand demo-agent" -l start-timeout -d 'Longest start while the agent\'s stderr shows progress [env: ACP_AUTH_START_TIMEOUT] [default: 2m]' -r
complete -c acp-auth -n "__fish_acp_auth_using_subcommand demo-agent" -l login-timeout -d 'Longest login [env: ACP_AUTH_LOGIN_TIMEOUT] [default: none at a terminal, else 15m]' -r
complete -c acp-auth -n "__fish_acp_auth_using_subcommand demo-agent" -l push-timeout -d 'Longest wait for a state that the agent says it pushes [env: ACP_AUTH_PUSH_TIMEOUT] [default: 5s]' -r
complete -c acp-auth -n "__fish_acp_auth_using_subcommand demo-agent" -l protocol -d 'ACP version to ask for [env: ACP_AUTH_PROTOCOL] [default: auto]' -r -f -a "auto\t''
1\t''
2\t''"
complete -c acp-auth -n "__fish_acp_auth_using_subcommand demo-agent" -l config -d 'Configuration file [env: ACP_AUTH_CONFIG]' -r -F
complete -c acp-auth -n "__fish_acp_auth_using_subcommand demo-agent" -l cwd -d 'Working directory of the agent' -r -f -a "(__fish_complete_directories)"
complete -c acp-auth -n "__fish_acp_auth_using_subcommand demo-agent" -l env -d 'Environment variable for the agent; without a value it must be set already' -r
complete -c acp-auth -n "__fish_acp_auth_using_subcommand demo-agent" -l trace -d 'Write every message to FILE, without secrets and account details [env: ACP_AUTH_TRACE]' -r -F
complete -c acp-auth -n "__fish_acp_auth_using_subcommand demo-agent" -l color -d 'When to use colours' -r -f -a "auto\t''
always\t''
never\t''"
complete -c acp-auth -n "__fish_acp_auth_using_subcommand demo-agent" -l login -d 'Sign in on this terminal and end'
complete -c acp-auth -n "__fish_acp_auth_using_subcommand demo-agent" -l json -d 'Print one JSON document on stdout, whatever happens'
complete -c acp-auth -n "__fish_acp_auth_using_subcommand demo-agent" -l show-accounts -d 'Show account details in CI too'
complete -c acp-auth -n "__fish_acp_auth_using_subcommand demo-agent" -s q -l quiet -d 'Print nothing but errors; the exit code answers'
complete -c acp-auth -n "__fish_acp_auth_using_subcommand demo-agent" -s v -l verbose -d 'Print more: what is started, the methods one by one; twice: the agent\'s stderr too'
complete -c acp-auth -n "__fish_acp_auth_using_subcommand demo-agent" -s h -l help -d 'Print help'
complete -c acp-auth -n "__fish_acp_auth_using_subcommand demo-agent" -s V -l version -d 'Print version'
complete -c acp-auth -n "__fish_acp_auth_using_subcommand help; and not __fish_seen_subcommand_from status login logout completions schema demo-agent help" -f -a "status" -d 'Say whether you are signed in at agents, and as whom'
complete -c acp-auth -n "__fish_acp_auth_using_subcommand help; and not __fish_seen_subcommand_from status login logout completions schema demo-agent help" -f -a "login" -d 'Sign in at an agent'
complete -c acp-auth -n "__fish_acp_auth_using_subcommand help; and not __fish_seen_subcommand_from status login logout completions schema demo-agent help" -f -a "logout" -d 'Sign out of an agent'
complete -c acp-auth -n "__fish_acp_auth_using_subcommand help; and not __fish_seen_subcommand_from status login logout completions schema demo-agent help" -f -a "completions" -d 'Print a completion script for a shell'
complete -c acp-auth -n "__fish_acp_auth_using_subcommand help; and not __fish_seen_subcommand_from status login logout completions schema demo-agent help" -f -a "schema" -d 'Print the JSON Schema of what --json prints'
complete -c acp-auth -n "__fish_acp_auth_using_subcommand help; and not __fish_seen_subcommand_from status login logout completions schema demo-agent help" -f -a "demo-agent" -d 'Run the built-in agent'
complete -c acp-auth -n "__fish_acp_auth_using_subcommand help; and not __fish_seen_subcommand_from status login logout completions schema demo-agent help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
