import type { Json, JsonObject } from "@toolmount/core";
import { isRecord } from "@toolmount/core/json";
import { isCallOutput, readFunctionCall, readText, type Item } from "../provider/items.ts";
import type { SessionEntry } from "./entry.ts";
import { fold } from "./fold.ts";
import { createView } from "./view.ts";

/** An ended call of a session. */
export interface SessionCall {
  readonly callId: string;
  /** The name that the model wrote. */
  readonly tool: string;
  /** The arguments; null if the model did not write a JSON object. */
  readonly arguments: JsonObject | null;
  /** The user's texts in the session up to the call. */
  readonly prompts: readonly string[];
  /** The status of its outcome, such as `ok` or `denied`. */
  readonly status: string;
  /** Whether a person was asked to approve the call. */
  readonly isAsked: boolean;
  /** The result that the model read: a parsed value if it is a JSON object or list, else the text. */
  readonly output: Json;
  /** Whether the call was made in the session from which this one was copied. */
  readonly isCopied: boolean;
}

type OpenCall = Pick<SessionCall, "callId" | "tool" | "arguments" | "prompts"> & { isAsked: boolean };

/** Reads all ended calls from a log, including those of turns that a compaction or a rewind removed. */
export function pastCallsOf(entries: readonly SessionEntry[]): readonly SessionCall[] {
  const view = createView();
  const open = new Map<string, OpenCall>();
  const ended: SessionCall[] = [];
  for (const entry of entries) {
    fold(view, entry);
    if (entry.kind === "base") ended.push(...copiedCalls(entry.items, view.prompts));
    else if (entry.kind === "answer")
      for (const call of callsIn(entry.items, view.prompts)) open.set(call.callId, call);
    else if (entry.kind === "waits" && entry.waitsFor === "approval") {
      const call = open.get(entry.callId);
      if (call !== undefined) call.isAsked = true;
    } else if (entry.kind === "output") {
      const call = open.get(entry.callId);
      if (call !== undefined && open.delete(entry.callId))
        ended.push({ ...call, status: entry.status, output: outputOf(entry.item), isCopied: false });
    }
  }
  return ended;
}

function callsIn(items: readonly Item[], prompts: readonly string[]): readonly OpenCall[] {
  return items.flatMap((item) => {
    const call = readFunctionCall(item);
    if (call === null) return [];
    const { callId, name: tool, arguments: text } = call;
    const given = readJson(text);
    return [
      {
        callId,
        tool,
        arguments: isRecord(given) ? given : null,
        prompts: [...prompts],
        isAsked: false,
      },
    ];
  });
}

/** Reads the calls of a copied conversation. Their status is assumed to be `ok`, because the log of a copy does not have it. */
function copiedCalls(items: readonly Item[], prompts: readonly string[]): readonly SessionCall[] {
  const outputs = new Map(items.filter(isCallOutput).map((item) => [item["call_id"], item]));
  return callsIn(items, prompts).flatMap((call) => {
    const output = outputs.get(call.callId);
    return output === undefined ? [] : [{ ...call, status: "ok", output: outputOf(output), isCopied: true }];
  });
}

/** Returns the text of an output, without the host's lines after it. */
function outputOf({ output }: Item): Json {
  const [first] = Array.isArray(output) ? (output as readonly Item[]) : [];
  const text = readText(first === undefined ? output : first["text"]);
  const at = text.search(/\n(?:Warning|Omitted): /);
  return readJson(at === -1 ? text : text.slice(0, at)) ?? text;
}

function readJson(text: string): Json | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}
