/** The long guidance for `create_directory`. */
export const createDirectoryUsage = `create_directory: makes a folder

Primary purpose
Makes a folder in the project, with the missing ones above it.

Rules
- Use it when a folder is needed that holds nothing yet. Do not use it before write_file or move_file: these make folders by themselves.
- Making a folder that is there is fine: created is then false.
- Paths are relative to the working folder, or absolute inside the allowed folders. Nothing in them is expanded: ~ and $HOME are plain names.

Arguments
- path (string, required): the folder.

Error codes
- NOT_A_DIRECTORY: there is a file of that name, or above it.
- ACCESS_DENIED: the path leads outside the allowed folders, also by a link. It is said of what exists and of what does not; do not try other spellings.
- INVALID_PATH: the path is empty, too long, or holds a character no path may have.
- MENTION_UNAVAILABLE: @bundle:path was used and the host knows no mentions.
- OS_ERROR: the system refused, for instance for want of permission or space; the message says why.
- INVALID_ARGUMENTS: path is missing.

Good usage
- {"path":"reports/2026"}

Bad usage
- {"path":"src/new.ts"} to make a file: use write_file.`;
