/** The long guidance for `list_directory`. */
export const listDirectoryUsage = `list_directory: lists one folder

Primary purpose
Shows the entries of one folder of the project, folders first, then by name, each with its type and, for files, its size.

Rules
- Use it to look around in one folder. Do not use it to find files in many folders: use glob.
- It does not go into folders below, and does not follow links: these have the type link.
- It changes nothing and is quick. next_offset, where it is there, is where the next page begins.
- Paths are relative to the working folder, or absolute inside the allowed folders. Nothing in them is expanded: ~ and $HOME are plain names.

Arguments
- path (string, optional): the folder; the working folder when left out.
- offset (integer, optional): first entry to show, counted from 1; 1 when left out.
- limit (integer, optional): how many entries to show at most, up to 5000; 500 when left out.

Error codes
- NOT_FOUND: there is no such folder.
- NOT_A_DIRECTORY: the path is a file; use read_file.
- ACCESS_DENIED: the path leads outside the allowed folders, also by a link. It is said of what exists and of what does not; do not try other spellings.
- INVALID_PATH: the path is empty, too long, or holds a character no path may have.
- OS_ERROR: the system refused, for instance for want of permission or space; the message says why.
- INVALID_ARGUMENTS: an argument has the wrong type, or offset or limit is out of bounds.

Good usage
- {} for the working folder
- {"path":"packages","limit":50}

Bad usage
- {"path":"src/**"}: a pattern is not a path; use glob.
- listing folder after folder to find one file: use glob.`;
