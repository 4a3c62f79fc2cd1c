/** The long guidance for `move_file`. */
export const moveFileUsage = `move_file: moves or renames a file or folder

Primary purpose
Renames or moves a file or folder of the project. Creates missing folders above the destination.

Rules
- Use it to rename and reorganise. Do not use it to copy, or to delete: use delete_file, which asks a person.
- The destination is the whole new path, name included, not the folder to put it in.
- Nothing is replaced unless overwrite is true, and then only a file by a file. Links and special files are not moved.
- It works inside one file system. The same move cannot succeed twice: the source is gone.
- Paths are relative to the working folder, or absolute inside the allowed folders. Nothing is expanded: ~ and $HOME are plain names.

Arguments
- source (string, required): the file or folder.
- destination (string, required): its new path.
- overwrite (boolean, optional): replaces an existing file; false by default.

Error codes
- NOT_FOUND: the source does not exist.
- ALREADY_EXISTS: the destination exists.
- NOT_A_FILE: the source is a link or special file. NOT_A_DIRECTORY: the destination is below a file.
- ACCESS_DENIED: the path leads outside the allowed folders, directly or through a link. The answer is the same for existing and absent paths; do not try other spellings.
- INVALID_PATH: the path is empty, too long, or has an invalid character.
- MENTION_UNAVAILABLE: the path is @bundle:path, and the host supports no mentions.
- OS_ERROR: the operating system refused; the message says why.
- INVALID_ARGUMENTS: source or destination is missing.

Good usage
- {"source":"src/util.ts","destination":"src/text/trim.ts"}

Bad usage
- {"source":"a.txt","destination":"archive"} to put a.txt into the folder archive: say "archive/a.txt".
- {"source":"a.txt","destination":"/tmp/a.txt"} where /tmp is not an allowed folder.`;
