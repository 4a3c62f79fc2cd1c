import type { AuditSink, JsonObject } from "@toolmount/core";
import { redact, redactArguments } from "@toolmount/core/text";
import type { RecordedSession, RecordedStep } from "@toolmount/policy";
import type { Reasoner, SessionCall } from "@toolmount/reasoner";
import { callOf, RunJoiner, type AuditedCall } from "../audit/audited-calls.ts";
import type { RecordedCall } from "./recorded-calls.ts";

/** Maximum number of sessions that are read. Those that changed last come first. */
const maxSessions = 500;

/** The members of a reasoner that are needed here. */
interface Sessions extends Pick<Reasoner, "calls"> {
  list(filter: {
    readonly limit: number;
  }): Promise<readonly { readonly id: string; readonly parentId: string | null }[]>;
}

/**
 * Reads the calls of the sessions in a plan's store, each with what the user had written before it. Sub-agents are left out,
 * because a model wrote their instruction. A session does not record who answered a question. If the audit shows that it was no
 * person, the answer is ignored.
 */
export async function readSessions(
  reasoner: Sessions,
  audit: AuditSink | null = null,
): Promise<readonly RecordedSession[]> {
  const found: RecordedSession[] = [];
  for (const { id, parentId } of await reasoner.list({ limit: maxSessions }))
    if (parentId === null) found.push({ id, steps: await stepsOf(id, await reasoner.calls(id), audit) });
  return found;
}

async function stepsOf(
  session: string,
  calls: readonly SessionCall[],
  audit: AuditSink | null,
): Promise<readonly RecordedStep[]> {
  // A model's server may use an id again after a compaction.
  const times = new Map<string, number>();
  const steps: RecordedStep[] = [];
  for (const { callId, tool, arguments: given, prompts, status, isAsked, isCopied, output: value } of calls) {
    const time = (times.get(callId) ?? 0) + 1;
    times.set(callId, time);
    if (given === null || neverRan.has(status)) continue;
    const person = isAsked && !isCopied ? await personOf(session, callId, time, audit) : null;
    const isDenied = status === "denied";
    const outcome = person === null ? "ran" : isDenied ? "denied" : "approved";
    if (isDenied && outcome === "ran") continue;
    const id = `${session} ${callId}${time === 1 ? "" : ` (${time})`}`;
    steps.push({ id, tool, arguments: given, prompts, value, isError: status !== "ok", outcome });
  }
  return steps;
}

/** Returns what a person answered to a question; null if no person did, undefined if the audit does not know the call. */
async function personOf(
  sessionId: string,
  callId: string,
  time: number,
  audit: AuditSink | null,
): Promise<AuditedCall["person"] | undefined> {
  const found = await audit?.calls?.({ sessionId, callId, limit: 100 });
  const run = found?.calls.toReversed()[time - 1];
  if (run === undefined) return undefined;
  const joiner = new RunJoiner();
  for (const { entry } of await audit!.read({ runIds: [run.runId] })) {
    const ended = joiner.add(entry);
    if (ended !== null) return callOf(ended).person;
  }
  return undefined;
}

/** Statuses of calls that say nothing about a policy. */
const neverRan: ReadonlySet<string> = new Set(["not_found", "invalid", "cancelled"]);

/** Yields the calls of sessions in the form of an audit. `asks` says about which of them flows ask; null means no flows. */
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
