export const bashListUsage = `bash_list: lists background commands

Primary purpose
Lists those of this session.

Rules
- Use it when an id is lost, or a command may already run.
- It changes nothing.

Arguments
- none.

Error codes
- INVALID_ARGUMENTS: it takes no arguments.

Good usage
- {}

Bad usage
- To wait for a command: use bash_output, not this.`;
