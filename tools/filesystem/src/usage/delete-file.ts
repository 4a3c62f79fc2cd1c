/** The long guidance for `delete_file`. */
export const deleteFileUsage = `delete_file: deletes a file or folder for good

Primary purpose
Deletes a file, a folder or a link of the project for good, after a person agreed.

Rules
- Use it only when deleting was asked for. Do not use it to make room for a new file: write_file and move_file replace one.
- A person is asked first, so use it sparingly, and once for a folder rather than for each file in it.
- A folder that is not empty needs recursive true. Of a link, the link goes; what it leads to stays.
- There is no way back. Deleting again finds nothing.
- Paths are relative to the working folder, or absolute inside the allowed folders. Nothing in them is expanded: ~ and $HOME are plain names.

Arguments
- path (string, required): what to delete.
- recursive (boolean, optional): deletes a folder with all that is in it; false when left out.

Error codes
- NOT_FOUND: there is nothing of that name.
- DIRECTORY_NOT_EMPTY: the folder holds something, and recursive is not true.
- ACCESS_DENIED: the path leads outside the allowed folders, also by a link. It is said of what exists and of what does not; do not try other spellings.
- INVALID_PATH: the path is empty, too long, or holds a character no path may have.
- MENTION_UNAVAILABLE: @bundle:path was used and the host knows no mentions.
- OS_ERROR: the system refused, for instance for want of permission or space; the message says why.
- DENIED: the person said no, or nobody could be asked. Do not try again another way.
- INVALID_ARGUMENTS: path is missing.

Good usage
- {"path":"build","recursive":true} when the user asked to clear the build

Bad usage
- {"path":".","recursive":true}: an allowed folder itself is never deleted.
- deleting a file and writing it anew: write_file replaces it.`;
