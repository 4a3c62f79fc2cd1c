/** The long guidance for `list_directory`. */
export const listDirectoryUsage = `list_directory: lists one folder

Primary purpose
Shows the entries of one folder of the project, folders first, then by name, each with its type and, for files, its size.

Rules
- Use it to look around in one folder. Do not use it to find files in many folders: use glob.
- It does not list folders below, and does not follow links: they have the type link.
- It changes nothing and is quick. next_offset, if present, is the start of the next page.
- Paths are relative to the working folder, or absolute inside the allowed folders. Nothing is expanded: ~ and $HOME are plain names.

Arguments
- path (string, optional): the folder; the working folder by default.
- offset (integer, optional): first entry to show, counted from 1; 1 by default.
- limit (integer, optional): most entries to show, up to 5000; 500 by default.

Error codes
- NOT_FOUND: the folder does not exist.
- NOT_A_DIRECTORY: the path is a file; use read_file.
- ACCESS_DENIED: the path leads outside the allowed folders, directly or through a link. The answer is the same for existing and absent paths; do not try other spellings.
- INVALID_PATH: the path is empty, too long, or has an invalid character.
- OS_ERROR: the operating system refused; the message says why.
- INVALID_ARGUMENTS: an argument has the wrong type, or offset or limit is out of bounds.

Good usage
- {} for the working folder
- {"path":"packages","limit":50}

Bad usage
- {"path":"src/**"}: a pattern is not a path; use glob.
- listing folder after folder to find one file: use glob.`;
