import { ToolmountError } from "@toolmount/core/errors";
import type { Readable } from "node:stream";

/** What `[plan] <tool> [arguments]` says. */
export interface CallOperands {
  readonly plan: string | undefined;
  readonly tool: string;
  /** JSON text; `-` stands for standard input. */
  readonly text: string | undefined;
}

/**
 * Tells the operands of a call apart, since the plan may be left out: the second of two is the arguments when it
 * begins like JSON or is `-`, and the first is a plan when it looks like a path.
 *
 * Throws `USAGE_INVALID`.
 */
export function readCallOperands(words: readonly string[]): CallOperands {
  const [first = "", second, third, ...rest] = words;
  if (rest.length > 0) return refuse(`too many arguments: ${rest.length + 3}; quote the JSON as one`);
  if (third !== undefined && second !== undefined) return { plan: first, tool: second, text: third };
  if (looksLikePlan(first) && second === undefined) return refuse(`missing the tool to call of ${first}`);
  if (second === undefined || looksLikeArguments(second) || !looksLikePlan(first))
    return { plan: undefined, tool: first, text: second };
  return { plan: first, tool: second, text: undefined };
}

/** A plan is written with a slash, the ending of a plan's file, or the dots of a folder. */
export function looksLikePlan(word: string): boolean {
  return /[/\\]/.test(word) || /\.(?:ya?ml|json)$/i.test(word) || word === "." || word === "..";
}

function looksLikeArguments(word: string): boolean {
  return word === "-" || /^\s*(?:[{["]|$)/.test(word);
}

/** One byte more than a host takes as arguments: enough for it to say that they are too many. */
const maxBytes = 2 ** 20 + 1;

/** Reads a text to its end, or to the first byte too many. */
export async function readText(input: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of input) {
    chunks.push(Buffer.from(chunk as Uint8Array));
    bytes += chunks.at(-1)!.length;
    if (bytes >= maxBytes) break;
  }
  return Buffer.concat(chunks).subarray(0, maxBytes).toString("utf8");
}

function refuse(problem: string): never {
  throw new ToolmountError("USAGE_INVALID", { problem });
}
