import { randomUUID } from "node:crypto";
import type { ModelItem, ModelPart } from "./model.ts";
import { meter } from "@toolmount/core/json";
import { isRecord } from "../schema/guards.ts";
import { formats, parsed, readWhole, type OfferedTools } from "./text-formats.ts";

/** A call that a model wrote into its text. */
interface TextCall {
  readonly name: string;
  /** The arguments, as JSON. */
  readonly arguments: string;
}

/** Possible beginnings of a text that consists only of calls: a tag, a fence, or JSON. */
const openings = [...formats.map(({ begins }) => begins), "```", "{", "["];
const longestOpening = Math.max(...openings.map(({ length }) => length));

/** Whether a text that is still being written may become a call, which depends only on its beginning. */
export function mayBecomeCall(text: string): boolean {
  const begun = text.trimStart();
  return openings.some((opening) => begun.startsWith(opening) || opening.startsWith(begun));
}

/**
 * Reads the calls that a model wrote into its text: in tags at the end, or as the whole text. Null unless each of them is a
 * call of an offered tool with an object of arguments; any other text is what the model says.
 */
export function readTextCalls(
  given: string,
  offered: OfferedTools,
): { readonly text: string; readonly calls: readonly TextCall[] } | null {
  const text = withoutThoughts(given);
  for (const { begins, ends, read } of formats) {
    const at = text.indexOf(begins);
    if (at < 0) continue;
    const bodies = bodiesOf(text.slice(at).trimEnd(), begins, ends);
    const calls = checked(
      bodies.flatMap(({ body, isWhole }) => read(body, offered, isWhole)),
      offered,
    );
    if (calls !== null) return { text: text.slice(0, at).trimEnd(), calls };
  }
  const calls = checked(readWhole(text.trim()), offered);
  return calls === null ? null : { text: "", calls };
}

/**
 * Whether a text ends in something like a call of an offered tool: a tag that contains the tool's name, without words after it.
 * Used for texts whose calls cannot be read.
 */
export function looksLikeCall(given: string, offered: OfferedTools): boolean {
  const text = withoutThoughts(given).trimEnd();
  return formats.some(({ begins, ends }) => {
    const at = text.lastIndexOf(begins);
    if (at < 0) return false;
    const end = ends === null ? -1 : text.lastIndexOf(ends);
    const isLast = end < at || /^\s*(<[^\s<>]+>\s*)*$/.test(text.slice(end + ends!.length));
    return isLast && [...offered.keys()].some((name) => text.includes(name, at));
  });
}

function withoutThoughts(text: string): string {
  const begun = text.trimStart();
  const end = begun.startsWith("<think>") ? begun.indexOf("</think>") : -1;
  return end < 0 ? text : begun.slice(end + "</think>".length);
}

/** Returns the texts inside the tags; empty if there is other text besides the tags. */
function bodiesOf(text: string, begins: string, ends: string | null) {
  if (ends === null) return [{ body: text.slice(begins.length).trim(), isWhole: true }];
  const bodies: { readonly body: string; readonly isWhole: boolean }[] = [];
  let at = 0;
  while (text.startsWith(begins, at)) {
    const found = text.indexOf(ends, at);
    const end = found < 0 ? text.length : found;
    bodies.push({ body: text.slice(at + begins.length, end).trim(), isWhole: found >= 0 });
    at = end + (found < 0 ? 0 : ends.length);
    while (/\s/.test(text[at] ?? "")) at++;
  }
  const isOver = at === text.length || text.slice(at) === "</tool_call>"; // Qwen3-Coder without its outer tag
  return isOver ? bodies : [];
}

/** Members of a call in JSON. If there are others, the JSON is an answer. */
const members: ReadonlySet<string> = new Set(["type", "id", "name", "arguments", "parameters"]);

/** Deepest nesting of arguments, in levels, because the stack must suffice to write them as JSON. */
const maxLevels = 1_000;

function checked(values: readonly unknown[], offered: OfferedTools): readonly TextCall[] | null {
  const calls = values.map((value) => {
    if (!isRecord(value) || !Object.keys(value).every((name) => members.has(name))) return null;
    const { name, arguments: own, parameters = own } = value;
    const given = typeof parameters === "string" ? parsed(parameters)[0] : parameters;
    if (typeof name !== "string" || !offered.has(name) || !isRecord(given)) return null;
    if (meter(given, Number.POSITIVE_INFINITY, maxLevels) !== null) return null;
    return { name, arguments: JSON.stringify(given) };
  });
  return calls.length === 0 || calls.includes(null) ? null : calls.filter((call) => call !== null);
}

/**
 * Turns calls that the model wrote into its text into real ones. Text that may become a call is held back until that is clear.
 */
export async function* withTextCalls(
  parts: AsyncIterable<ModelPart> | Iterable<ModelPart>,
  offered: OfferedTools,
): AsyncIterable<ModelPart> {
  let held: ModelPart[] = [];
  let beginning = "";
  let mayCall = true;
  for await (const part of parts) {
    if (part.type === "finish") {
      const finish = withCalls(part, offered);
      if (finish.items === part.items) yield* held;
      yield finish;
      return;
    }
    held.push(part);
    if (part.type === "text" && beginning.trimStart().length < longestOpening) beginning += part.text;
    mayCall &&= mayBecomeCall(beginning) && !(part.type === "item" && isCall(part.item));
    if (mayCall && beginning !== "") continue;
    yield* held;
    held = [];
  }
  yield* held;
}

function withCalls(
  finish: ModelPart & { readonly type: "finish" },
  offered: OfferedTools,
): ModelPart & { readonly type: "finish" } {
  const { items, incomplete } = finish;
  if (incomplete !== null || items.some(isCall)) return finish;
  const text = items.map(textOf).join("");
  const read = readTextCalls(text, offered);
  if (read === null) return looksLikeCall(text, offered) ? { ...finish, incomplete: "unread_call" } : finish;
  const others = items.filter(({ type }) => type !== "message");
  const said = read.text === "" ? [] : [messageOf(read.text)];
  const calls = read.calls.map((call) => ({
    type: "function_call",
    call_id: `call_${randomUUID()}`,
    ...call,
  }));
  return { ...finish, items: [...others, ...said, ...calls] as readonly ModelItem[] };
}

function isCall({ type }: ModelItem): boolean {
  return type === "function_call" || type === "custom_tool_call";
}

function messageOf(text: string) {
  return { type: "message", role: "assistant", content: [{ type: "output_text", text }] };
}

function textOf({ type, content }: ModelItem): string {
  if (type !== "message" || !Array.isArray(content)) return "";
  return content
    .map((part) => (isRecord(part) && typeof part["text"] === "string" ? part["text"] : ""))
    .join("");
}
