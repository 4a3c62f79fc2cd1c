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
  const { type, call_id: callId, name, arguments: given } = item;
  if (type !== "function_call" || typeof callId !== "string") return null;
  return {
    callId,
    name: typeof name === "string" ? name : "",
    arguments: typeof given === "string" ? given : "",
  };
}

/**
 * What of an answer goes into the conversation. Each call has an id of its own, whatever the server gave, so that each
 * can be answered exactly once; ids of other items are left out where the server does not keep them.
 */
export function keptItems(output: readonly Item[], stored: boolean): Item[] {
  const seen = new Set<unknown>();
  const kept = output.flatMap((item) => {
    const { type } = item;
    if (type === "function_call") return [withOwnId(item, seen, stored)];
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
  const call = { ...item, call_id: callId, arguments: item["arguments"] ?? "" } as Item;
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
