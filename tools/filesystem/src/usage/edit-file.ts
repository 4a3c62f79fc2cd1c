/** The long guidance for `edit_file`. */
export const editFileUsage = `edit_file: replaces text in a file

Primary purpose
Replaces one exact text by another in a file of the project, and leaves the rest as it is: encoding, line ends and permissions too.

Rules
- Use it to change a part of a file that you have read. For several changes of one file use multi_edit_file; for a new file write_file.
- Do not use it on binaries, nor with text you have not seen.
- old_string must be in the file exactly as given, blanks included, and exactly once unless replace_all is true. Add lines around it to make it unique.
- Leave the line numbers of read_file out. It is plain text, no pattern. Line ends are taken as the file has them.
- The file is changed whole or not at all. An edit that was made cannot be made again: its text is gone.
- Paths are relative to the working folder, or absolute inside the allowed folders. Nothing in them is expanded: ~ and $HOME are plain names.

Arguments
- file_path (string, required): the file.
- old_string (string, required): text to replace; not empty.
- new_string (string, required): text to put in its place, other than old_string; "" takes it out.
- replace_all (boolean, optional): replaces every occurrence; false when left out.

Error codes
- TEXT_NOT_FOUND: old_string is not in the file. Read the part again and copy it exactly.
- TEXT_NOT_UNIQUE: it is there more than once; details.occurrences tells how often.
- FILE_CHANGED: somebody changed the file since it was last read. Read it again, then repeat the change.
- NOT_READ: where a host asks for it, a file must be read in the session before it is changed.
- NOT_FOUND, IS_A_DIRECTORY, NOT_A_FILE, NOT_TEXT: there is no such file, or none that holds text.
- ACCESS_DENIED: the path leads outside the allowed folders, also by a link. It is said of what exists and of what does not; do not try other spellings.
- INVALID_PATH: the path is empty, too long, or holds a character no path may have.
- FILE_TOO_LARGE: the file is, or would be, larger than the host lets it be.
- ENCODING_UNFIT: the file's encoding has no such character.
- MENTION_UNAVAILABLE: @bundle:path was used and the host knows no mentions.
- OS_ERROR: the system refused, for instance for want of permission or space; the message says why.
- INVALID_ARGUMENTS: an argument is missing, or both strings are the same.

Good usage
- {"file_path":"src/port.ts","old_string":"const port = 80;","new_string":"const port = 8080;"}

Bad usage
- {"file_path":"a.ts","old_string":"    12\\tconst a","new_string":"const b"}: the line number is no part of the file.
- {"file_path":"a.ts","old_string":"}","new_string":"};"}: not unique.`;
