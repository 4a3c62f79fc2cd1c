/** The usage text of `write_file`, long guidance for a model about when and how to call the tool. */
export const writeFileUsage = `write_file: writes a whole file

Primary purpose
Writes a file: UTF-8, or in the encoding, with the mark and line ends of the file it replaces. Creates missing folders.

Rules
- Use it for new files and complete rewrites. Do not use it to change a part: use edit_file.
- The old content is lost: read an existing file first.
- The write is complete or does not happen. Writing the same content again changes nothing.

Arguments
- file_path (string, required)
- content (string, required): may be "".

Error codes
- FILE_CHANGED, NOT_READ: read the file again.
- ACCESS_DENIED: outside the allowed folders; other spellings do not help.
- FILE_TOO_LARGE, ENCODING_UNFIT, others: see the message.

Good usage
- {"file_path":"notes.md","content":"# Notes\\n"}

Bad usage
- a whole file to change one line: use edit_file.`;
