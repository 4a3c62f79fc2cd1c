/** The long guidance for `grep`. */
export const grepUsage = `grep: searches the contents of files

Primary purpose
Finds the matches of a regular expression in the files of the project. Returns the files, the lines, or their number.

Rules
- Use it to search the content of files. Do not use it to find files by name: use glob. To read a known file, use read_file.
- Begin with files_with_matches, then look closer with content and a narrower path, glob or type.
- Files in ignore files such as .gitignore, and folders such as node_modules, dist or .git, are skipped; include_ignored searches them too. Binary and very large files are always skipped.
- Links are not followed. It changes nothing.
- next_offset, if present, is the offset of the next page. Results are in the order of their paths.
- Paths are relative to the working folder, or absolute inside the allowed folders; results begin with the path as it was given.

Arguments
- pattern (string, required): a regular expression in the syntax of Rust. Literal braces, dots and brackets need a \\ before them: interface\\{\\}. Look-around and back-references are not supported.
- path (string, optional): the folder or file to search; the working folder by default.
- output_mode (string, optional): files_with_matches, content or count; files_with_matches by default.
- -i (boolean, optional): ignores case.
- -n (boolean, optional): shows line numbers with content; true by default.
- -A (integer, optional): lines to show after each match.
- -B (integer, optional): lines to show before each match.
- -C (integer, optional): lines to show before and after each match.
- glob (string, optional): only files that match. Without / it matches names in any folder (*.ts); with / the path below path (src/**/*.ts); ! excludes matches.
- type (string, optional): only files of a type, such as ts, py, rust or markdown.
- multiline (boolean, optional): lets a match span lines, and . match a line end.
- head_limit (integer, optional): most results to show; 0 for all.
- offset (integer, optional): results to skip first.
- include_ignored (boolean, optional): also searches skipped files.

Error codes
- INVALID_PATTERN: the regular expression or glob is invalid; the message says where. For a literal text, put \\ before its special characters.
- INVALID_TYPE: the type is unknown; the message names the known types.
- NOT_FOUND: path does not exist. NOT_A_FILE: it is a pipe, socket or device.
- ACCESS_DENIED: path leads outside the allowed folders, directly or through a link. The answer is the same for existing and absent paths; do not try other spellings.
- INVALID_PATH: path is too long, or has an invalid character.
- SEARCH_TIMED_OUT: it took too long; narrow path, glob or type.
- SEARCH_FAILED: the search engine failed; the message says why.
- OS_ERROR: the operating system refused; the message says why.
- INVALID_ARGUMENTS: pattern is missing, or an argument has the wrong type.

Good usage
- {"pattern":"function openHost\\\\b","type":"ts"}
- {"pattern":"TODO","path":"src","output_mode":"content","-C":2,"head_limit":50}
- {"pattern":"--force","output_mode":"count"}: a pattern may begin with a dash.

Bad usage
- {"pattern":"*.ts"} to find files: use glob.
- {"pattern":"(?<!x)y"}: look-around is not supported; search for y and read the lines.
- {"pattern":"."} with head_limit 0 in the whole project: narrow it.`;
