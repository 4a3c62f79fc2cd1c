import { isToolmountError, ToolmountError, type Json, type ToolOutcome } from "@toolmount/core";
import type { Item } from "../provider/items.ts";
import type { WaitsFor } from "../session/entry.ts";
import type { CallState } from "../session/view.ts";
import { isChildWait, type ChildWait } from "../session/waiting.ts";
import type { Calling } from "./calling.ts";
import { outcomeText, outputItem } from "./model-text.ts";
import type { ClientResult } from "./turn-types.ts";

/** Runs one call and stores its output, or why it waits. Items that only the next request gets are added to `ephemeral`. */
export async function runCall(
  { call }: CallState,
  group: string,
  calling: Calling,
  ephemeral: Item[],
): Promise<void> {
  const { session, context, emit, log } = calling;
  const { callId } = call;
  const request = calling.readCall(call);
  const { name: tool } = request;
  emit({ type: "tool_call", callId, tool, arguments: call.arguments });
  const waits = { kind: "waits", callId, tool, waitsFor: "approval", arguments: null, asking: true } as const;
  const onQuestion = (ticket: string) => log.append({ ...waits, ticket });
  const act = () => session.call(request, { ...context, parallelGroupId: group, onQuestion });
  await record(callId, await outcomeOf(act, tool, callId, calling), calling, ephemeral);
}

/** Resumes a waiting call, with the client's result if the client runs it. */
export async function resumeCall(
  state: CallState,
  given: ClientResult | undefined,
  calling: Calling,
  ephemeral: Item[],
): Promise<void> {
  const { session, context } = calling;
  const { ticket, tool } = state.waits!;
  const { callId } = state.call;
  const act = () => session.resume(ticket, context, resultOf(given));
  await record(callId, await outcomeOf(act, tool, callId, calling), calling, ephemeral);
}

function resultOf(given: ClientResult | undefined): object | undefined {
  if (given === undefined) return undefined;
  return given.error === undefined ? { data: given.result } : { error: given.error };
}

/** Returns the outcome of a call, or the wait of its sub-agent. Other interrupts and errors become failed outcomes. */
async function outcomeOf(
  act: () => Promise<ToolOutcome>,
  tool: string,
  callId: string,
  { log }: Calling,
): Promise<ToolOutcome | ChildWait> {
  try {
    return await act();
  } catch (error) {
    const value = (error as { readonly value?: unknown } | null)?.value;
    if (isChildWait(value, log.view.children)) return value;
    const known = isToolmountError(error)
      ? error
      : new ToolmountError("INTERRUPTED", { tool }, { cause: error });
    const result = { tool, fetchedAt: "", error: known.message, code: known.code };
    return { callId, runId: "", tool, status: "failed", result, durationMs: 0 };
  }
}

function record(
  callId: string,
  ended: ToolOutcome | ChildWait,
  calling: Calling,
  ephemeral: Item[],
): Promise<void> {
  if (!("status" in ended)) return recordChildWait(callId, ended, calling);
  if (ended.status === "pending" && ended.ticket !== undefined)
    return recordWait(callId, ended, ended.ticket, calling);
  return recordOutput(callId, ended, calling, ephemeral);
}

function recordChildWait(
  callId: string,
  { sessionId, waiting }: ChildWait,
  { log, readCall }: Calling,
): Promise<void> {
  const state = log.view.turn?.calls.find(({ call }) => call.callId === callId);
  const tool = state === undefined ? "" : readCall(state.call).name;
  const given = JSON.parse(JSON.stringify({ sessionId, waiting })) as Json;
  return log.append({ kind: "waits", callId, tool, ticket: "", waitsFor: "agent", arguments: given });
}

async function recordWait(
  callId: string,
  { tool, result }: ToolOutcome,
  ticket: string,
  { log }: Calling,
): Promise<void> {
  const { waitsFor = "approval", arguments: given } = (result.details ?? {}) as {
    readonly waitsFor?: WaitsFor;
    readonly arguments?: Json;
  };
  const known = log.view.turn?.calls.find(({ call }) => call.callId === callId)?.waits ?? null;
  if (known?.waitsFor === waitsFor && !known.asking) return;
  const shown = given ?? (known?.arguments as Json | undefined) ?? null;
  await log.append({ kind: "waits", callId, tool, ticket, waitsFor, arguments: shown });
}

async function recordOutput(
  callId: string,
  outcome: ToolOutcome,
  { log, session, live, injections, emit }: Calling,
  ephemeral: Item[],
): Promise<void> {
  const { tool, status, durationMs } = outcome;
  const denier = live.deniedByPerson.has(outcome.runId) ? "person" : "hook";
  const item = outputItem(callId, outcome, denier);
  const entry = { kind: "output", callId, item, status, state: session.snapshot() } as const;
  const injected = await injections.take(outcome.injections ?? []).catch(async (error: unknown) => {
    await log.append(entry); // the call has its outcome, even when a hook's injection is refused
    throw error;
  });
  ephemeral.push(...injected.ephemeral);
  await log.append({ ...entry, notes: [...injected.kept] });
  for (const message of outcome.result.warnings ?? []) emit({ type: "tool_warning", tool, message });
  const text = outcomeText(outcome, denier);
  emit({ type: "tool_result", callId, tool, status, durationMs, text, outcome });
}
