/** The long guidance for `move_file`. */
export const moveFileUsage = `move_file: moves or renames a file or folder

Primary purpose
Gives a file or folder of the project another name or place. Missing folders above the destination are made.

Rules
- Use it to rename and reorganise. Do not use it to copy, nor to get rid of something: use delete_file, which asks a person.
- The destination is the whole new path, name included, not the folder to put it in.
- Nothing is replaced unless overwrite is true, and then only a file by a file. Links and special files are not moved.
- It works inside one file system. A move that was made cannot be made again: the source is gone.
- Paths are relative to the working folder, or absolute inside the allowed folders. Nothing in them is expanded: ~ and $HOME are plain names.

Arguments
- source (string, required): the file or folder.
- destination (string, required): its new path.
- overwrite (boolean, optional): replaces a file that is there; false when left out.

Error codes
- NOT_FOUND: there is no such source.
- ALREADY_EXISTS: something is at the destination.
- NOT_A_FILE: the source is a link or special file. NOT_A_DIRECTORY: the destination is below a file.
- ACCESS_DENIED: the path leads outside the allowed folders, also by a link. It is said of what exists and of what does not; do not try other spellings.
- INVALID_PATH: the path is empty, too long, or holds a character no path may have.
- MENTION_UNAVAILABLE: @bundle:path was used and the host knows no mentions.
- OS_ERROR: the system refused, for instance for want of permission or space; the message says why.
- INVALID_ARGUMENTS: source or destination is missing.

Good usage
- {"source":"src/util.ts","destination":"src/text/trim.ts"}

Bad usage
- {"source":"a.txt","destination":"archive"} to put a.txt into the folder archive: say "archive/a.txt".
- {"source":"a.txt","destination":"/tmp/a.txt"} where /tmp is not an allowed folder.`;
