import { ToolmountError } from "@toolmount/core/errors";
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { Readable } from "node:stream";
import type { JsonObject } from "@toolmount/core";
import { readCallText, type WrittenCall } from "./call-text.ts";
import { readJson } from "./json-option.ts";

/** The words `[plan] <tool> [arguments]` of a command line. */
export interface CallOperands {
  readonly plan: string | undefined;
  readonly tool: string;
  /** The arguments as JSON text, or `-` for standard input. */
  readonly text: string | undefined;
  /** The arguments as words: `name=text`, `name:=JSON`, `name=@file`. */
  readonly pairs: readonly string[];
  /** The call, if it is written as in a program: `tool(a: 1)`. */
  readonly written?: WrittenCall;
}

/**
 * Reads the words of a call. The first word is the plan if it looks like a path and a tool follows, or if there are three words.
 * With `planOption`, no word is the plan. Throws `USAGE_INVALID`.
 */
export function readCallOperands(words: readonly string[], planOption?: string): CallOperands {
  const call = words.length === 0 ? undefined : readCallText(words.at(-1)!);
  if (call !== undefined) return readWrittenCall(call, words.slice(0, -1), planOption);
  const pairs = takePairs(words);
  const others = words.slice(0, words.length - pairs.length);
  const [first = "", second, third, ...rest] = others;
  if (words.length === 0) return refuse("the name of the tool is missing; toolmount list shows the tools");
  if (others.slice(1).some(isPair))
    return refuse(`"${others.at(-1)}" is not name=value or name:=JSON, as the words before it are`);
  if (rest.length > 0) return refuse(`too many words: ${rest.length + 3}; quote the JSON as one word`);
  const read = (plan: string | undefined, tool: string, text?: string): CallOperands => {
    if (text !== undefined && pairs.length > 0)
      return refuse("give the arguments as JSON or as name=value, not both");
    return { plan: plan ?? planOption, tool, text, pairs };
  };
  const isPlanFirst = third !== undefined || (second !== undefined && looksLikePlan(first));
  if (planOption !== undefined && isPlanFirst) return refuse("the plan is given twice; give it once");
  if (third !== undefined && second !== undefined) return read(first, second, third);
  if (looksLikePlan(first) && second === undefined)
    return refuse(`the name of the tool is missing after the plan ${first}`);
  if (second === undefined || planOption !== undefined || looksLikeArguments(second) || !looksLikePlan(first))
    return read(undefined, first, second);
  return read(first, second);
}

function readWrittenCall(
  written: WrittenCall,
  before: readonly string[],
  planOption: string | undefined,
): CallOperands {
  if (before.length > 1 || (before.length === 1 && planOption !== undefined))
    return refuse(`too many words before ${written.tool}(…)`);
  return { plan: before[0] ?? planOption, tool: written.tool, text: undefined, pairs: [], written };
}

/** Returns the words of the form `name=value` at the end. The first word is never one of them. */
function takePairs(words: readonly string[]): readonly string[] {
  return words.slice(
    Math.max(
      words.findLastIndex((word) => !isPair(word)),
      0,
    ) + 1,
  );
}

function isPair(word: string): boolean {
  return /^[A-Za-z_][\w-]*:?=/.test(word);
}

/**
 * Reads arguments that are written as words: `name=text`, `name:=JSON`, or `name=@file` for the text of a file.
 * Throws `USAGE_INVALID`.
 */
export async function readPairs(pairs: readonly string[], cwd: string): Promise<ReadPairs> {
  const members: [string, unknown][] = [];
  const texts = new Set<string>();
  for (const pair of pairs) {
    const [, name = "", sign, value = ""] = /^([\w-]+)(:?=)(.*)$/s.exec(pair) ?? [];
    if (members.some(([other]) => other === name)) refuse(`${name} is given twice; give it once`);
    if (sign === ":=") members.push([name, readJson(`the value of ${name}`, value)]);
    else if (value.startsWith("@"))
      members.push([name, await readFileText(name, resolve(cwd, value.slice(1)))]);
    else {
      texts.add(name);
      members.push([name, value]);
    }
  }
  return { arguments: Object.fromEntries(members) as JsonObject, texts };
}

/** Arguments that were written as words such as `name=text`. */
interface ReadPairs {
  readonly arguments: JsonObject;
  /** Names of the arguments that were written as `name=text`. */
  readonly texts: ReadonlySet<string>;
}

async function readFileText(name: string, path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (cause) {
    const problem = `the file of ${name} cannot be read: ${path}`;
    throw new ToolmountError("USAGE_INVALID", { problem }, { cause });
  }
}

/** Tests whether a word looks like a plan: it has a slash or the extension of a plan, or is `.` or `..`. */
function looksLikePlan(word: string): boolean {
  return /[/\\]/.test(word) || /\.(?:ya?ml|json)$/i.test(word) || word === "." || word === "..";
}

function looksLikeArguments(word: string): boolean {
  return word === "-" || /^\s*(?:[{["]|$)/.test(word);
}

/** One byte more than a host accepts as arguments, so that the host still sees that a text is too long. */
const maxBytes = 2 ** 20 + 1;

/** Reads a stream to its end, but at most `maxBytes` bytes. */
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
