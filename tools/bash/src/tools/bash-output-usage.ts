/** The long guidance for `bash_output`. */
export const bashOutputUsage = `bash_output: reads the output of a command

Primary purpose
Reads what a background command printed so far, or the part of an output that bash left out of its answer.

Rules
- Use it with an id that bash gave: to follow a background command, or to read what was cut. Do not use it to run anything.
- Only commands of the same session can be read.
- To follow a command, pass next_offset of the last answer as offset; with wait the call comes back as soon as there is more.
- Of very long outputs only the start and the end are kept. Where the middle is gone, missing_bytes tells how much.
- Ended commands are kept until others need the room.

Arguments
- id (string, required): the id that bash gave.
- stream (string, stdout or stderr, default stdout): which of the two.
- offset (integer, default 0): where to begin, in bytes of the stream.
- limit (integer, default 50000, at most 100000): most bytes to give.
- wait (number, default 0, at most 60): seconds to wait for more while there is nothing behind offset.

The answer has status (running, exited, stopped, timed_out, too_much_output, not_started), returncode (null unless exited), content, offset, next_offset and total_bytes.

Error codes
- INVALID_ARGUMENTS: no id, or a number out of range.
- JOB_NOT_FOUND: no command of this session has that id. bash_list tells which there are.

Good usage
- {"id":"cmd_1f2e3d4c5b6a","wait":10}
- {"id":"cmd_1f2e3d4c5b6a","offset":50000}

Bad usage
- Calling it again and again without wait: it only costs turns.`;
