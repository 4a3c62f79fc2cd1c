/** The long guidance for `read_file`. */
export const readFileUsage = `read_file: reads a file, or a page of it

Primary purpose
Shows the content of a file of the project: text with numbered lines, images as images, other binaries by type and size. For a folder, it shows the entries.

Rules
- Use it when the path is known. Do not use it to search: glob finds files, grep finds text, list_directory looks around.
- Read a file before you edit it: the edit must match its text exactly, and changes by others are then detected.
- It changes nothing and is quick, so read what you need; of a long file read the part you need by offset and limit.
- It returns at most limit lines, fewer when the page is full. next_offset, if present, is the start of the next page.
- Paths are relative to the working folder, or absolute inside the allowed folders. Nothing is expanded: ~ and $HOME are plain names.

Arguments
- file_path (string, required): the file.
- offset (integer, optional): first line to show, counted from 1; 1 by default.
- limit (integer, optional): most lines to show; 2000 by default.

Each line is its number in six columns, a tab, and the text; number and tab are not part of the file. Lines of more than 2000 characters are cut and end with "... [truncated]".

Error codes
- NOT_FOUND: the file does not exist; the message names a similar file, if any.
- ACCESS_DENIED: the path leads outside the allowed folders, directly or through a link. The answer is the same for existing and absent paths; do not try other spellings.
- INVALID_PATH: the path is empty, too long, or has an invalid character.
- NOT_A_FILE: a pipe, socket or device.
- FILE_TOO_LARGE: larger than the limit; find the part you need with grep.
- MENTION_UNAVAILABLE: the path is @bundle:path, and the host supports no mentions.
- OS_ERROR: the operating system refused; the message says why.
- INVALID_ARGUMENTS: file_path is missing, or offset or limit is below 1.

Good usage
- {"file_path":"src/index.ts"}
- {"file_path":"logs/build.log","offset":2001,"limit":500} after a page that ended with next_offset 2001

Bad usage
- {"file_path":"src/*.ts"}: a pattern is not a path; use glob.
- {"file_path":"~/notes.txt"}: nothing is expanded.`;
