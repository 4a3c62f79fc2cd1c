/** The long guidance for `multi_edit_file`. */
export const multiEditFileUsage = `multi_edit_file: several replacements in a file, all or none

Primary purpose
Makes several exact replacements in one file of the project in one step: all of them, or none.

Rules
- Use it when one file needs more than one change. For a single change use edit_file; for several files, one call each.
- Do not use it with text you have not seen.
- The replacements are made one after the other: each must find its text in what the ones before it left.
- Each follows the rules of edit_file: exact, unique unless replace_all is true, without line numbers, no pattern.
- When one of them cannot be made, the file stays as it was, and the error says which one, counted from 1.
- Paths are relative to the working folder, or absolute inside the allowed folders. Nothing in them is expanded: ~ and $HOME are plain names.

Arguments
- file_path (string, required): the file.
- edits (array, required): 1 to 200 objects, each with old_string, new_string and, optionally, replace_all.

Error codes
- TEXT_NOT_FOUND, TEXT_NOT_UNIQUE: one replacement could not be made; details.edit tells which, counted from 1.
- FILE_CHANGED: somebody changed the file since it was last read. Read it again, then repeat the change.
- NOT_READ: where a host asks for it, a file must be read in the session before it is changed.
- NOT_FOUND, IS_A_DIRECTORY, NOT_A_FILE, NOT_TEXT: there is no such file, or none that holds text.
- ACCESS_DENIED: the path leads outside the allowed folders, also by a link. It is said of what exists and of what does not; do not try other spellings.
- INVALID_PATH: the path is empty, too long, or holds a character no path may have.
- FILE_TOO_LARGE: the file is, or would be, larger than the host lets it be.
- ENCODING_UNFIT: the file's encoding has no such character.
- MENTION_UNAVAILABLE: @bundle:path was used and the host knows no mentions.
- OS_ERROR: the system refused, for instance for want of permission or space; the message says why.
- INVALID_ARGUMENTS: edits is missing or empty, or an edit lacks a string or has the same one twice.

Good usage
- {"file_path":"a.ts","edits":[{"old_string":"foo(","new_string":"bar(","replace_all":true},{"old_string":"// old","new_string":"// new"}]}

Bad usage
- {"file_path":"a.ts","edits":[]}: nothing to do.
- an edit that looks for text which an earlier edit of the same call has replaced.`;
