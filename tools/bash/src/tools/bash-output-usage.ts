/** The long guidance for `bash_output`. */
export const bashOutputUsage = `bash_output: reads the output of a command

Primary purpose
Reads the output of a background command, or the part of an output that bash cut.

Rules
- Use it with an id from bash: to follow a background command, or to read cut output. Do not use it to run commands.
- Only commands of the same session can be read.
- To follow a command, pass next_offset of the last result as offset; with wait the call returns as soon as there is more.
- For very long outputs only the start and the end are kept; missing_bytes is the size of the lost middle.
- The outputs of ended commands are kept until others need the space.

Arguments
- id (string, required): the id from bash.
- stream (string, stdout or stderr, default stdout): which of the two.
- offset (integer, default 0): start, in bytes of the stream.
- limit (integer, default 50000, at most 100000): most bytes to return.
- wait (number, default 0, at most 60): seconds to wait for more output after offset.

The result has status (running, exited, stopped, timed_out, too_much_output, not_started), returncode (null unless exited), content, offset, next_offset and total_bytes.

Error codes
- INVALID_ARGUMENTS: no id, or a number out of range.
- JOB_NOT_FOUND: no command of this session has that id. bash_list shows the ids.

Good usage
- {"id":"cmd_1f2e3d4c5b6a","wait":10}
- {"id":"cmd_1f2e3d4c5b6a","offset":50000}

Bad usage
- Calling it again and again without wait: it wastes calls.`;
