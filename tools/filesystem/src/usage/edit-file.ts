/** The usage text of `edit_file`, long guidance for a model about when and how to call the tool. */
export const editFileUsage = `edit_file: replaces text in a file

Primary purpose
Replaces one exact text; encoding, line ends and permissions stay.

Rules
- Use it to change a part of a file that you have read. For several changes use multi_edit_file; for a new file write_file.
- The change is complete or does not happen. The same edit cannot succeed twice.

Arguments
- file_path (string, required)
- old_string (string, required): plain text, exactly as in the file, without line numbers of read_file; once in the file: add lines around it.
- new_string (string, required)
- replace_all (boolean, optional)

Error codes
- TEXT_NOT_FOUND: details has the nearest text, and in what it differs.
- TEXT_NOT_UNIQUE: details.occurrences has the number.
- FILE_CHANGED, NOT_READ: read the file again.
- NOT_FOUND, IS_A_DIRECTORY, NOT_A_FILE, NOT_TEXT: no such text file.
- ACCESS_DENIED: outside the allowed folders; other spellings do not help.
- FILE_TOO_LARGE, ENCODING_UNFIT, others: see the message.

Good usage
- {"file_path":"a.ts","old_string":"port = 80;","new_string":"port = 8080;"}

Bad usage
- {"file_path":"a.ts","old_string":"}","new_string":"};"}: not unique.`;
