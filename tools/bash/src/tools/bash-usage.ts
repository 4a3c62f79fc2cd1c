/** The long guidance for `bash`. */
export const bashUsage = `bash: runs a shell command

Primary purpose
Runs one command line with bash in the project's working folder, and returns its output and return code. For builds, tests, version control and other programs.

Rules
- Use the file tools to read, write, edit and search files; use bash for everything that needs a program.
- Each call is a new shell: folder and variables are not kept. Join steps with && or write cd folder && command.
- There is no terminal and no input: programs that ask a question read end of file. Pass options such as --yes instead.
- A return code other than 0 is a result, not an error of the tool: read stderr.
- Write commands plainly. A person is asked about computed command names such as $(...), inline programs (python -c, node -e), unknown commands and options, and writing outside the working folder.
- Background processes of a command (with &) end with it. Use run_in_background for servers and watchers.
- Long output is cut in the middle; bash_output reads the rest. Print less with head, tail, grep or a file.

Arguments
- command (string, required): as bash reads it. It runs byte for byte as given; invisible characters are refused.
- timeout (integer, optional): seconds it may run; default the plan's setting (usually 30).
- run_in_background (boolean, default false): start it and return id and pid immediately. Without timeout it runs until it ends or is stopped.

The result has stdout, stderr and returncode; for cut output also truncated, the total bytes, and an id for bash_output.

Error codes
- INVALID_ARGUMENTS: no command, or an argument of the wrong kind.
- COMMAND_DENIED: the policy refuses it; the message says why and what to do instead. Do not try to bypass it.
- COMMAND_TIMED_OUT: it ran too long and was ended; details have its output. Pass a longer timeout, or run it in the background.
- COMMAND_CANCELLED: the caller cancelled the call, and the command was ended.
- CONCURRENCY_LIMIT: too many commands are running. Wait, or stop one.
- OUTPUT_LIMIT: it printed too much and was ended. Redirect to a file.
- SHELL_UNAVAILABLE: bash could not be started.
- ISOLATION_UNAVAILABLE: the plan asks for a sandbox that does not work here. Nothing ran.

Good usage
- {"command":"npm test -- --reporter=dot","timeout":300}
- {"command":"git status --short && git diff --stat"}
- {"command":"npm run dev","run_in_background":true}

Bad usage
- {"command":"cat src/main.ts"}: use read_file.
- {"command":"npm run dev"}: a server never ends; run it in the background.
- {"command":"vim notes.txt"}: there is no terminal.`;
