import { realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import type { Files } from "@toolmount/paths";
import type { ShellWord } from "./words.ts";

/** The folders in which a script may be, as far as its text shows, and what may be written from there. */
export interface Folders {
  /** Notes a change of folder. Returns where the new folder is: inside or outside of the allowed folders, or unknown. */
  enter(word: ShellWord | undefined, insideLoop: boolean): "inside" | "outside" | "unknown";
  /** Returns whether a path may be written from every folder in which the script may be. */
  judge(word: ShellWord): "inside" | "outside" | "unknown";
  /** Returns all paths that a word may name; null if they are not known. */
  places(word: ShellWord): readonly string[] | null;
}

/** Creates the folders of a script that begins in the working folder. */
export function createFolders(files: Files, workingDir: string, home: string | null): Folders {
  let known: readonly string[] | null = [workingDir];
  const isInside = (path: string) => files.allows(reallyAt(path), "write");
  const places = (word: ShellWord): readonly string[] | null => {
    const text = textOf(word, home);
    if (text === null) return null;
    if (text.startsWith("/")) return [resolve("/", text)];
    return known?.map((folder) => resolve(folder, text)) ?? null;
  };
  return {
    places,
    judge(word) {
      const all = places(word);
      if (all === null) return "unknown";
      return all.every(isInside) ? "inside" : "outside";
    },
    enter(word, insideLoop) {
      const target = word === undefined ? home : textOf(word, home);
      const absolute = target?.startsWith("/") === true;
      if (target === null || target === "-" || (insideLoop && !absolute)) {
        known = null;
        return "unknown";
      }
      const entered = absolute
        ? [resolve("/", target)]
        : (known?.map((folder) => resolve(folder, target)) ?? null);
      known =
        entered === null || known === null || known.length > 16 ? null : [...new Set([...known, ...entered])];
      if (entered === null) return "unknown";
      return entered.every(isInside) ? "inside" : "outside";
    },
  };
}

/** Returns the path that a word names or, for a pattern, the folder in which it searches; null if that is not known. */
function textOf({ value, text, tilde, pattern }: ShellWord, home: string | null): string | null {
  if (value !== null) return value;
  if (tilde) return home !== null && /^~(\/[\w./-]*)?$/.test(text) ? home + text.slice(1) : null;
  if (!pattern || /["'\\]/.test(text)) return null;
  const start = text.search(/[*?[{]/);
  if (/\.\.|\{[^}]*[/~]/.test(text.slice(start))) return null;
  return text.slice(0, start).replace(/[^/]*$/, "") || ".";
}

/** Returns the real place of a path. The part that does not exist yet stays as it is written. */
export function reallyAt(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(reallyAt(parent), basename(path));
  }
}
