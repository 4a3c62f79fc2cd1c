/** The long guidance for `edit_file`. */
export const editFileUsage = `edit_file: replaces text in a file

Primary purpose
Replaces one exact text in a file of the project. The rest, the encoding, line ends and permissions stay the same.

Rules
- Use it to change a part of a file that you have read. For several changes of one file use multi_edit_file; for a new file write_file.
- Do not use it on binaries, nor with text you have not seen.
- old_string must be in the file exactly as given, with all spaces, and exactly once unless replace_all is true. Add lines around it to make it unique.
- Omit the line numbers of read_file. It is plain text, not a pattern. Line ends follow the file.
- The change is complete or does not happen. The same edit cannot succeed twice: its text is gone.
- Paths are relative to the working folder, or absolute inside the allowed folders. Nothing is expanded: ~ and $HOME are plain names.

Arguments
- file_path (string, required): the file.
- old_string (string, required): text to replace; not empty.
- new_string (string, required): the new text, different from old_string; "" deletes the old text.
- replace_all (boolean, optional): replaces every occurrence; false by default.

Error codes
- TEXT_NOT_FOUND: old_string is not in the file. Read the part again and copy it exactly.
- TEXT_NOT_UNIQUE: it occurs more than once; details.occurrences has the number.
- FILE_CHANGED: the file changed since it was last read. Read it again, then repeat the change.
- NOT_READ: this host requires reading a file in the session before changing it.
- NOT_FOUND, IS_A_DIRECTORY, NOT_A_FILE, NOT_TEXT: the file does not exist, or is not a text file.
- ACCESS_DENIED: the path leads outside the allowed folders, directly or through a link. The answer is the same for existing and absent paths; do not try other spellings.
- INVALID_PATH: the path is empty, too long, or has an invalid character.
- FILE_TOO_LARGE: the file is, or would become, larger than the limit.
- ENCODING_UNFIT: the file's encoding has no such character.
- MENTION_UNAVAILABLE: the path is @bundle:path, and the host supports no mentions.
- OS_ERROR: the operating system refused; the message says why.
- INVALID_ARGUMENTS: an argument is missing, or both strings are the same.

Good usage
- {"file_path":"src/port.ts","old_string":"const port = 80;","new_string":"const port = 8080;"}

Bad usage
- {"file_path":"a.ts","old_string":"    12\\tconst a","new_string":"const b"}: the line number is not part of the file.
- {"file_path":"a.ts","old_string":"}","new_string":"};"}: not unique.`;
