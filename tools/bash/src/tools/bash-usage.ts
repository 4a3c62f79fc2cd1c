export const bashUsage = `bash: runs a shell command

Primary purpose
Runs one command line in the working folder.

Rules
- Use the file tools for files, not cat, sed or find.
- Each call is a new shell: folder and variables are not kept. Join steps with &&.
- There is no terminal and no input: pass options such as --yes.
- A return code other than 0 is a result: read stderr.
- A person is asked about computed command names, inline programs (python -c), unknown commands, and writing outside the folder.
- Use run_in_background for servers: what & starts ends with the command.
- Long output is cut in the middle; bash_output reads the rest.

Arguments
- command (string, required)
- timeout (integer, optional): seconds.
- run_in_background (boolean, optional)

Error codes
- COMMAND_DENIED: the message says what to do instead. Do not bypass it.
- COMMAND_TIMED_OUT: pass timeout, or run_in_background.
- CONCURRENCY_LIMIT, OUTPUT_LIMIT, PROCESS_LIMIT, COMMAND_CANCELLED, SHELL_UNAVAILABLE, ISOLATION_UNAVAILABLE, others: see the message.

Good usage
- {"command":"npm run dev","run_in_background":true}

Bad usage
- {"command":"vim a.txt"}: no terminal.`;
