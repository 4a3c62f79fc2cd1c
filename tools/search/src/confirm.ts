import { isPathError, type Files } from "@toolmount/paths";
import type { Claim } from "./ripgrep/matches.ts";
import { textBytes } from "./text.ts";

/** A match that was found again in the file, after its path was checked. */
interface Match {
  /** Line number, from 1. */
  readonly line: number;
  /** Start and end of its lines in the file's text, in bytes. */
  readonly start: number;
  readonly end: number;
  /** Position of the first match in its lines, in bytes. */
  readonly column: number;
}

export interface Confirmed {
  readonly text: Buffer;
  readonly matches: readonly Match[];
}

/**
 * Reads a file again and keeps those claims that are true.
 *
 * The engine opens files itself, and a link may change while it runs. Results come only from this second reading, so nothing
 * outside of the allowed folders is reported, and an unreadable file counts as absent.
 */
export async function confirm(
  files: Files,
  real: string,
  { claims, maxBytes, signal }: { claims: readonly Claim[]; maxBytes: number; signal: AbortSignal },
): Promise<Confirmed> {
  try {
    const text = textBytes((await files.read(real, maxBytes, signal)).bytes);
    return { text, matches: trueOf(text, claims) };
  } catch (thrown) {
    if (isPathError(thrown)) return { text: Buffer.alloc(0), matches: [] };
    throw thrown;
  }
}

function trueOf(text: Buffer, claims: readonly Claim[]): Match[] {
  const matches: Match[] = [];
  let counted = 0;
  let line = 1;
  for (const { offset, lines, start } of claims) {
    const end = offset + lines.length;
    if (offset < counted || !text.subarray(offset, end).equals(lines)) continue;
    line += countLines(text, counted, offset);
    counted = offset;
    matches.push({ line, start: offset, end, column: start });
  }
  return matches;
}

/** Returns how many lines end between two positions. */
function countLines(text: Buffer, from: number, to: number): number {
  let lines = 0;
  for (let at = text.indexOf(10, from); at >= 0 && at < to; at = text.indexOf(10, at + 1)) lines++;
  return lines;
}
