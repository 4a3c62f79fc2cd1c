/** The long guidance for `bash_stop`. */
export const bashStopUsage = `bash_stop: ends a background command

Primary purpose
Ends a background command of bash, with all its processes.

Rules
- Use it when a background command is no longer needed. Do not use it on programs that bash did not start.
- The command gets SIGTERM, and SIGKILL half a second later.
- For a command that has ended, nothing happens.
- Its output stays readable with bash_output.

Arguments
- id (string, required): the id from bash.

The result has id, status and returncode (null unless it ended by itself).

Error codes
- INVALID_ARGUMENTS: no id.
- JOB_NOT_FOUND: no command of this session has that id. bash_list shows the ids.

Good usage
- {"id":"cmd_1f2e3d4c5b6a"}

Bad usage
- To end programs that bash did not start.`;
