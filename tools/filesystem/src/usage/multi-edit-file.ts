/** The usage text of `multi_edit_file`, long guidance for a model about when and how to call the tool. */
export const multiEditFileUsage = `multi_edit_file: several replacements in a file, all or none

Primary purpose
Makes several exact replacements in one file.

Rules
- Use it for several changes of one file. Do not use it for a single one: use edit_file.
- They run in order: each must find its text in the result of the earlier ones, by the rules of edit_file.
- When one fails, the file stays unchanged.

Arguments
- file_path (string, required)
- edits (array, required): 1 to 200.

Error codes
- TEXT_NOT_FOUND, TEXT_NOT_UNIQUE: details.edit is the number of the edit, from 1.
- FILE_CHANGED, NOT_READ: read the file again.
- ACCESS_DENIED: outside the allowed folders; other spellings do not help.
- FILE_TOO_LARGE, ENCODING_UNFIT, others: see the message.

Good usage
- {"file_path":"a.ts","edits":[{"old_string":"foo(","new_string":"bar(","replace_all":true}]}

Bad usage
- an edit of text that an earlier one replaced.`;
