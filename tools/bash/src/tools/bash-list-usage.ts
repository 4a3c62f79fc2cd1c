/** The long guidance for `bash_list`. */
export const bashListUsage = `bash_list: lists background commands

Primary purpose
Tells which commands of this session were started in the background, whether they still run, and how much they printed.

Rules
- Use it when an id was lost, or before starting something that may already run.
- It changes nothing. Commands of other sessions are not shown.

Arguments
- none.

The answer has jobs, each with id, pid, command (its first 200 characters), status, returncode, started_at, stdout_bytes and stderr_bytes.

Error codes
- INVALID_ARGUMENTS: an argument was given; it takes none.

Good usage
- {}

Bad usage
- Calling it to wait for a command: bash_output with wait does that.`;
