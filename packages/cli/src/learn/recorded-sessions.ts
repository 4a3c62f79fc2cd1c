import type { JsonObject } from "@toolmount/core";
import { redact, redactArguments } from "@toolmount/core/text";
import type { RecordedSession, RecordedStep } from "@toolmount/policy";
import type { Reasoner, SessionCall } from "@toolmount/reasoner";
import type { RecordedCall } from "./recorded-calls.ts";

/** Sessions that are read, those that changed last. */
const maxSessions = 500;

/** What is read of a reasoner. */
interface Sessions extends Pick<Reasoner, "calls"> {
  list(filter: {
    readonly limit: number;
  }): Promise<readonly { readonly id: string; readonly parentId: string | null }[]>;
}

/**
 * The calls of the sessions that a plan's store has, each with what the user had written before it. Sub-agents are left out:
 * a model wrote their instruction.
 */
export async function readSessions(reasoner: Sessions): Promise<readonly RecordedSession[]> {
  const found: RecordedSession[] = [];
  for (const { id, parentId } of await reasoner.list({ limit: maxSessions }))
    if (parentId === null) found.push({ id, steps: stepsOf(id, await reasoner.calls(id)) });
  return found;
}

function stepsOf(session: string, calls: readonly SessionCall[]): readonly RecordedStep[] {
  // A server may use an id again after a compaction.
  const times = new Map<string, number>();
  return calls.flatMap(({ callId, arguments: given, status, isAsked, isCopied, output: value, ...call }) => {
    const time = (times.get(callId) ?? 0) + 1;
    times.set(callId, time);
    const isDenied = status === "denied";
    if (given === null || neverRan.has(status) || (isDenied && !isAsked)) return [];
    const outcome = isDenied ? "denied" : isAsked && !isCopied ? "approved" : "ran";
    const { tool, prompts } = call;
    const id = `${session} ${callId}${time === 1 ? "" : ` (${time})`}`;
    return [{ id, tool, arguments: given, prompts, value, isError: status !== "ok", outcome }];
  });
}

/** Such a call says nothing of a policy. */
const neverRan: ReadonlySet<string> = new Set(["not_found", "invalid", "cancelled"]);

/** The calls of sessions as calls of an audit. `asks` says about which of them flows ask; null: there are no flows. */
export async function* callsOfSessions(
  sessions: readonly RecordedSession[],
  asks: ReadonlyMap<string, boolean> | null,
): AsyncIterable<RecordedCall> {
  for (const { id: session, steps } of sessions)
    for (const { id, tool, arguments: given, outcome } of steps) {
      if (outcome === "ran") continue;
      yield {
        tool,
        arguments: redactArguments(given, redact) as JsonObject,
        answer: "ask",
        person: outcome === "approved" ? "allowed" : "denied",
        rules: [],
        user: undefined,
        session,
        id,
        ...(asks !== null && { asksOfFlows: asks.get(id) ?? false }),
      };
    }
}
