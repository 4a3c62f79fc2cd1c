import { randomUUID } from "node:crypto";
import type { ModelItem, ModelPart } from "./model.ts";
import { isRecord, parseJson } from "../schema/guards.ts";

/** A call that a model wrote into its text. */
interface TextCall {
  readonly name: string;
  /** JSON. */
  readonly arguments: string;
}

/** The tags in which models write calls where their server does not read them. Without an end, a tag reaches to the end of the text. */
const tags: readonly { readonly begins: string; readonly ends: string | null }[] = [
  { begins: "<tool_call>", ends: "</tool_call>" }, // Hermes, Qwen
  { begins: "<function=", ends: "</function>" }, // Llama
  { begins: "<|python_tag|>", ends: null }, // Llama
  { begins: "[TOOL_CALLS]", ends: null }, // Mistral
];

/** A text that is a call as a whole begins with one of these: a tag, a fence, or JSON. */
const openings = [...tags.map(({ begins }) => begins), "```", "{", "["];
const longestOpening = Math.max(...openings.map(({ length }) => length));

/** Whether a text that is still written may become a call. Its beginning decides, for every text that continues it. */
export function mayBecomeCall(text: string): boolean {
  const begun = text.trimStart();
  return openings.some((opening) => begun.startsWith(opening) || opening.startsWith(begun));
}

/**
 * Reads the calls that a model wrote into its text: in tags at its end, or as JSON that is the whole text. Null unless each is a
 * call of an offered tool with an object of arguments: any other text stays what the model says.
 */
export function readTextCalls(
  given: string,
  offered: ReadonlySet<string>,
): { readonly text: string; readonly calls: readonly TextCall[] } | null {
  const text = withoutThoughts(given);
  for (const { begins, ends } of tags) {
    const at = text.indexOf(begins);
    if (at < 0) continue;
    const bodies = bodiesOf(text.slice(at).trimEnd(), begins, ends);
    const calls = checked(bodies.flatMap(callsIn), offered);
    if (calls !== null) return { text: text.slice(0, at).trimEnd(), calls };
  }
  const calls = checked(parsed(withoutFence(text.trim())), offered);
  return calls === null ? null : { text: "", calls };
}

function withoutThoughts(text: string): string {
  const begun = text.trimStart();
  const end = begun.startsWith("<think>") ? begun.indexOf("</think>") : -1;
  return end < 0 ? text : begun.slice(end + "</think>".length);
}

function withoutFence(text: string): string {
  const [first = ""] = text.split("\n", 1);
  const isFenced = /^```(?:json)?\s*$/.test(first) && text.endsWith("```");
  return isFenced ? text.slice(first.length, -3) : text;
}

/** The texts inside the tags. Empty when the text has something beside its tags. */
function bodiesOf(text: string, begins: string, ends: string | null): readonly string[] {
  if (ends === null) return [text.slice(begins.length).trim()];
  const bodies: string[] = [];
  let at = 0;
  while (text.startsWith(begins, at)) {
    const end = text.indexOf(ends, at);
    if (end < 0) return [];
    bodies.push(text.slice(at + begins.length, end).trim());
    at = end + ends.length;
    while (/\s/.test(text[at] ?? "")) at++;
  }
  return at === text.length ? bodies : [];
}

/** The calls in a tag: JSON, or a name and the JSON of its arguments. */
function callsIn(body: string): readonly unknown[] {
  const [, name, json = ""] = /^([\w.-]+)\s*(?:>|\[ARGS\])?\s*(\{[\s\S]*\})/.exec(body) ?? [];
  if (name !== undefined) return [{ name, arguments: parsed(json)[0] }];
  return parsed(body.replace(/<\|eom_id\|>$/, ""));
}

/** The values of a JSON text: the members of a list, or the one value. Empty for another text. */
function parsed(text: string): readonly unknown[] {
  const value = parseJson(text);
  if (value === undefined) return [];
  return Array.isArray(value) ? value : [value];
}

/** Members that the JSON of a call has. Others are those of an answer in JSON. */
const members: ReadonlySet<string> = new Set(["type", "id", "name", "arguments", "parameters"]);

function checked(values: readonly unknown[], offered: ReadonlySet<string>): readonly TextCall[] | null {
  const calls = values.map((value) => {
    if (!isRecord(value) || !Object.keys(value).every((name) => members.has(name))) return null;
    const { name, arguments: own, parameters = own } = value;
    const given = typeof parameters === "string" ? parsed(parameters)[0] : parameters;
    if (typeof name !== "string" || !offered.has(name) || !isRecord(given)) return null;
    return { name, arguments: JSON.stringify(given) };
  });
  return calls.length === 0 || calls.includes(null) ? null : calls.filter((call) => call !== null);
}

/** Reads the calls that the model wrote into its text. It holds back text that may become a call until that is known. */
export async function* withTextCalls(
  parts: AsyncIterable<ModelPart> | Iterable<ModelPart>,
  offered: ReadonlySet<string>,
): AsyncIterable<ModelPart> {
  let held: ModelPart[] = [];
  let beginning = "";
  let mayCall = true;
  for await (const part of parts) {
    if (part.type === "finish") {
      const finish = withCalls(part, offered);
      if (finish === part) yield* held;
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
  offered: ReadonlySet<string>,
): ModelPart & { readonly type: "finish" } {
  const { items, incomplete } = finish;
  if (incomplete !== null || items.some(isCall)) return finish;
  const read = readTextCalls(items.map(textOf).join(""), offered);
  if (read === null) return finish;
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
