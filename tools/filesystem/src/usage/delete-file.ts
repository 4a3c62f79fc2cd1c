/** The usage text of `delete_file`, long guidance for a model about when and how to call the tool. */
export const deleteFileUsage = `delete_file: deletes a file or folder permanently

Primary purpose
Deletes a file, folder or link, after a person approved.

Rules
- Use it only when the user asked to delete. Do not use it before writing: write_file and move_file replace files.
- It cannot be undone by you, only by a person: use it sparingly. Of a link, only the link is deleted.

Arguments
- path (string, required): relative to the working folder, or absolute.
- recursive (boolean, optional): needed for a folder with entries.

Error codes
- NOT_FOUND, DIRECTORY_NOT_EMPTY: see the message.
- ACCESS_DENIED: outside the allowed folders; other spellings do not help.
- DENIED: no person approved. Do not try another way.

Good usage
- {"path":"build","recursive":true}

Bad usage
- {"path":"."}: an allowed folder itself is never deleted.`;
