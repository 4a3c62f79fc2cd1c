/** The usage text of `list_directory`, long guidance for a model about when and how to call the tool. */
export const listDirectoryUsage = `list_directory: lists one folder

Primary purpose
Shows a folder's entries with type and file size, folders first, then by name.

Rules
- Use it to look around in one folder. Do not use it to find files in many: use glob.
- It lists no folders below and follows no links.
- It changes nothing and is quick. next_offset, if present, starts the next page.

Arguments
- path (string, optional)
- offset (integer, optional)
- limit (integer, optional)

Error codes
- NOT_FOUND, NOT_A_DIRECTORY: no such folder.
- ACCESS_DENIED: outside the allowed folders; other spellings do not help.

Good usage
- {"path":"packages","limit":50}

Bad usage
- {"path":"src/**"}: not a path; use glob.`;
