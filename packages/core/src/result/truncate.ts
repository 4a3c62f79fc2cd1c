import { errorMessage } from "../contract/errors.ts";
import { maxDepth, NotJson, requirePlain } from "../json/freeze.ts";
import { hasWideObject, maxKeys, remainingMembers } from "../json/shape.ts";
import { addOmitted, boundNotes } from "./bound-notes.ts";
import type { OutputKeeper } from "./kept-outputs.ts";
import type { ContentBlock, ToolResult } from "../contract/result.ts";

/** Largest total size of the images, audio and files of a result, in bytes of base64. */
const maxBinary = 16_777_216;

/** Texts of at most this many characters are not cut, because they are names rather than content. */
const shortText = 256;

/** Cuts long texts to `maxBytes` of JSON in all and keeps the full output, or fails as `OUTPUT_TOO_LARGE`. Throws `NotJson`. */
export function truncateResult(result: ToolResult, maxBytes: number, keeper: OutputKeeper): ToolResult {
  if (hasNotes(result)) result = boundNotes(result, maxBytes, remainingBytes);
  if (result.error !== undefined) return boundContent(boundError(result), maxBytes, keeper);
  if (walkContent(result.content ?? [], remainingBytes(result.data, maxBytes)) >= 0) return result;
  const whole = jsonOf(result.data);
  const bytes = Buffer.byteLength(whole) + bytesBeside(result.content);
  const fits = bytes <= maxBytes + binaryBytes(result.content);
  const isWide = remainingMembers(result.data, maxMembers) < 0;
  if (isWide && (!fits || hasWideObject(result.data))) {
    const excess = fits
      ? `has an object of more than ${maxKeys} members`
      : `is larger than ${maxBytes} bytes`;
    return tooLarge(result, excess, Buffer.byteLength(whole), keeper.keep(whole));
  }
  // The walk stopped at the limit, but the rest must be JSON, too.
  for (const part of [result.data, result.content]) remainingBytes(part, Number.POSITIVE_INFINITY);
  return fits ? result : cutResult(result, whole, maxBytes, keeper);
}

/** Whether a result has members other than its data. Most results do not. */
function hasNotes({ meta, warnings, details, omitted }: ToolResult): boolean {
  return meta !== undefined || warnings !== undefined || details !== undefined || omitted !== undefined;
}

/** Returns the JSON of a value. If `JSON.stringify` throws, it throws `NotJson` with the place instead, where possible. */
function jsonOf(value: unknown): string {
  try {
    return JSON.stringify(value) ?? "null";
  } catch (error) {
    remainingBytes(value, Number.POSITIVE_INFINITY);
    throw error;
  }
}

/** Maximum number of members of data in which texts are cut. Data with more is refused, because each walk of it would block the host. */
const maxMembers = 20_000;

/** Returns the budget that content leaves; below 0 it is too large. Images, audio and files share a separate limit. */
function walkContent(content: readonly ContentBlock[], budget: number): number {
  let left = budget;
  let binary = 0;
  for (const block of content) {
    if (isBinary(block)) binary += block.data.length;
    left = remainingBytes(isBinary(block) ? { ...block, data: "" } : block, left);
  }
  return binary > maxBinary ? -1 : left;
}

function isBinary(block: ContentBlock): block is ContentBlock & { data: string } {
  return block.type !== "text" && typeof block.data === "string";
}

function binaryBytes(content: readonly ContentBlock[] = []): number {
  const total = content.filter(isBinary).reduce((sum, block) => sum + block.data.length + 64, 0);
  return total > maxBinary ? 0 : total;
}

function exactBytes(value: unknown): number {
  return Buffer.byteLength(jsonOf(value));
}

/** Returns the bytes of a result's JSON beside its data: {"data":…} or {"data":…,"content":…}. */
function bytesBeside(content: readonly ContentBlock[] | undefined): number {
  return content === undefined ? 9 : 20 + exactBytes(content);
}

function boundError(result: ToolResult): ToolResult {
  const { error = "" } = result;
  return error.length > 8_000 ? ({ ...result, error: `${error.slice(0, 7_990)} …` } as ToolResult) : result;
}

/** Cuts content that is too large from a failure, and keeps it in full. Images, audio and files stay if they fit. */
function boundContent(result: ToolResult, maxBytes: number, keeper: OutputKeeper): ToolResult {
  const { content } = result;
  if (content === undefined || walkContent(content, maxBytes) >= 0) return result;
  const [bytes, binary] = [exactBytes(content), binaryBytes(content)];
  if (bytes <= maxBytes + binary) return result;
  const left = binary === 0 ? [] : content.filter(isBinary);
  const cut = { ...result, content: left, truncated: { bytes, ref: keeper.keep(JSON.stringify(content)) } };
  return addOmitted(cut, {
    what: "content beside the error",
    amount: blocks(content.length - left.length),
    why: `the result is larger than ${maxBytes} bytes`,
    how: keptWhole,
  });
}

