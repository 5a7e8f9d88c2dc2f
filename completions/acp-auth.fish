complete --keep-order --exclusive --command acp-auth --arguments "(_ACP_AUTH_COMPLETE=fish acp-auth -- (commandline --current-process --tokenize --cut-at-cursor) (commandline --current-token))"
