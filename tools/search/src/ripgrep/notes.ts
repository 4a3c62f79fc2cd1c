import { relativePath } from "./paths.ts";

/**
 * What the engine reports about paths that it skips while it walks. These are only claims, because a link may have led the
 * engine outside. So each path is checked before it is named.
 */
export interface Notes {
  /** Files above the size limit. */
  readonly large: string[];
  /** Files with a NUL, which were searched only up to that. */
  readonly binary: string[];
  /** Files, and folders with everything in them, that ignore files or exclusions name. */
  readonly ignored: string[];
  /** Number of files and folders that could not be read. */
  unreadable: number;
  /** Whether the engine reports skipped paths at all. */
  isHeard: boolean;
}

/** Maximum number of paths of one kind that are kept. */
const most = 200_000;

const debugLine = /^rg: DEBUG\|/;
const unreadableLine = /^rg: .+ \(os error \d+\)$/;

// Source: the log of ripgrep 15, crates ignore::walk and grep_printer::json.
const kinds: readonly (readonly [kind: "large" | "binary" | "ignored", line: RegExp])[] = [
  ["large", /\|[^|]*: ignoring (.+): \d+ bytes$/s],
  ["binary", /\|[^|]*: ignoring (.+): found binary data at offset \d+$/s],
  ["ignored", /\|[^|]*: ignoring (.+): Ignore\(IgnoreMatch\((?:Gitignore|Override|Hidden).*$/s],
];

/** Reads the engine's error output line by line. `read` returns false for an error about the whole run. */
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
      } else entry += `\n${line}`; // a name that contains a line end
      for (const [kind, pattern] of kinds) {
        const path = pattern.exec(entry)?.[1];
        if (path !== undefined && notes[kind].length < most) notes[kind].push(relativePath(path));
      }
      return true;
    },
  };
}
