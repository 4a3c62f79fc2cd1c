import type { Json } from "@toolmount/core";
import type { Model, ModelRules } from "@toolmount/interop";
import { createNameMap } from "@toolmount/interop/internal";
import { digestOf } from "@toolmount/core/json";
import { isCall, isCallOutput, isItem, message, readText, type Item } from "./items.ts";
import { legalArguments, legalContent, legalOutput, legalText } from "./legal-parts.ts";
import { isRefused, withRefused, type PartRules, type RefusedParts } from "./refused-parts.ts";

/** Limits that every known server accepts. They apply if a model does not state the rules of its server. */
const commonRules: ModelRules = {
  callId: /^[a-zA-Z0-9_-]{1,40}$/,
  images: ["image/png", "image/jpeg", "image/webp"],
  maxImageBytes: 5 * 1024 * 1024,
  maxImageSide: 8_000,
  imagesInOutputs: false,
};

/** Returns the rules of a model's server, and what the server has refused in this session. */
export function rulesOf(model: Model, refusals: readonly RefusedParts[]): PartRules {
  return withRefused(model.rules ?? commonRules, model, refusals);
}

/** What names of calls may contain, so that every known server accepts them. */
export const nameRule = { allowed: /[a-zA-Z0-9_-]/, maxLength: 64, first: /[a-zA-Z_]/ };

/**
 * Changes a conversation so that the model's server accepts it, whatever models, tools and hooks wrote into it. This is the
 * last step before a request; the session keeps the original.
 *
 * Names and ids of calls get characters that the server accepts, and the same id always becomes the same new one. Blank texts
 * are left out. Exactly one output follows each call. The conversation begins with a user's message, and ends with one or with
 * a call's output. While a conversation grows, its beginning stays the same, so that servers can use their cache.
 *
 * `isContinued`: the server has stored the beginning of the conversation, so the ids, the order and the ends of the new items
 * stay.
 */
export function legalItems(
  items: readonly Item[],
  {
    rules = commonRules,
    isContinued,
  }: { readonly rules?: PartRules | undefined; readonly isContinued: boolean },
): Item[] {
  const cleaned = items
    .flatMap((item) => withoutRefused(item, rules))
    .flatMap((item) => legalItem(item, rules));
  return isContinued ? cleaned : withEnds(arranged(withLegalIds(cleaned, rules), rules));
}

/** Leaves out reasoning that the server refused, and the signatures of other items that it refused. */
function withoutRefused(item: Item, rules: PartRules): Item[] {
  if (!isRefused(item, rules)) return [item];
  const { provider_metadata: _, ...rest } = item;
  return item["type"] === "reasoning" ? [] : [rest];
}

function legalItem(item: Item, rules: PartRules): Item[] {
  const { type = "role" in item ? "message" : "" } = item;
  if (isCall(item)) return [legalCall(item)];
  if (isCallOutput(item)) return [{ ...item, output: legalOutput(item["output"], rules) }];
  if (type !== "message") return type === "" ? [] : [item];
  const role = roles.has(item["role"]) ? item["role"]! : "developer";
  const content = legalContent(partsOf(role, item["content"]), rules);
  return content === null ? [] : [{ ...item, type, role, content }];
}

const roles: ReadonlySet<unknown> = new Set(["user", "assistant", "developer", "system"]);

/**
 * Returns the parts of a message with types that fit its role: texts of the assistant are output, and it has no images; texts of
 * others are input.
 */
function partsOf(role: Json, content: Json | undefined): Json | undefined {
  if (!Array.isArray(content)) return content;
  const kind = role === "assistant" ? "output_text" : "input_text";
  return content.flatMap((part): Json[] => {
    if (!isItem(part)) return typeof part === "string" ? [{ type: kind, text: part }] : [];
    const { type, text } = part;
    if (typeof text === "string") return [type === kind ? part : { ...part, type: kind }];
    return (role === "assistant") === (type === "refusal") ? [part] : [];
  });
}

const names = createNameMap([], nameRule);

