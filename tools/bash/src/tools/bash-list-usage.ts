/** The long guidance for `bash_list`. */
export const bashListUsage = `bash_list: lists background commands

Primary purpose
Lists the background commands of this session, whether they are running, and how much they printed.

Rules
- Use it when an id is lost, or before starting a command that may already be running.
- It changes nothing. Commands of other sessions are not shown.

Arguments
- none.

The result has jobs, each with id, pid, command (its first 200 characters), status, returncode, started_at, stdout_bytes and stderr_bytes.

Error codes
- INVALID_ARGUMENTS: it takes no arguments.

Good usage
- {}

Bad usage
- Calling it to wait for a command: bash_output with wait does that.`;
