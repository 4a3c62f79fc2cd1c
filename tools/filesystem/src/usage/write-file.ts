/** The long guidance for `write_file`. */
export const writeFileUsage = `write_file: writes a whole file

Primary purpose
Writes a file of the project with exactly this content, as UTF-8. Replaces an existing file, and creates missing folders.

Rules
- Use it for new files and complete rewrites. Do not use it to change a part of a file: use edit_file.
- The old content is lost. Read an existing file first; if it changed since then, the write is refused.
- The write is complete or does not happen. Writing the same content again changes nothing.
- Paths are relative to the working folder, or absolute inside the allowed folders. Nothing is expanded: ~ and $HOME are plain names.

Arguments
- file_path (string, required): the file.
- content (string, required): the whole content; "" makes the file empty.

Error codes
- ACCESS_DENIED: the path leads outside the allowed folders, directly or through a link. The answer is the same for existing and absent paths; do not try other spellings.
- INVALID_PATH: the path is empty, too long, or has an invalid character.
- FILE_CHANGED: the file changed since it was last read. Read it again, then repeat the change.
- NOT_READ: this host requires reading a file in the session before changing it.
- IS_A_DIRECTORY: the path is a folder. NOT_A_DIRECTORY: it is below a file. NOT_A_FILE: it is a pipe, socket or device.
- FILE_TOO_LARGE: the content is larger than the limit.
- ENCODING_UNFIT: the content has half of a character.
- MENTION_UNAVAILABLE: the path is @bundle:path, and the host supports no mentions.
- OS_ERROR: the operating system refused; the message says why.
- INVALID_ARGUMENTS: file_path or content is missing.

Good usage
- {"file_path":"docs/notes.md","content":"# Notes\\n"}

Bad usage
- a whole file of 800 lines to change one of them: use edit_file.
- {"file_path":"notes.md"} without content: pass "" for an empty file.`;
