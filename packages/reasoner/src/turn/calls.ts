import { randomUUID } from "node:crypto";
import {
  errorMessage,
  isToolmountError,
  ToolmountError,
  type Host,
  type Session,
  type SessionCallContext,
  type ToolOutcome,
} from "@toolmount/core";
import type { Item } from "../provider/items.ts";
import type { Injections } from "./injections.ts";
import type { LiveTurn } from "./live-turns.ts";
import { cancelledText, outcomeText, outputItem, textOutput } from "./model-text.ts";
import type { Exchange } from "./request.ts";
import type { SessionLog } from "../session/log.ts";
import type { CallState } from "../session/view.ts";
import type { ClientResult, TurnEvent } from "./turn-types.ts";

/** What the calls of one answer need. */
export interface Calling {
  readonly host: Pick<Host, "approvals">;
  readonly session: Session;
  readonly log: SessionLog;
  readonly live: LiveTurn;
  readonly readCall: Exchange["readCall"];
  readonly context: SessionCallContext;
  readonly injections: Injections;
  readonly tell: (event: TurnEvent) => void;
  /** Hears of each call that was answered without its tool, so that no call in the sequence goes without an answer. */
  readonly repaired: (callId: string, status: string) => Promise<unknown>;
  /** Calls that may still be made; beyond it each is answered, and none is run. */
  readonly mayRun: number;
  readonly isIdempotent: (tool: string) => boolean;
}

/**
 * Answers the calls of an answer that have no output yet: together, each exactly once. What may run is on disk before
 * it runs; what may have run in a process that is gone is not run again, but told as unknown. Calls that wait stay
 * without an output. Resolves to what hooks put before the next request only.
 */
export async function answerCalls(
  calling: Calling,
  clientResults: ReadonlyMap<string, ClientResult>,
): Promise<readonly Item[]> {
  const { log } = calling;
  const turn = log.view.turn!;
  const open = turn.calls.filter(({ output }) => output === null);
  const doubtful = open.filter(({ started, waits, child }) => started && (waits === null || child !== null));
  const again = await neverRan(doubtful, calling);
  const fresh = open.filter((state) => (!state.started && state.waits === null) || again.has(state));
  const group = turn.group ?? randomUUID();
  const callIds = fresh.map(({ call }) => call.callId);
  if (callIds.length > 0) await log.append({ kind: "started", group, callIds });
  const lost = doubtful.filter((state) => !again.has(state));
  const ephemeral: Item[] = [];
  let left = calling.mayRun;
  const works = open.map((state) => {
    if (lost.includes(state)) return giveUp(state, calling);
    if (state.waits !== null && !again.has(state))
      return goOn(state, clientResults.get(state.call.callId), calling, ephemeral);
    if (left-- <= 0) return refuse(state, calling);
    return run(state, group, calling, ephemeral);
  });
  const settled = await Promise.allSettled(works);
  for (const one of settled) if (one.status === "rejected") throw one.reason;
  return ephemeral;
}

/**
 * Of calls that a process began which is gone: those that certainly did not run, because they still waited for a person,
 * and those that do no harm when they run twice. An open question of theirs is taken back, since it is asked anew.
 */
async function neverRan(doubtful: readonly CallState[], calling: Calling): Promise<ReadonlySet<CallState>> {
  const again = new Set<CallState>();
  if (doubtful.length === 0) return again;
  const { host, session, context, readCall, isIdempotent } = calling;
  const states = ["pending", "approved", "handed"] as const;
  const views = await host.approvals.list({ sessionId: session.id, states, limit: 10_000 });
  for (const state of doubtful) {
    // A call that began a session does nothing else, and is given the same session again.
    if (state.child !== null || isIdempotent(readCall(state.call).name)) again.add(state);
    const view = views.find(
      ({ info }) => info.callId === state.call.callId && info.turnId === context.turnId && info.depth === 0,
    );
    if (view === undefined) continue;
    again.add(state);
    if (view.state === "pending")
      await takeBack(() => host.approvals.decide(view.id, "deny", "the turn that went on"));
    if (view.state === "approved") await takeBack(() => host.approvals.revoke(view.id));
  }
  return again;
}

async function takeBack(act: () => Promise<unknown>): Promise<void> {
  try {
    await act();
  } catch (error) {
    if (!isToolmountError(error)) throw error; // it was decided or ended meanwhile: nothing to take back
  }
}

async function run({ call }: CallState, group: string, calling: Calling, ephemeral: Item[]): Promise<void> {
  const { session, context, tell } = calling;
  tell({
    type: "tool_call",
    callId: call.callId,
    tool: calling.readCall(call).name,
    arguments: call.arguments,
  });
  const request = calling.readCall(call);
  const outcome = await settledCall(
    () => session.call(request, { ...context, parallelGroupId: group }),
    request.name,
    call.callId,
  );
  await take(call.callId, outcome, calling, ephemeral);
}

