import { randomUUID } from "node:crypto";
import type { JsonObject } from "@toolmount/core";

/** One item of a conversation, as the Responses API has it: a message, a call, its output, a piece of reasoning. */
export type Item = JsonObject;

/** A call that a model asked for. */
export interface FunctionCall {
  readonly callId: string;
  readonly name: string;
  /** JSON, if the model kept to it. */
  readonly arguments: string;
  /** Free text in place of JSON; such a call is answered by an item of its own kind. */
  readonly custom: boolean;
}

/** A message of a user, or of whoever instructs. */
export function message(role: "user" | "assistant" | "developer", text: string): Item {
  return { type: "message", role, content: text };
}

/** Whether a value is an item at all. */
export function isItem(value: unknown): value is Item {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A text of others; what is none is empty. */
export function readText(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** A call in an item; null for items of other kinds. */
export function readFunctionCall(item: Item): FunctionCall | null {
  const { type, call_id: callId, name } = item;
  if (!isCall(item) || typeof callId !== "string") return null;
  const custom = type === "custom_tool_call";
  const given = custom ? item["input"] : item["arguments"];
  return {
    callId,
    name: typeof name === "string" ? name : "",
    arguments: typeof given === "string" ? given : "",
    custom,
  };
}

/** Whether an item has to be answered by us. */
export function isCall({ type }: Item): boolean {
  return type === "function_call" || type === "custom_tool_call";
}

/** Whether an item answers a call. */
export function isCallOutput({ type }: Item): boolean {
  return type === "function_call_output" || type === "custom_tool_call_output";
}

/** An output as the kind of its call wants it. */
export function answerOf({ custom }: FunctionCall, item: Item): Item {
  return custom ? { ...item, type: "custom_tool_call_output" } : item;
}

/**
 * What of an answer goes into the conversation. Each call has an id of its own, whatever the server gave, so that each
 * can be answered exactly once; `taken` are those of the conversation before, which some servers give again. Ids of
 * other items are left out where the server does not keep them.
 */
export function keptItems(output: readonly Item[], stored: boolean, taken: Iterable<unknown> = []): Item[] {
  const seen = new Set<unknown>(taken);
  const kept = output.flatMap((item) => {
    const { type } = item;
    if (isCall(item)) return [withOwnId(item, seen, stored)];
    if (type === "reasoning") return stored || canBeCarried(item) ? [withoutNulls(item)] : [];
    return [stored ? item : without(item, "id", "status")];
  });
  // Reasoning that nothing follows is refused by the server that wrote it.
  while (kept.at(-1)?.["type"] === "reasoning") kept.pop();
  return kept;
}

function withOwnId(item: Item, seen: Set<unknown>, stored: boolean): Item {
  const given = item["call_id"] ?? item["id"];
  const isFree = typeof given === "string" && given !== "" && !seen.has(given);
  const callId = isFree ? given : `call_${randomUUID().replaceAll("-", "")}`;
  seen.add(callId);
  const text = item["type"] === "function_call" ? { arguments: item["arguments"] ?? "" } : {};
  const call = { ...item, call_id: callId, ...text } as Item;
  return stored ? call : without(call, "id", "status");
}

/** Without its content, a server that did not keep it cannot read it back. */
function canBeCarried({ encrypted_content: sealed, content }: Item): boolean {
  return (typeof sealed === "string" && sealed !== "") || (Array.isArray(content) && content.length > 0);
}

function withoutNulls(item: Item): Item {
  return Object.fromEntries(Object.entries(item).filter(([, value]) => value !== null));
}

function without(item: Item, ...keys: readonly string[]): Item {
  return Object.fromEntries(Object.entries(item).filter(([key]) => !keys.includes(key)));
}

/** The text of an answer's messages. */
export function textOf(items: readonly Item[]): string {
  return items
    .filter(({ type }) => type === "message")
    .flatMap(({ content }) => (Array.isArray(content) ? content : [content]))
    .map((part: unknown) => {
      if (typeof part === "string") return part;
      const { text, refusal } = (isItem(part) ? part : {}) as { text?: unknown; refusal?: unknown };
      return typeof text === "string" ? text : typeof refusal === "string" ? refusal : "";
    })
    .join("");
}
