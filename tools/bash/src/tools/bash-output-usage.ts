export const bashOutputUsage = `bash_output: reads the output of a command

Primary purpose
Reads output of a background command, or what bash cut.

Rules
- Use it with an id from bash. Do not use it to run commands.
- To follow a command, pass the last next_offset as offset, with wait.
- Of very long outputs only the start and the end are kept.
- Outputs of ended commands are kept until others need the space.

Arguments
- id (string, required)
- stream (string, optional)
- offset (integer, optional)
- limit (integer, optional)
- wait (number, optional)

Error codes
- JOB_NOT_FOUND: bash_list shows the ids.

Good usage
- {"id":"cmd_1f2e","wait":10}

Bad usage
- Calling it often without wait.`;
