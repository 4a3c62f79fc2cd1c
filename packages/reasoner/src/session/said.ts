import { readFunctionCall, textOf, type Item } from "../provider/items.ts";
import type { KeptPrompt, AuthoredText } from "./author.ts";
import type { SessionEntry } from "./entry.ts";

/** A text of a session with its author, and the calls that came with it. */
export interface Said {
  /** `model` for an answer of the model, else the author of that part of a prompt. */
  readonly by: AuthoredText["author"] | "model";
  /** The text; empty for a model's answer that has only calls. */
  readonly text: string;
  /** Ids of the calls in this answer of the model, in its order. */
  readonly calls: readonly string[];
}

/** Returns all texts of a session in order, including those that a compaction or a rewind removed from the conversation. */
export function saidIn(entries: readonly SessionEntry[]): readonly Said[] {
  return entries.flatMap((entry) => {
    if (entry.kind === "begin") return promptOf({ text: entry.prompt, parts: entry.parts });
    if (entry.kind === "message") return promptOf(entry);
    return entry.kind === "answer" ? answerOf(entry.items) : [];
  });
}

function promptOf({ text, parts = [{ author: "typed", text }] }: KeptPrompt): readonly Said[] {
  return parts.map((part) => ({ by: part.author, text: part.text, calls: [] }));
}

function answerOf(items: readonly Item[]): readonly Said[] {
  const calls = items.flatMap((item) => readFunctionCall(item)?.callId ?? []);
  const text = textOf(items);
  return text === "" && calls.length === 0 ? [] : [{ by: "model", text, calls }];
}
