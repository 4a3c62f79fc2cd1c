/** The long guidance for `grep`. */
export const grepUsage = `grep: searches the contents of files

Primary purpose
Finds where a regular expression occurs in the files of the project, quickly, and tells the files, the lines, or how many there are.

Rules
- Use it to find where something is said. Do not use it to find files by their names: use glob. To read a file that is known, use read_file.
- Begin with files_with_matches, then look closer with content and a narrower path, glob or type.
- What ignore files such as .gitignore name, and folders such as node_modules, dist or .git, are looked past; include_ignored searches them too. Binary and very large files are always left out.
- Links are not followed. It changes nothing.
- next_offset, where it is there, is the offset at which the next page begins. Results are in the order of their paths.
- Paths are relative to the working folder, or absolute inside the allowed folders; results begin with the path as it was given.

Arguments
- pattern (string, required): a regular expression in the syntax of Rust. Literal braces, dots and brackets need a \\ before them: interface\\{\\}. There is no look-around and no back-reference.
- path (string, optional): the folder or file to search; the working folder when left out.
- output_mode (string, optional): files_with_matches, content or count; files_with_matches when left out.
- -i (boolean, optional): takes capital and small letters for the same.
- -n (boolean, optional): shows line numbers with content; true when left out.
- -A (integer, optional): lines to show after each match.
- -B (integer, optional): lines to show before each match.
- -C (integer, optional): lines to show before and after each match.
- glob (string, optional): only files that fit. Without / it is about names in any folder (*.ts); with / about the path below path (src/**/*.ts); ! before it means all others.
- type (string, optional): only files of a kind, such as ts, py, rust or markdown.
- multiline (boolean, optional): lets a match go over several lines, and . fit a line's end.
- head_limit (integer, optional): how many results to show at most; 0 for all.
- offset (integer, optional): how many results to leave out first.
- include_ignored (boolean, optional): also searches what is looked past otherwise.

Error codes
- INVALID_PATTERN: the regular expression or glob cannot be understood; the message says where. For a literal text, put \\ before its special characters.
- INVALID_TYPE: there is no such kind of files; the message names those there are.
- NOT_FOUND: there is nothing at path. NOT_A_FILE: it is a pipe, socket or device.
- ACCESS_DENIED: path leads outside the allowed folders, also by a link. It is said of what exists and of what does not; do not try other spellings.
- INVALID_PATH: path is too long, or holds a character no path may have.
- SEARCH_TIMED_OUT: it took too long; narrow path, glob or type.
- SEARCH_FAILED: the engine could not run, or refused; the message says why.
- OS_ERROR: the system refused, for instance for want of permission.
- INVALID_ARGUMENTS: pattern is missing, or an argument has the wrong type.

Good usage
- {"pattern":"function openHost\\\\b","type":"ts"}
- {"pattern":"TODO","path":"src","output_mode":"content","-C":2,"head_limit":50}
- {"pattern":"--force","output_mode":"count"}: a pattern may begin with a dash.

Bad usage
- {"pattern":"*.ts"} to find files: use glob.
- {"pattern":"(?<!x)y"}: there is no look-around; search for y and look at the lines.
- {"pattern":"."} with head_limit 0 in the whole project: narrow it.`;
