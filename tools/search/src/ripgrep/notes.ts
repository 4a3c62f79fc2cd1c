import { relativePath } from "./paths.ts";

/**
 * What the engine says of the paths that it passed over, while it walks. They are claims: a link may have led it outside, so
 * that each path is checked before it is named.
 */
export interface Notes {
  /** Files over the limit of size. */
  readonly large: string[];
  /** Files that hold a NUL, from which on they were not searched. */
  readonly binary: string[];
  /** Files, and folders with all that is in them, that ignore files or exclusions name. */
  readonly ignored: string[];
  /** How many files and folders could not be read. */
  unreadable: number;
  /** Whether the engine says such things at all. */
  isHeard: boolean;
}

/** Most paths of one kind that are kept. */
const most = 200_000;

const debugLine = /^rg: DEBUG\|/;
const unreadableLine = /^rg: .+ \(os error \d+\)$/;

// Source: the log of ripgrep 15, crates ignore::walk and grep_printer::json.
const kinds: readonly (readonly [kind: "large" | "binary" | "ignored", line: RegExp])[] = [
  ["large", /\|[^|]*: ignoring (.+): \d+ bytes$/s],
  ["binary", /\|[^|]*: ignoring (.+): found binary data at offset \d+$/s],
  ["ignored", /\|[^|]*: ignoring (.+): Ignore\(IgnoreMatch\((?:Gitignore|Override|Hidden).*$/s],
];

/** Reads the engine's error output, line by line. `read` is false for what is an error of the whole run. */
export function createNotes(): { readonly notes: Notes; readonly read: (line: string) => boolean } {
  const notes: Notes = { large: [], binary: [], ignored: [], unreadable: 0, isHeard: false };
  let entry: string | null = null;
  return {
    notes,
    read: (line) => {
      if (debugLine.test(line)) {
        notes.isHeard = true;
        entry = line;
      } else if (line.startsWith("rg: ") || entry === null) {
        entry = null;
        if (!unreadableLine.test(line)) return false;
        notes.unreadable += 1;
        return true;
      } else entry += `\n${line}`; // A name with a line end.
      for (const [kind, pattern] of kinds) {
        const path = pattern.exec(entry)?.[1];
        if (path !== undefined && notes[kind].length < most) notes[kind].push(relativePath(path));
      }
      return true;
    },
  };
}
