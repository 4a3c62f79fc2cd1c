/** The long guidance for `bash`. */
export const bashUsage = `bash: runs a shell command

Primary purpose
Runs one command line with bash in the project's working folder, and gives what it printed and its return code. For builds, tests, version control and other programs.

Rules
- Use the file tools to read, write, edit and search files; use bash for everything that needs a program.
- Each call is a new shell: folder and variables do not carry over. Join steps with && or write cd folder && command.
- There is no terminal and no input: programs that ask something get the end of file. Pass options such as --yes instead.
- A return code other than 0 is an answer, not an error of the tool: read stderr.
- Write commands out plainly. A command whose parts are only put together when it runs, such as $(...) as a command's name, is asked about. So are inline programs (python -c, node -e), wrappers with unusual options, and writing outside the working folder.
- Processes that a command leaves behind with & are ended with it. Use run_in_background for servers and watchers.
- Long output is cut in the middle: the start and the end are shown, and bash_output reads the rest. Prefer to print less, with head, tail, grep or a file.

Arguments
- command (string, required): as bash reads it. It runs byte for byte as given; characters that nobody sees are refused.
- timeout (integer, optional): seconds it may run. Left out, the setting holds (30 seconds unless the plan says otherwise).
- run_in_background (boolean, default false): start it, answer at once with id and pid. Without timeout it then runs until it ends or is stopped.

The answer has stdout, stderr and returncode; where something was cut also truncated, the total bytes, and an id for bash_output.

Error codes
- INVALID_ARGUMENTS: no command, or an argument of the wrong kind.
- COMMAND_DENIED: the policy refuses it; the message says why and how to go on. Do not try to get round it.
- COMMAND_TIMED_OUT: it ran too long and was ended; details have what it had printed. Give a longer timeout, or run it in the background.
- COMMAND_CANCELLED: the caller gave up, and the command was ended.
- CONCURRENCY_LIMIT: too many commands run already. Wait, or stop one.
- OUTPUT_LIMIT: it printed without end and was ended. Redirect to a file.
- SHELL_UNAVAILABLE: bash could not be started.
- ISOLATION_UNAVAILABLE: the plan asks for a sandbox that does not work here. Nothing ran.

Good usage
- {"command":"npm test -- --reporter=dot","timeout":300}
- {"command":"git status --short && git diff --stat"}
- {"command":"npm run dev","run_in_background":true}

Bad usage
- {"command":"cat src/main.ts"}: read_file numbers the lines and pages.
- {"command":"npm run dev"}: a server never ends; run it in the background.
- {"command":"vim notes.txt"}: there is no terminal.`;
