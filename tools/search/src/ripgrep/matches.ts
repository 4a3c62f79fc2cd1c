import { Buffer } from "node:buffer";
import { z } from "zod";
import { relativePath } from "./paths.ts";
import { runRipgrep, type Ending, type Run } from "./run.ts";

/** One or more matching lines as the engine saw them. They count only after the file was read and found to contain them. */
export interface Claim {
  /** Position of the lines in the file's text without its byte order mark, in bytes. */
  readonly offset: number;
  readonly lines: Buffer;
  /** Position of the first match in the lines, in bytes. */
  readonly start: number;
}

/** The engine's claims about one file. */
interface ClaimedFile {
  /** Path relative to the folder in which the engine ran. */
  readonly path: string;
  readonly claims: Claim[];
}

export interface Claims {
  readonly files: readonly ClaimedFile[];
  readonly ending: Ending;
  /** Number of lines whose record was too long to be kept. */
  readonly skippedLines: number;
  /** Number of files whose names are not UTF-8, so that no call could name them. */
  readonly unnamedFiles: number;
}

/** Maximum number of claims of one search, and of bytes of their lines in all. The engine is stopped there. */
const maxClaims = 100_000;
const maxClaimBytes = 67_108_864;

// A text, or base64 if it is not UTF-8. Source: `rg --json`, grep_printer::JSON.
const given = z.union([z.object({ text: z.string() }), z.object({ bytes: z.string() })]);

const record = z.discriminatedUnion("type", [
  z.object({ type: z.literal("begin"), data: z.object({ path: given }) }),
  z.object({
    type: z.literal("match"),
    data: z.object({
      lines: given,
      absolute_offset: z.number(),
      submatches: z.array(z.object({ start: z.number(), match: given })),
    }),
  }),
  z.object({ type: z.literal("end") }),
  z.object({ type: z.literal("summary") }),
]);

type MatchRecord = Extract<z.output<typeof record>, { type: "match" }>["data"];

/** Runs a search and collects its claims about those files that `accepts` takes. */
export async function collectClaims(
  run: Omit<Run, "separator">,
  accepts: (path: string) => boolean,
): Promise<Claims> {
  const files: ClaimedFile[] = [];
  let current: ClaimedFile | null = null;
  let left = { claims: maxClaims, bytes: maxClaimBytes };
  let skippedLines = 0;
  let unnamedFiles = 0;
  const ending = await runRipgrep({ ...run, separator: "\n" }, (line) => {
    if (line.length === 0) {
      if (current !== null) skippedLines++;
      return true;
    }
    const read = record.parse(JSON.parse(line.toString()));
    if (read.type === "begin") {
      const path = nameOf(read.data.path);
      if (path === null) unnamedFiles++;
      current = path === null || !accepts(path) ? null : { path, claims: [] };
      if (current !== null) files.push(current);
    }
    if (read.type !== "match" || current === null) return true;
    if (isInsideCharacter(read.data)) return true;
    const claim = claimOf(read.data);
    current.claims.push(claim);
    left = { claims: left.claims - 1, bytes: left.bytes - claim.lines.length };
    return left.claims > 0 && left.bytes > 0;
  });
  return { files, ending, skippedLines, unnamedFiles };
}

/** Whether all matches in a line of UTF-8 are only parts of characters: the Latin-1 pattern found single bytes of them. */
function isInsideCharacter({ lines, submatches }: MatchRecord): boolean {
  return "text" in lines && submatches.length > 0 && submatches.every(({ match }) => "bytes" in match);
}

function claimOf({ lines, absolute_offset: offset, submatches }: MatchRecord): Claim {
  return { offset, lines: bytesOf(lines), start: submatches[0]?.start ?? 0 };
}

function nameOf(name: z.output<typeof given>): string | null {
  return "text" in name ? relativePath(name.text) : null;
}

function bytesOf(lines: z.output<typeof given>): Buffer {
  return "text" in lines ? Buffer.from(lines.text) : Buffer.from(lines.bytes, "base64");
}
