/** The usage text of `glob`, long guidance for a model about when and how to call the tool. */
export const globUsage = `glob: finds files by their paths

Primary purpose
Lists files and folders whose path matches a pattern, newest first.

Rules
- Use it when a part of a path is known. Do not use it to search contents: use grep.
- *.ts matches in that folder only, **/*.ts also below it; ?, [a-z], {a,b} work.
- Ignored files (.gitignore, node_modules, dist, .git) are skipped unless include_ignored is true. Links and empty folders are not listed. It changes nothing.
- When results_capped is true there are more: narrow the pattern.

Arguments
- pattern (string, required): not absolute, without ..
- path (string, optional)
- type (string, optional)
- exclude (array, optional): patterns; without / for any folder.
- include_ignored (boolean, optional)

Error codes
- NOT_FOUND, NOT_A_DIRECTORY, NOT_A_FILE: path is no folder.
- ACCESS_DENIED: outside the allowed folders; other spellings do not help.
- SEARCH_TIMED_OUT: narrow path or pattern.
- Others: see the message.

Good usage
- {"pattern":"**/*.test.ts","path":"packages"}

Bad usage
- {"pattern":"/home/**/*.ts"}: give the folder as path.`;
