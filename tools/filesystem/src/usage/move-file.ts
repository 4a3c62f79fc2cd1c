/** The usage text of `move_file`, long guidance for a model about when and how to call the tool. */
export const moveFileUsage = `move_file: moves or renames a file or folder

Primary purpose
Renames or moves a file or folder. Creates missing folders.

Rules
- Use it to rename and reorganise. Do not use it to copy, or to delete: use delete_file.
- Nothing is replaced unless overwrite is true, and then only a file by a file. Links, special files and other file systems are refused.
- The same move cannot succeed twice.

Arguments
- source (string, required): relative to the working folder, or absolute.
- destination (string, required): the whole path, name included.
- overwrite (boolean, optional)

Error codes
- NOT_FOUND, ALREADY_EXISTS: the source does not exist, or the destination does.
- ACCESS_DENIED: outside the allowed folders; other spellings do not help.

Good usage
- {"source":"a.ts","destination":"src/b.ts"}

Bad usage
- {"source":"a.txt","destination":"archive"} for a folder: say "archive/a.txt".`;
