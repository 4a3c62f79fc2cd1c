/** The long guidance for `create_directory`. */
export const createDirectoryUsage = `create_directory: creates a folder

Primary purpose
Creates a folder in the project, with missing folders above it.

Rules
- Use it for a new, empty folder. Do not use it before write_file or move_file: they create folders themselves.
- An existing folder is not an error: created is then false.
- Paths are relative to the working folder, or absolute inside the allowed folders. Nothing is expanded: ~ and $HOME are plain names.

Arguments
- path (string, required): the folder.

Error codes
- NOT_A_DIRECTORY: a file has that name, or is above it.
- ACCESS_DENIED: the path leads outside the allowed folders, directly or through a link. The answer is the same for existing and absent paths; do not try other spellings.
- INVALID_PATH: the path is empty, too long, or has an invalid character.
- MENTION_UNAVAILABLE: the path is @bundle:path, and the host supports no mentions.
- OS_ERROR: the operating system refused; the message says why.
- INVALID_ARGUMENTS: path is missing.

Good usage
- {"path":"reports/2026"}

Bad usage
- {"path":"src/new.ts"} to make a file: use write_file.`;
