/** The long guidance for `bash_stop`. */
export const bashStopUsage = `bash_stop: ends a background command

Primary purpose
Ends a command that bash started in the background, with everything that it started in turn.

Rules
- Use it when a background command is no longer needed. Do not use it on programs that bash did not start.
- The command is asked to end, and killed half a second later.
- A command that has ended already stays as it was; calling it again is harmless.
- What it printed stays readable with bash_output.

Arguments
- id (string, required): the id that bash gave.

The answer has id, status and returncode (null unless it ended by itself).

Error codes
- INVALID_ARGUMENTS: no id.
- JOB_NOT_FOUND: no command of this session has that id. bash_list tells which there are.

Good usage
- {"id":"cmd_1f2e3d4c5b6a"}

Bad usage
- To end programs that bash did not start.`;
