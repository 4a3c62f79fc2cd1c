import type { Json, JsonObject } from "@toolmount/core";
import { isRecord } from "@toolmount/core/json";
import { isCallOutput, readFunctionCall, readText, type Item } from "../provider/items.ts";
import type { SessionEntry } from "./entry.ts";
import { fold } from "./fold.ts";
import { createView } from "./view.ts";

/** A call of a session that ended. */
export interface SessionCall {
  readonly callId: string;
  /** The name that the model wrote. */
  readonly tool: string;
  /** Null where the model wrote no JSON object. */
  readonly arguments: JsonObject | null;
  /** What the user had written when the model asked for the call. */
  readonly prompts: readonly string[];
  /** The status of its outcome, such as `ok` or `denied`. */
  readonly status: string;
  /** Whether a person was asked about it. */
  readonly isAsked: boolean;
  /** Its result, as the model read it: JSON where it is JSON, else the text. */
  readonly output: Json;
  /** Whether it was made in the session from which this one is a copy. */
  readonly isCopied: boolean;
}

type OpenCall = Pick<SessionCall, "callId" | "tool" | "arguments" | "prompts"> & { isAsked: boolean };

/** Reads all ended calls from a log, also those of turns that a compaction or a rewind removed. */
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

/** The log of a copy does not say how its calls ended. */
function copiedCalls(items: readonly Item[], prompts: readonly string[]): readonly SessionCall[] {
  const outputs = new Map(items.filter(isCallOutput).map((item) => [item["call_id"], item]));
  return callsIn(items, prompts).flatMap((call) => {
    const output = outputs.get(call.callId);
    return output === undefined ? [] : [{ ...call, status: "ok", output: outputOf(output), isCopied: true }];
  });
}

/** The text of an output, without the lines of the host after it. */
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
