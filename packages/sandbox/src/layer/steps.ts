import { chmodSync, chownSync, constants, copyFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathOfText } from "../system/file-names.ts";
import { changedFolder, setTime, type Box, type Step } from "./commit.ts";
import type { LayerChange } from "./difference.ts";
import { contentOf, gitPartOf } from "./git.ts";
import { markOf, statOf } from "../system/mark.ts";

/** Returns the steps of a keep: each change, with the place of its new entry. */
export function stepsOf(
  changes: readonly LayerChange[],
  { folder, place, box }: Box,
  texts: ReadonlyMap<string, string>,
): readonly Step[] {
  const moved = new Map<string, number>();
  for (const { kind, next } of changes)
    if (kind === "write") moved.set(next!.inode, (moved.get(next!.inode) ?? 0) + 1);
  return changes.map((change, at) => {
    const { path, kind, next } = change;
    const text = texts.get(path);
    if (text !== undefined) {
      const part = writtenLike(join(folder, path), join(box, "new", String(at)), text);
      return {
        ...change,
        from: part.slice(place.length + 1),
        entry: markOf(part),
        ref: undefined,
        isPartial: true,
      };
    }
    const own = join(place, changedFolder, path);
    // If another name of this file stays in the layer, moving the file would make both names the same file, so a copy is moved.
    const isShared = kind === "write" && next!.kind === "file" && next!.names > moved.get(next!.inode)!;
    const source = isShared ? copyOf(own, join(box, "new", String(at))) : own;
    const ref = gitPartOf(path) === "ref" && kind === "write" ? contentOf(own) : undefined;
    return { ...change, from: source.slice(place.length + 1), entry: markOf(source), ref };
  });
}

function copyOf(file: string, copy: string): string {
  const mark = markOf(file)!;
  copyFileSync(pathOfText(file), copy, constants.COPYFILE_FICLONE);
  chmodSync(copy, mark.mode);
  setTime(copy, mark);
  return copy;
}

/** Writes a text with the mode and the owner of another file. */
function writtenLike(file: string, copy: string, text: string): string {
  const { uid, gid, mode } = statOf(file)!;
  writeFileSync(copy, text);
  if (process.getuid?.() === 0) chownSync(copy, Number(uid), Number(gid));
  chmodSync(copy, Number(mode & 0o7777n));
  return copy;
}
