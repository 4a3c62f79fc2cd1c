/** The usage text of `create_directory`, long guidance for a model about when and how to call the tool. */
export const createDirectoryUsage = `create_directory: creates a folder

Primary purpose
Creates a folder, with missing folders above it.

Rules
- Use it for a new, empty folder. Do not use it before write_file or move_file: they create folders.
- An existing folder is not an error: a call again changes nothing.

Arguments
- path (string, required): relative to the working folder, or absolute.

Error codes
- NOT_A_DIRECTORY: a file has that name, or is above it.
- ACCESS_DENIED: outside the allowed folders; other spellings do not help.

Good usage
- {"path":"reports/2026"}

Bad usage
- {"path":"src/new.ts"} to make a file: use write_file.`;