/** Goes on with a call that waits, with what the client found, if it runs there. */
async function goOn(
  state: CallState,
  given: ClientResult | undefined,
  calling: Calling,
  ephemeral: Item[],
): Promise<void> {
  const { session, context } = calling;
  const { ticket, tool } = state.waits!;
  const { callId } = state.call;
  const result =
    given === undefined
      ? undefined
      : given.error === undefined
        ? { data: given.result }
        : { error: given.error };
  const outcome = await settledCall(() => session.resume(ticket, context, result), tool, callId);
  await take(callId, outcome, calling, ephemeral);
}

/** An interrupt that a tool throws ends its call; a turn has nobody to hand it to. */
async function settledCall(
  act: () => Promise<ToolOutcome>,
  tool: string,
  callId: string,
): Promise<ToolOutcome> {
  try {
    return await act();
  } catch (error) {
    const known = isToolmountError(error)
      ? error
      : new ToolmountError("INTERRUPTED", { tool }, { cause: error });
    const result = { tool, fetchedAt: "", error: known.message, code: known.code };
    return { callId, runId: "", tool, status: "failed", result, durationMs: 0 };
  }
}

async function take(
  callId: string,
  outcome: ToolOutcome,
  calling: Calling,
  ephemeral: Item[],
): Promise<void> {
  const { log, session, live, injections, tell } = calling;
  if (outcome.status === "pending" && outcome.ticket !== undefined) {
    const { waitsFor = "approval", arguments: given = null } = (outcome.result.details ?? {}) as {
      waitsFor?: "approval" | "client" | "run";
      arguments?: never;
    };
    const known = log.view.turn?.calls.find(({ call }) => call.callId === callId)?.waits;
    if (known?.waitsFor === waitsFor) return;
    const { ticket, tool } = outcome;
    return log.append({
      kind: "waits",
      callId,
      tool,
      ticket,
      waitsFor,
      arguments: given ?? (known?.arguments as never) ?? null,
    });
  }
  const denier = live.deniedByPerson.has(outcome.runId) ? "person" : "hook";
  const item = outputItem(callId, outcome, denier);
  const answered = {
    kind: "output",
    callId,
    item,
    status: outcome.status,
    state: session.snapshot(),
  } as const;
  const injected = await injections.take(outcome.injections ?? []).catch(async (error: unknown) => {
    await log.append(answered); // what the tool did is known, whatever a hook did after it
    throw error;
  });
  ephemeral.push(...injected.ephemeral);
  await log.append({ ...answered, notes: [...injected.kept] });
  for (const warning of outcome.result.warnings ?? [])
    tell({ type: "tool_warning", tool: outcome.tool, message: warning });
  tell({
    type: "tool_result",
    callId,
    tool: outcome.tool,
    status: outcome.status,
    durationMs: outcome.durationMs,
    text: outcomeText(outcome, denier),
    outcome,
  });
}

/** Answers a call of which nobody knows whether it ran. */
function giveUp(state: CallState, calling: Calling): Promise<void> {
  const tool = calling.readCall(state.call).name;
  const text = `Error: ${errorMessage("OUTCOME_UNKNOWN", { tool })} [OUTCOME_UNKNOWN]`;
  return answerWith(state, "unknown", text, calling);
}

function refuse(state: CallState, calling: Calling): Promise<void> {
  const text =
    "Error: the budget of calls of this turn is used up; the call did not run [AGENT_BUDGET_EXHAUSTED]";
  return answerWith(state, "denied", text, calling);
}

/** Answers all that is left of a cancelled answer, so that no call goes without. */
export async function answerCancelled(calling: Calling): Promise<void> {
  for (const state of calling.log.view.turn?.calls ?? []) {
    if (state.output !== null) continue;
    const tool = calling.readCall(state.call).name;
    await answerWith(state, "cancelled", cancelledText(tool), calling);
  }
}

/** Answers what is left when the turn itself failed. */
export async function answerFailed(calling: Calling): Promise<void> {
  for (const state of calling.log.view.turn?.calls ?? []) {
    if (state.output !== null) continue;
    if (state.started) await giveUp(state, calling);
    else await answerWith(state, "failed", "Error: the turn failed before the call ran", calling);
  }
}

async function answerWith(
  { call }: CallState,
  status: string,
  text: string,
  { log, tell, readCall, repaired }: Calling,
): Promise<void> {
  await log.append({ kind: "output", callId: call.callId, item: textOutput(call.callId, text), status });
  await repaired(call.callId, status);
  tell({ type: "tool_result", callId: call.callId, tool: readCall(call).name, status, durationMs: 0, text });
}
