import type { FileSnapshot, Snapshot } from "@toolmount/paths";
import { z } from "zod";

/** Maximum number of bytes of replaced or deleted content that are kept. As JSON, they fit into what a host keeps of one change. */
export const maxKeptBytes = 12_582_912;

const mode = z.int().min(0);

const facts = { kind: z.literal("file"), mode, owner: z.tuple([z.int(), z.int()]).optional() };

const file = z.union([
  z.strictObject({ ...facts, text: z.string() }),
  z.strictObject({ ...facts, base64: z.base64() }),
]) as z.ZodType<FileSnapshot>;

const snapshot: z.ZodType<Snapshot> = z.lazy(() =>
  z.union([
    file,
    z.strictObject({ kind: z.literal("link"), target: z.string() }),
    z.strictObject({ kind: z.literal("folder"), mode, entries: z.array(z.tuple([z.string(), snapshot])) }),
  ]),
);

const path = z.string();

/** Folders that a call made, the topmost first. */
const made = z.array(path);

/** A file that a call wrote: its former state, and the digest of the new content. */
export const writtenFile = z.strictObject({ path, before: file.nullable(), after: z.string(), made });

/** What is kept of a call that made folders. */
export const madeFolders = z.strictObject({ made });

/** An entry that a call moved, with its mark and the file that it replaced. */
export const movedEntry = z.strictObject({
  from: path,
  to: path,
  mark: z.string(),
  over: file.nullable(),
  made,
});

/** What is kept of a call that deleted an entry. */
export const deletedEntry = z.strictObject({ path, entry: snapshot });
