/** The long guidance for `write_file`. */
export const writeFileUsage = `write_file: writes a whole file

Primary purpose
Puts a file of the project in place with exactly the content given, new or over what was there, as UTF-8. Missing folders are made.

Rules
- Use it for new files and complete rewrites. Do not use it to change a part of a file: edit_file says less and risks less.
- What the file held before is gone. Read an existing file first; when somebody changed it since, the write is refused.
- A file is written whole or not at all. Writing the same content again leaves the same file.
- Paths are relative to the working folder, or absolute inside the allowed folders. Nothing in them is expanded: ~ and $HOME are plain names.

Arguments
- file_path (string, required): the file.
- content (string, required): all that the file is to hold; "" makes it empty.

Error codes
- ACCESS_DENIED: the path leads outside the allowed folders, also by a link. It is said of what exists and of what does not; do not try other spellings.
- INVALID_PATH: the path is empty, too long, or holds a character no path may have.
- FILE_CHANGED: somebody changed the file since it was last read. Read it again, then repeat the change.
- NOT_READ: where a host asks for it, a file must be read in the session before it is changed.
- IS_A_DIRECTORY: the path is a folder. NOT_A_DIRECTORY: it is below a file. NOT_A_FILE: it is a pipe, socket or device.
- FILE_TOO_LARGE: the content is larger than the host lets a file be.
- ENCODING_UNFIT: the content has half of a character, which no file can hold.
- MENTION_UNAVAILABLE: @bundle:path was used and the host knows no mentions.
- OS_ERROR: the system refused, for instance for want of permission or space; the message says why.
- INVALID_ARGUMENTS: file_path or content is missing.

Good usage
- {"file_path":"docs/notes.md","content":"# Notes\\n"}

Bad usage
- a whole file of 800 lines to change one of them: use edit_file.
- {"file_path":"notes.md"} without content: say "" when the file is to be empty.`;
