import type { ModelItem, ModelPart } from "./model.ts";
import { isRecord } from "../schema/guards.ts";

const begins = "<think>";
const ends = "</think>";

/** The state of a message in the stream: thoughts may come first, in a tag, and text after them. */
interface Written {
  /** Whether the tag of the thoughts is open; null until the text so far shows whether there is one. */
  isOpen: boolean | null;
  /** Text that may still be a part of a tag. */
  held: string;
  /** Whether the thoughts have ended and no text has followed yet. */
  isSilent: boolean;
}

/**
 * Turns a `<think>` tag at the beginning of a message into reasoning while it is streamed. Servers without a parser for a
 * model's reasoning leave that tag in the text. `provider` is the one that gets the reasoning back.
 */
export async function* withThoughts(
  parts: AsyncIterable<ModelPart> | Iterable<ModelPart>,
  provider: string,
): AsyncIterable<ModelPart> {
  const messages = new Map<number, Written>();
  for await (const part of parts) {
    if (part.type === "text") {
      const written = messages.get(part.index) ?? { isOpen: null, held: "", isSilent: false };
      messages.set(part.index, written);
      yield* split(part, written);
    } else if (part.type === "item") {
      yield* rest(part.index, messages.get(part.index));
      for (const item of dividedItem(part.item, provider)) yield { ...part, item };
    } else if (part.type === "finish")
      yield { ...part, items: part.items.flatMap((item) => dividedItem(item, provider)) };
    else yield part;
  }
}

function* split(
  { index, text }: ModelPart & { readonly type: "text" },
  written: Written,
): Iterable<ModelPart> {
  written.held += text;
  if (written.isOpen === null) {
    const begun = written.held.trimStart();
    if (begun.length < begins.length && begins.startsWith(begun)) return;
    written.isOpen = begun.startsWith(begins);
    if (written.isOpen) written.held = begun.slice(begins.length);
  }
  if (written.isOpen) yield* inTag(index, written);
  if (!written.isOpen) yield* rest(index, written);
}

function* inTag(index: number, written: Written): Iterable<ModelPart> {
  const end = written.held.indexOf(ends);
  const sure = end < 0 ? written.held.length - tailOf(written.held) : end;
  if (sure > 0) yield { type: "reasoning", index, text: written.held.slice(0, sure) };
  written.held = written.held.slice(sure);
  if (end < 0) return;
  written.isOpen = false;
  written.isSilent = true;
  written.held = written.held.slice(ends.length);
}

/** Returns the length of the end of a text that may be the start of the closing tag. */
function tailOf(text: string): number {
  for (let length = Math.min(ends.length - 1, text.length); length > 0; length--)
    if (text.endsWith(ends.slice(0, length))) return length;
  return 0;
}

function* rest(index: number, written: Written | undefined): Iterable<ModelPart> {
  if (written?.isSilent === true) written.held = written.held.trimStart();
  if (written === undefined || written.held === "") return;
  written.isSilent = false;
  yield { type: written.isOpen === true ? "reasoning" : "text", index, text: written.held };
  written.held = "";
}

/** Divides a message into its reasoning and the message without it. */
function dividedItem(item: ModelItem, provider: string): readonly ModelItem[] {
  const { type, content } = item;
  const [first] = type === "message" && Array.isArray(content) ? content : [];
  const written = isRecord(first) && typeof first["text"] === "string" ? first["text"].trimStart() : "";
  if (!written.startsWith(begins)) return [item];
  const end = written.indexOf(ends);
  const thought = written.slice(begins.length, end < 0 ? undefined : end).trim();
  const text = end < 0 ? "" : written.slice(end + ends.length).trimStart();
  const summary = thought === "" ? [] : [{ type: "summary_text", text: thought }];
  const reasoning = { type: "reasoning", summary, provider_metadata: { provider, metadata: {} } };
  const said = { ...item, content: [{ ...(first as ModelItem), text }] };
  return [...(thought === "" ? [] : [reasoning]), ...(text === "" ? [] : [said])];
}
