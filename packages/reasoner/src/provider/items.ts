import { randomUUID } from "node:crypto";
import { ToolmountError, type JsonObject } from "@toolmount/core";

/** One item of a conversation in the form of the Responses API, such as a message, a call, the output of a call, or reasoning. */
export type Item = JsonObject;

/** A call that a model asked for. */
export interface FunctionCall {
  readonly callId: string;
  readonly name: string;
  /** The text of the arguments, which is JSON unless the model wrote something else. */
  readonly arguments: string;
  /** Whether the arguments are free text instead of JSON. The output of such a call is an item of another type. */
  readonly custom: boolean;
}

/** Creates a message of the user, the assistant or the developer. */
export function message(role: "user" | "assistant" | "developer", text: string): Item {
  return { type: "message", role, content: text };
}

/** An image in a message of the user, in base64 without a `data:` prefix. */
export interface ImageInput {
  readonly mimeType: string;
  readonly data: string;
}

/** Throws `OPTION_INVALID` for an image whose type is not `image/…` or whose data is not base64. */
export function requireImages(images: readonly ImageInput[] = []): void {
  const isImage = ({ mimeType, data }: ImageInput) =>
    /^image\/[\w.+-]+$/.test(mimeType) && /^[A-Za-z0-9+/]+=*$/.test(data);
  const at = images.findIndex((image) => !isImage(image));
  if (at < 0) return;
  const problem = `image ${at + 1} is not { mimeType: "image/…", data: base64 without a data: prefix }`;
  throw new ToolmountError("OPTION_INVALID", { option: "images", problem });
}

/** Creates the user's message: its text, followed by its images. */
export function userMessage(text: string, images: readonly ImageInput[] = []): Item {
  if (images.length === 0) return message("user", text);
  const parts = images.map(({ mimeType, data }) => imageItem(mimeType, data));
  return { type: "message", role: "user", content: [{ type: "input_text", text }, ...parts] };
}

/** Creates an image as a part of a message, or of a call's output. */
export function imageItem(mimeType: string, data: string): Item {
  return { type: "input_image", detail: "auto", image_url: `data:${mimeType};base64,${data}` };
}

/** Creates a file as a part of a message, or of a call's output. */
export function fileItem(filename: string, mimeType: string, data: string): Item {
  return { type: "input_file", filename, file_data: `data:${mimeType};base64,${data}` };
}

/** Tests whether a value is an object, as each item is. */
export function isItem(value: unknown): value is Item {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns the value if it is a text; otherwise an empty text. */
export function readText(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** Reads the call in an item; null for items of other kinds, and for a call without an id. */
export function readFunctionCall(item: Item): FunctionCall | null {
  const { type, call_id: callId, name } = item;
  if (!isCall(item) || typeof callId !== "string") return null;
  const custom = type === "custom_tool_call";
  const given = custom ? item["input"] : item["arguments"];
  return {
    callId,
    name: typeof name === "string" ? name : "",
    arguments: typeof given === "string" ? given : JSON.stringify(given ?? null),
    custom,
  };
}

/** Tests whether an item is a call, which needs an output. */
export function isCall({ type }: Item): boolean {
  return type === "function_call" || type === "custom_tool_call";
}

/** Tests whether an item answers a call. */
export function isCallOutput({ type }: Item): boolean {
  return type === "function_call_output" || type === "custom_tool_call_output";
}

/** Returns the output of a call with the type that the call needs. */
export function answerOf({ custom }: FunctionCall, item: Item): Item {
  return custom ? { ...item, type: "custom_tool_call_output" } : item;
}

/**
 * Returns the items of an answer that are added to the conversation. Each call gets a unique id, so that one output belongs to
 * it; `taken` are the ids of earlier calls, which some servers use again. Without `stored`, the server has not stored the
 * items: those other than reasoning lose their ids, and reasoning that `canBeCarried` refuses is left out.
 */
export function keptItems(output: readonly Item[], stored: boolean, taken: Iterable<unknown> = []): Item[] {
  const seen = new Set<unknown>(taken);
  const kept = output.flatMap((item) => {
    const { type } = item;
    if (isCall(item)) return [withOwnId(item, seen, stored)];
    if (type === "reasoning") return stored || canBeCarried(item) ? [withoutNulls(item)] : [];
    return [stored ? item : without(item, "id", "status")];
  });
  // Servers refuse reasoning that no item follows.
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

/** Tests whether reasoning has its content or its provider's data. Without them, only a server that stored it can use it. */
export function canBeCarried({
  encrypted_content: sealed,
  content,
  provider_metadata: metadata,
}: Item): boolean {
  if (metadata !== undefined) return true;
  return (typeof sealed === "string" && sealed !== "") || (Array.isArray(content) && content.length > 0);
}

function withoutNulls(item: Item): Item {
  return Object.fromEntries(Object.entries(item).filter(([, value]) => value !== null));
}

function without(item: Item, ...keys: readonly string[]): Item {
  return Object.fromEntries(Object.entries(item).filter(([key]) => !keys.includes(key)));
}

/** Returns the joined texts and refusals of the messages in an answer. */
export function textOf(items: readonly Item[]): string {
  return items
    .filter(({ type }) => type === "message")
    .flatMap(({ content }): unknown => content)
    .map((part: unknown) => {
      if (typeof part === "string") return part;
      const { text, refusal } = (isItem(part) ? part : {}) as { text?: unknown; refusal?: unknown };
      return typeof text === "string" ? text : typeof refusal === "string" ? refusal : "";
    })
    .join("");
}
