/** The long guidance for `glob`. */
export const globUsage = `glob: finds files by their paths

Primary purpose
Tells which files and folders of the project fit a pattern of paths, last written first, with their sizes.

Rules
- Use it when a name, an extension or a part of a path is known. Do not use it to search what files hold: use grep. To look around in one folder, use list_directory.
- * and ? stand for characters within a name, ** for any number of folders, [a-z] for one character, {a,b} for either. A pattern is about the whole path below path: *.ts fits files in that folder only, **/*.ts those below it too.
- What ignore files such as .gitignore name, and folders such as node_modules, dist or .git, are looked past; include_ignored finds them too.
- Links are not told and not followed. A folder is found by what is in it: an empty one is not told. It changes nothing.
- When results_capped is true there are more: narrow the pattern.

Arguments
- pattern (string, required): the pattern, relative to path; it may not be absolute, nor have .. in it.
- path (string, optional): the folder to search; the working folder when left out.
- type (string, optional): file, dir or any; file when left out.
- exclude (array, optional): patterns of what to leave out. Without / they are about names in any folder; all below a folder that fits is left out.
- include_ignored (boolean, optional): also finds what is looked past otherwise.

Error codes
- INVALID_PATTERN: the pattern cannot be understood, is absolute, or has .. in it.
- NOT_FOUND: there is nothing at path. NOT_A_DIRECTORY: path is a file; use read_file or grep. NOT_A_FILE: it is a pipe, socket or device.
- ACCESS_DENIED: path leads outside the allowed folders, also by a link. It is said of what exists and of what does not; do not try other spellings.
- INVALID_PATH: path is too long, or holds a character no path may have.
- SEARCH_TIMED_OUT: it took too long; narrow path or pattern.
- SEARCH_FAILED: the engine could not run, or refused; the message says why.
- OS_ERROR: the system refused, for instance for want of permission.
- INVALID_ARGUMENTS: pattern is missing, or an argument has the wrong type.

Good usage
- {"pattern":"**/*.test.ts","path":"packages"}
- {"pattern":"**/{package,tsconfig}.json","exclude":["fixtures"]}
- {"pattern":"*","type":"dir"} for the folders in the working folder.

Bad usage
- {"pattern":"/home/me/project/**/*.ts"}: give the folder as path.
- {"pattern":"readFile("}: that is what files hold; use grep.`;
