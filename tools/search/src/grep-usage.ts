/** The usage text of `grep`, long guidance for a model about when and how to call the tool. */
export const grepUsage = `grep: searches the contents of files

Primary purpose
Finds a regular expression in files: the files, the lines, or their number.

Rules
- Use it to search contents. Do not use it to find files by name: use glob.
- Begin with files_with_matches, then content with a narrower path, glob or type.
- Ignored files (.gitignore, node_modules, dist, .git) are skipped unless include_ignored is true; binary files and links always, very large files unless path names one; the result names what it passed over. It changes nothing.
- next_offset, if present, starts the next page. Results are in the order of their paths.

Arguments
- pattern (string, required): Rust's syntax, without look-around and back-references. Literal braces, dots and brackets: interface\\{\\}.
- path (string, optional)
- output_mode (string, optional)
- -i (boolean, optional)
- -n (boolean, optional)
- -A (integer, optional)
- -B (integer, optional)
- -C (integer, optional)
- glob (string, optional): also a list, *.ts,*.tsx
- type (string, optional)
- multiline (boolean, optional)
- head_limit (integer, optional)
- offset (integer, optional)
- include_ignored (boolean, optional)

Error codes
- INVALID_TYPE: the message names the known types.
- NOT_FOUND, NOT_A_FILE: no such file or folder.
- ACCESS_DENIED: outside the allowed folders; other spellings do not help.
- SEARCH_TIMED_OUT: narrow path, glob or type.
- INVALID_PATTERN, INVALID_PATH, SEARCH_FAILED, OS_ERROR, INVALID_ARGUMENTS: see the message.

Good usage
- {"pattern":"TODO","path":"src","output_mode":"content","-C":2}

Bad usage
- {"pattern":"*.ts"} to find files: use glob.`;
