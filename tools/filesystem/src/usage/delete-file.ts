/** The long guidance for `delete_file`. */
export const deleteFileUsage = `delete_file: deletes a file or folder permanently

Primary purpose
Deletes a file, a folder or a link of the project permanently, after a person approved.

Rules
- Use it only when the user asked to delete. Do not use it before writing a new file: write_file and move_file replace files.
- A person is asked first, so use it sparingly, and once for a folder rather than for each file in it.
- A folder that is not empty needs recursive true. For a link, only the link is deleted.
- It cannot be undone. A second delete finds nothing.
- Paths are relative to the working folder, or absolute inside the allowed folders. Nothing is expanded: ~ and $HOME are plain names.

Arguments
- path (string, required): what to delete.
- recursive (boolean, optional): deletes a folder with its content; false by default.

Error codes
- NOT_FOUND: the path does not exist.
- DIRECTORY_NOT_EMPTY: the folder has entries, and recursive is not true.
- ACCESS_DENIED: the path leads outside the allowed folders, directly or through a link. The answer is the same for existing and absent paths; do not try other spellings.
- INVALID_PATH: the path is empty, too long, or has an invalid character.
- MENTION_UNAVAILABLE: the path is @bundle:path, and the host supports no mentions.
- OS_ERROR: the operating system refused; the message says why.
- DENIED: the person refused, or no person could be asked. Do not try another way.
- INVALID_ARGUMENTS: path is missing.

Good usage
- {"path":"build","recursive":true} when the user asked to clear the build

Bad usage
- {"path":".","recursive":true}: an allowed folder itself is never deleted.
- deleting a file and writing it again: write_file replaces it.`;