/** Cuts the data of a result. `json` is the data as JSON. */
function cutResult(result: ToolResult, json: string, maxBytes: number, keeper: OutputKeeper): ToolResult {
  const whole = typeof result.data === "string" ? result.data : json;
  const bytes = Buffer.byteLength(whole);
  const content = result.content?.filter((block) => !isBinary(block) && block.type !== "text");
  const room = maxBytes - bytesBeside(content);
  const texts = longTexts(result.data);
  const others = exactBytes(withTexts(result.data, () => ""));
  if (texts.length === 0 || room - others < texts.length * shortText)
    return tooLarge(result, `is larger than ${maxBytes} bytes`, bytes, keeper.keep(whole));
  const share = fairShare(texts, room - others);
  const data = withTexts(result.data, (text) => cutMiddle(text, share));
  const cut = {
    ...result,
    data,
    ...(content === undefined ? {} : { content }),
    truncated: { bytes, ref: keeper.keep(whole) },
  } as ToolResult;
  const dropped = (result.content?.length ?? 0) - (content?.length ?? 0);
  const left = bytes - Buffer.byteLength(typeof data === "string" ? data : JSON.stringify(data));
  return addOmitted(cut, {
    what: `the middle of long texts${dropped === 0 ? "" : `, and ${blocks(dropped)} of content`}`,
    amount: `${Math.max(0, left)} bytes of ${bytes}`,
    why: `the result is larger than ${maxBytes} bytes`,
    how: keptWhole,
  });
}

/** How to get the rest: a model makes another call, and the program that owns the host reads the kept output. */
const keptWhole = "ask for less in one call; the host keeps the whole for host.output(truncated.ref)";

function blocks(count: number): string {
  return `${count} ${count === 1 ? "block" : "blocks"}`;
}

function tooLarge({ tool, fetchedAt }: ToolResult, excess: string, bytes: number, ref: string): ToolResult {
  return {
    tool,
    fetchedAt,
    error: errorMessage("OUTPUT_TOO_LARGE", { tool, excess }),
    code: "OUTPUT_TOO_LARGE",
    truncated: { bytes, ref },
  };
}

function longTexts(value: unknown): number[] {
  const found: number[] = [];
  withTexts(value, (text) => {
    found.push(Buffer.byteLength(text));
    return text;
  });
  return found;
}

/** Returns the largest size of each text so that all of them fit. Shorter texts leave their unused share to longer ones. */
function fairShare(lengths: readonly number[], room: number): number {
  let left = room;
  const ascending = lengths.toSorted((a, b) => a - b);
  for (const [at, length] of ascending.entries()) {
    const share = Math.floor(left / (ascending.length - at));
    if (length > share) return share;
    left -= length;
  }
  return left;
}

/** Copies a value with its long texts replaced. */
function withTexts(value: unknown, replace: (text: string) => string): unknown {
  if (typeof value === "string") return value.length > shortText ? replace(value) : value;
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => withTexts(item, replace));
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withTexts(item, replace)]));
}

/** Returns the start and the end of a text, with a line about the missing middle between them; at most `maxBytes` of JSON. */
function cutMiddle(text: string, maxBytes: number): string {
  const bytes = Buffer.byteLength(text);
  if (exactBytes(text) <= maxBytes + 2) return text;
  const marker = `\n… [${bytes} bytes in all, the middle is left out] …\n`;
  let room = Math.max(0, maxBytes - marker.length * 2);
  for (;;) {
    const cut = cutBytes(text, Math.floor(room / 2)) + marker + cutBytes(text, Math.floor(room / 2), true);
    if (exactBytes(cut) <= maxBytes + 2 || room < 16) return cut;
    room = Math.floor(room * 0.7); // escapes take more bytes than the text itself
  }
}

/** Returns at most `maxBytes` of a text's UTF-8 from its start or its end, never a part of a character. */
function cutBytes(text: string, maxBytes: number, fromEnd = false): string {
  const bytes = Buffer.from(fromEnd ? text.slice(-maxBytes) : text.slice(0, maxBytes));
  if (bytes.length <= maxBytes) return bytes.toString();
  let at = fromEnd ? bytes.length - maxBytes : maxBytes;
  const step = fromEnd ? 1 : -1;
  while (at > 0 && at < bytes.length && (bytes[at]! & 0xc0) === 0x80) at += step;
  return (fromEnd ? bytes.subarray(at) : bytes.subarray(0, at)).toString();
}

/** Returns the bytes of `budget` that remain after a JSON value; stops below 0. A text counts three bytes a character. */
function remainingBytes(value: unknown, budget: number, depth = 0): number {
  switch (typeof value) {
    case "string":
      return budget - value.length * 3 - 2;
    case "boolean":
      return budget - 5;
    case "number":
      if (!Number.isFinite(value)) throw new NotJson(`is ${value}, which JSON cannot hold`);
      return budget - 12;
    case "object":
      return value === null ? budget - 4 : walkObject(value, budget, depth);
    case "undefined":
      return budget;
    case "bigint":
    case "function":
    case "symbol":
    default:
      throw new NotJson(`is of type ${typeof value}, which JSON cannot hold`);
  }
}

function walkObject(value: object, budget: number, depth: number): number {
  if (depth >= maxDepth) throw new NotJson(`is nested deeper than ${maxDepth} levels`);
  let left = budget - 2;
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length && left >= 0; at++)
      left = remainingBytes(value[at], left - 1, depth + 1);
    return left;
  }
  if (Object.getPrototypeOf(value) !== Object.prototype) requirePlain(value);
  let keys = 0;
  for (const key in value) {
    if (left < 0) return left;
    if (++keys > maxKeys) return -1;
    if (key === "__proto__") throw new NotJson('has a member named "__proto__"');
    const member = (value as Record<string, unknown>)[key];
    left -= key.length + 4;
    // Handling scalars here, without a function call for each, makes a call of a tool 4 % faster.
    if (typeof member === "string") left -= member.length * 3 + 2;
    else if (typeof member === "number" && Number.isFinite(member)) left -= 12;
    else left = remainingBytes(member, left, depth + 1);
  }
  return left;
}
