/** The long guidance for `multi_edit_file`. */
export const multiEditFileUsage = `multi_edit_file: several replacements in a file, all or none

Primary purpose
Makes several exact replacements in one file of the project: all of them or none.

Rules
- Use it when one file needs more than one change. For a single change use edit_file; for several files, one call each.
- Do not use it with text you have not seen.
- The replacements run in order: each must find its text in the result of the earlier ones.
- Each follows the rules of edit_file: exact, unique unless replace_all is true, without line numbers, no pattern.
- When one of them fails, the file stays unchanged, and the error names it, counted from 1.
- Paths are relative to the working folder, or absolute inside the allowed folders. Nothing is expanded: ~ and $HOME are plain names.

Arguments
- file_path (string, required): the file.
- edits (array, required): 1 to 200 objects, each with old_string, new_string and, optionally, replace_all.

Error codes
- TEXT_NOT_FOUND, TEXT_NOT_UNIQUE: one replacement failed; details.edit is its number, counted from 1.
- FILE_CHANGED: the file changed since it was last read. Read it again, then repeat the change.
- NOT_READ: this host requires reading a file in the session before changing it.
- NOT_FOUND, IS_A_DIRECTORY, NOT_A_FILE, NOT_TEXT: the file does not exist, or is not a text file.
- ACCESS_DENIED: the path leads outside the allowed folders, directly or through a link. The answer is the same for existing and absent paths; do not try other spellings.
- INVALID_PATH: the path is empty, too long, or has an invalid character.
- FILE_TOO_LARGE: the file is, or would become, larger than the limit.
- ENCODING_UNFIT: the file's encoding has no such character.
- MENTION_UNAVAILABLE: the path is @bundle:path, and the host supports no mentions.
- OS_ERROR: the operating system refused; the message says why.
- INVALID_ARGUMENTS: edits is missing or empty, or an edit lacks a string or has the same one twice.

Good usage
- {"file_path":"a.ts","edits":[{"old_string":"foo(","new_string":"bar(","replace_all":true},{"old_string":"// old","new_string":"// new"}]}

Bad usage
- {"file_path":"a.ts","edits":[]}: nothing to do.
- an edit that looks for text which an earlier edit of the same call has replaced.`;
