/** The usage text of `read_file`, long guidance for a model about when and how to call the tool. */
export const readFileUsage = `read_file: reads a file, or a page of it

Primary purpose
Shows text with numbered lines, images, the type and size of other binaries, or a folder's entries.

Rules
- Use it when the path is known. Do not use it to search: glob finds files, grep finds text.
- Read a file before you edit it: edits must match exactly, and changes by others are then detected.
- It changes nothing and is quick. It returns at most limit lines. next_offset, if present, starts the next page.
- A line is its number, a tab, and the text: only the text is in the file. A long line ends with how to read its rest.

Arguments
- file_path (string, required): ~ is a plain name.
- offset (integer, optional)
- limit (integer, optional)
- column (integer, optional)

Error codes
- NOT_FOUND: the message names a similar file, if any.
- NOT_A_FILE: a pipe, socket or device.
- FILE_TOO_LARGE: find the part with grep.
- ACCESS_DENIED: outside the allowed folders; other spellings do not help.
- INVALID_PATH, MENTION_UNAVAILABLE, OS_ERROR, INVALID_ARGUMENTS: see the message.

Good usage
- {"file_path":"build.log","offset":2001} after next_offset 2001

Bad usage
- {"file_path":"src/*.ts"}: not a path; use glob.`;
