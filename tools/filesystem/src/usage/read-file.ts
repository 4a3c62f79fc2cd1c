/** The long guidance for `read_file`. */
export const readFileUsage = `read_file: reads a file, or a page of it

Primary purpose
Shows what a file of the project holds: text with numbered lines, images as images, other binaries by type and size. A folder is answered with its entries.

Rules
- Use it when the path is known. Do not use it to search: glob finds files, grep finds text, list_directory looks around.
- Read a file before you edit it: the edit must match its text exactly, and a change by somebody else is then noticed.
- It changes nothing and is quick, so read what you need; of a long file read the part you need by offset and limit.
- At most limit lines come back, fewer when the page is full. next_offset, where it is there, is where the next page begins.
- Paths are relative to the working folder, or absolute inside the allowed folders. Nothing in them is expanded: ~ and $HOME are plain names.

Arguments
- file_path (string, required): the file.
- offset (integer, optional): first line to show, counted from 1; 1 when left out.
- limit (integer, optional): how many lines to show at most; 2000 when left out.

Each line comes as its number in six columns, a tab, and the text; neither is part of the file. Lines of more than 2000 characters are cut and end with "... [truncated]".

Error codes
- NOT_FOUND: there is no such file; where a name is close, it is told.
- ACCESS_DENIED: the path leads outside the allowed folders, also by a link. It is said of what exists and of what does not; do not try other spellings.
- INVALID_PATH: the path is empty, too long, or holds a character no path may have.
- NOT_A_FILE: a pipe, socket or device.
- FILE_TOO_LARGE: larger than the host lets a file be; look for the part you need with grep.
- MENTION_UNAVAILABLE: @bundle:path was used and the host knows no mentions.
- OS_ERROR: the system refused, for instance for want of permission or space; the message says why.
- INVALID_ARGUMENTS: file_path is missing, or offset or limit is below 1.

Good usage
- {"file_path":"src/index.ts"}
- {"file_path":"logs/build.log","offset":2001,"limit":500} after a page that ended with next_offset 2001

Bad usage
- {"file_path":"src/*.ts"}: a pattern is not a path; use glob.
- {"file_path":"~/notes.txt"}: nothing is expanded.`;