function legalCall(item: Item): Item {
  const named = { ...item, name: names.toProvider(readText(item["name"])) };
  return item["type"] === "custom_tool_call"
    ? { ...named, input: legalText(readText(item["input"])) }
    : { ...named, arguments: legalArguments(readText(item["arguments"])) };
}

/**
 * Gives each call a unique id, and its output the same id. If several calls have an id, the n-th output with this id belongs to
 * the n-th call.
 */
function withLegalIds(items: readonly Item[], { callId: pattern }: ModelRules): Item[] {
  const uses = { call: new Map<string, number>(), output: new Map<string, number>() };
  return items.map((item) => {
    if (!isCall(item) && !isCallOutput(item)) return item;
    const id = readText(item["call_id"]);
    const counts = isCall(item) ? uses.call : uses.output;
    const use = counts.get(id) ?? 0;
    counts.set(id, use + 1);
    return use === 0 && pattern.test(id) ? item : { ...item, call_id: madeId(id, use, pattern) };
  });
}

function madeId(id: string, use: number, pattern: RegExp): string {
  const digest = digestOf([id, use]);
  const long = `call_${digest.slice(0, 24)}`;
  return pattern.test(long) ? long : digest.slice(0, 9);
}

/**
 * Moves the outputs of the calls of an answer directly after the answer. A call without an output gets one that says that it is
 * missing.
 */
function arranged(items: readonly Item[], rules: ModelRules): Item[] {
  const outputs = new Map(items.filter(isCallOutput).map((item) => [item["call_id"], item]));
  const all: Item[] = [];
  let answer: Item[] = [];
  const close = () => {
    // Servers refuse reasoning that no item follows.
    while (answer.at(-1)?.["type"] === "reasoning") answer.pop();
    const calls = answer.filter(isCall);
    all.push(
      ...answer,
      ...withoutImages(
        calls.map((call) => outputOf(call, outputs)),
        rules,
      ),
    );
    answer = [];
  };
  for (const item of items) {
    const isAnswer = isCall(item) || item["type"] !== "message" || item["role"] === "assistant";
    if (isCallOutput(item) ? answer.some(isCall) : !isAnswer) close();
    if (isCallOutput(item)) continue;
    if (isAnswer) answer.push(item);
    else all.push(item);
  }
  close();
  return all;
}

function outputOf({ call_id: id, type }: Item, outputs: ReadonlyMap<unknown, Item>): Item {
  const kind = `${readText(type)}_output`;
  const given = outputs.get(id);
  if (given !== undefined) return { ...given, type: kind };
  return {
    type: kind,
    call_id: id!,
    output: "Error: the output of this call is not known [OUTCOME_UNKNOWN]",
  };
}

/** If the server accepts only text in outputs, moves their images and files into a message of the user after them. */
function withoutImages(outputs: readonly Item[], { imagesInOutputs }: ModelRules): Item[] {
  if (imagesInOutputs) return [...outputs];
  const shown: Item[] = [];
  const texts = outputs.map((item) => {
    const parts = Array.isArray(item["output"]) ? (item["output"] as Item[]) : [];
    const files = parts.filter(({ type }) => type === "input_image" || type === "input_file");
    if (files.length === 0) return item;
    shown.push(
      { type: "input_text", text: `(from the output of the call ${readText(item["call_id"])})` },
      ...files,
    );
    const rest = parts.filter((part) => !files.includes(part));
    return { ...item, output: rest.length === 0 ? "(see the next message)" : rest };
  });
  return shown.length === 0 ? texts : [...texts, { type: "message", role: "user", content: shown }];
}

/** Adds a message of the user at the beginning or the end if it is missing there, because some servers require one. */
function withEnds(items: readonly Item[]): Item[] {
  const isGiven = (item: Item | undefined) =>
    item !== undefined &&
    (isCallOutput(item) || (item["type"] === "message" && item["role"] !== "assistant"));
  const first = isGiven(items[0]) && !isCallOutput(items[0]!) ? [] : [message("user", noBeginning)];
  const last = items.length === 0 || isGiven(items.at(-1)) ? [] : [message("user", "(continue)")];
  return [...first, ...items, ...last];
}

const noBeginning = "(the beginning of this conversation is not shown)";
