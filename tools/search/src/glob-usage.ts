/** The long guidance for `glob`. */
export const globUsage = `glob: finds files by their paths

Primary purpose
Lists the files and folders of the project whose path matches a pattern, newest first, with sizes.

Rules
- Use it when a name, an extension or a part of a path is known. Do not use it to search the content of files: use grep. To look around in one folder, use list_directory.
- * and ? match characters within a name, ** for any number of folders, [a-z] for one character, {a,b} either. A pattern matches the whole path below path: *.ts matches files in that folder only, **/*.ts also those below it.
- Files in ignore files such as .gitignore, and folders such as node_modules, dist or .git, are skipped; include_ignored finds them too.
- Links are not listed and not followed. A folder is found by its files: an empty one is not listed. It changes nothing.
- When results_capped is true there are more: narrow the pattern.

Arguments
- pattern (string, required): the pattern, relative to path; it may not be absolute, nor have .. in it.
- path (string, optional): the folder to search; the working folder by default.
- type (string, optional): file, dir or any; file by default.
- exclude (array, optional): patterns to exclude. Without / they match names in any folder; everything below a matching folder is excluded.
- include_ignored (boolean, optional): also finds skipped files.

Error codes
- INVALID_PATTERN: the pattern is invalid, is absolute, or contains ..
- NOT_FOUND: path does not exist. NOT_A_DIRECTORY: path is a file; use read_file or grep. NOT_A_FILE: it is a pipe, socket or device.
- ACCESS_DENIED: path leads outside the allowed folders, directly or through a link. The answer is the same for existing and absent paths; do not try other spellings.
- INVALID_PATH: path is too long, or has an invalid character.
- SEARCH_TIMED_OUT: it took too long; narrow path or pattern.
- SEARCH_FAILED: the search engine failed; the message says why.
- OS_ERROR: the operating system refused; the message says why.
- INVALID_ARGUMENTS: pattern is missing, or an argument has the wrong type.

Good usage
- {"pattern":"**/*.test.ts","path":"packages"}
- {"pattern":"**/{package,tsconfig}.json","exclude":["fixtures"]}
- {"pattern":"*","type":"dir"} for the folders in the working folder.

Bad usage
- {"pattern":"/home/me/project/**/*.ts"}: give the folder as path.
- {"pattern":"readFile("}: that is content; use grep.`;
