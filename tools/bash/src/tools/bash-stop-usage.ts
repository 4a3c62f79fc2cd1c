export const bashStopUsage = `bash_stop: ends a background command

Primary purpose
Ends a background command, with all its processes.

Rules
- Use it when a command is no longer needed.
- For a command that has ended, nothing happens. The output stays readable.

Arguments
- id (string, required)

Error codes
- JOB_NOT_FOUND: bash_list shows the ids.

Good usage
- {"id":"cmd_1f2e"}

Bad usage
- Programs that bash did not start.`;
