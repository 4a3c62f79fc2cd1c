export { createFiles, type Files, type FilesOptions } from "./files.ts";
export { areReallyIn, prepareRules, type Access, type RootRules, type Rules } from "./rules.ts";
export type { Place } from "./place.ts";
export type { FileBytes } from "./read.ts";
export type { Lost } from "./attributes.ts";
export type { CopyAttributes, FileIdentity, Owner, Replaced, ReplaceOptions } from "./write.ts";
export {
  bytesOf,
  fileSnapshot,
  type FileSnapshot,
  type FolderSnapshot,
  type LinkSnapshot,
  type Snapshot,
  type SnapshotOptions,
  type TakenSnapshot,
} from "./snapshot.ts";
export { isBelow } from "./below.ts";
export { canOthersRead, copyAttributes } from "./attributes.ts";
export { makeFolder } from "./own-files/make-folder.ts";
export { rewriteText } from "./own-files/rewrite-text.ts";
export { withLock } from "./own-files/with-lock.ts";
export { isTemporary } from "./temporary.ts";
export { markOfFile, type Marked } from "./mark.ts";
export type { Entry, EntryFacts, EntryKind, Listing } from "./list.ts";
export { isPathError, PathError, type PathErrorCode } from "./path-error.ts";
