import type { CallContext, CallRequest } from "../contract/context.ts";
import { ToolmountError } from "../contract/errors.ts";
import type { ToolOutcome } from "../contract/outcome.ts";
import type { ApprovalRecord } from "../contract/stores.ts";
import { digestOf } from "../json/canonical.ts";
import { frozenCopy } from "../json/freeze.ts";
import { leastBytes } from "../json/meter.ts";
import type { MountedTool } from "../registry/prepare-tool.ts";
import { StoredCall } from "../pending/stored-call.ts";
import { CallBundle } from "../sessions/bundle.ts";
import { hashTicket } from "../pending/ticket.ts";
import { findTool, generationBelow } from "../call/find.ts";
import { traceparentOf, type Call } from "../call/call.ts";
import { InnerCalls, type InnerCall, type MadeIn } from "../call/call-state.ts";
import { canRepeat } from "../call/inner-log.ts";
import { startCall } from "../call/pipeline.ts";
import { logFields } from "../call/trace.ts";
import { endCall, failedStart, resumeCall } from "../call/transitions.ts";
import type { HostState } from "./host-state.ts";
import { resume } from "./resume.ts";
import { stopTool, suspended, suspendSoon } from "./suspend-call.ts";

/*
 * A call that a tool makes may need a person, who answers next week. Then the outer call waits, too:
 *
 * 1. The tool must be `idempotent` or `repeatable`: it is stopped, and runs again from its start when the answer has come.
 * 2. The outcomes of its calls, and the tickets of those that wait, are stored with the outer call, encrypted with its ticket.
 * 3. The outer call ends as pending, under its own ticket.
 * 4. When it is resumed, each call that was made before is answered from what is stored, so that nothing runs twice.
 *
 * A `repeatable` tool in a stored session instead writes its calls to a log (`pending/inner-log.ts`) while they are made. So it
 * also runs again after its process died.
 *
 * Any other tool receives the pending outcome. If it then fails, the questions of its calls end with it.
 */

/** Makes a call for a tool, or answers it from an earlier run. */
export async function callInner(host: HostState, call: Call, request: CallRequest): Promise<ToolOutcome> {
  const inner = (call.inner ??= new InnerCalls());
  if (inner.isSuspended) throw suspended();
  if (inner.running >= host.limits.nested) return refuseInner(host, call, request);
  const mayWait = canSuspend(call);
  const key = mayWait || inner.log !== null ? keyOf(host, request) : null;
  const number = ++inner.count;
  inner.running += 1;
  const outcome = await startOrResume(host, call, request, { number, key })
    .catch((err: unknown) => endDiverged(call, inner, err))
    .finally(() => (inner.running -= 1));
  const answer = answerOf(outcome);
  const { ticket } = answer;
  if (key !== null && mayWait && (inner.log === null || ticket !== undefined))
    keep(inner, { key, ...answer, ...spentBy(call) });
  if (ticket !== undefined) inner.tickets.push(ticket);
  if (inner.tickets.length > 0 && mayWait) suspendSoon(call, inner);
  if (ticket === undefined || !mayWait) return outcome;
  return new Promise((_, reject) => inner.waiting.push(reject));
}

/** Refuses a call beyond the limit. It has no events and no record, so that a flood of such calls stays cheap. */
function refuseInner(host: HostState, call: Call, request: CallRequest): ToolOutcome {
  if (!call.inner!.hasRefused)
    host.logger.warn(logFields(call), `a tool made more than ${host.limits.nested} calls at the same time`);
  call.inner!.hasRefused = true;
  const reason = `its caller has ${host.limits.nested} calls in flight; wait for some of them to end`;
  return failedStart(host, request, "UNAVAILABLE", (tool) => ({ tool, reason }));
}

function keep(inner: InnerCalls, made: InnerCall): void {
  inner.room -= JSON.stringify(made).length;
  if (inner.room < 0) inner.made.length = 0;
  else inner.made.push(made);
}

async function startOrResume(
  host: HostState,
  call: Call,
  request: CallRequest,
  { number, key }: { readonly number: number; readonly key: string | null },
): Promise<ToolOutcome> {
  const { known, log } = call.inner!;
  if (log !== null) return startLogged(host, call, request, { log, number, key: key ?? "" });
  const at = known.findIndex((one) => one.key === key);
  const [earlier] = at < 0 ? [] : known.splice(at, 1);
  passSpent(call, earlier);
  if (earlier?.outcome !== undefined) return earlier.outcome;
  if (earlier?.ticket !== undefined)
    return resume(host, earlier.ticket, nestedContext(call), undefined, call);
  return startCall(host, request, nestedContext(call), { parent: call, session: null });
}

/** Makes or resumes a call of a tool that has a log: it must be the same call that had this number in earlier runs. */
async function startLogged(
  host: HostState,
  call: Call,
  request: CallRequest,
  place: Omit<MadeIn, "began">,
): Promise<ToolOutcome> {
  const { log, number, key } = place;
  const earlier = log.earlier(number, key, request.name);
  passSpent(call, earlier);
  if (earlier?.outcome !== undefined) return log.inOrder(number);
  const tool = findTool(generationBelow(call), call, request.name);
  const madeIn = { ...place, began: earlier?.began === true };
  const outcome =
    earlier?.ticket === undefined
      ? await startOnce(host, call, withId(call, tool, request, number), madeIn)
      : await resume(host, earlier.ticket, nestedContext(call), undefined, call);
  // The tool gets this outcome only after all outcomes that it got in the run before.
  await log.replayed();
  const made = { key, tool: request.name, ...answerOf(outcome), ...spentBy(call) };
  log.note(number, made, tool === undefined || canRepeat(tool));
  return outcome;
}

/** Marks grants that an earlier run of the tool has spent, so that the repeated run does not spend them again. */
function passSpent(
  { given: { approved } }: Call,
  earlier: Pick<InnerCall, "spent"> | null | undefined,
): void {
  if (approved instanceof CallBundle && typeof earlier?.spent === "number") approved.passTo(earlier.spent);
}

function spentBy({ given: { approved } }: Call): Pick<InnerCall, "spent"> {
  return approved instanceof CallBundle ? { spent: approved.spent } : {};
}

function startOnce(host: HostState, call: Call, request: CallRequest, madeIn: MadeIn): Promise<ToolOutcome> {
  if (!madeIn.log.isFull)
    return startCall(host, request, nestedContext(call), { parent: call, session: null, madeIn });
  const reason = "the calls of its caller had too large results";
  return Promise.resolve(failedStart(host, request, "UNAVAILABLE", (tool) => ({ tool, reason })));
}

function answerOf(outcome: ToolOutcome): Pick<InnerCall, "outcome" | "ticket"> {
  const isWaiting = outcome.status === "pending" && outcome.ticket !== undefined;
  return isWaiting ? { ticket: outcome.ticket } : { outcome };
}

/** Gives an id to the call of a `repeatable` tool, so that it finds its own log again. */
function withId(
  { callId }: Call,
  tool: MountedTool | undefined,
  request: CallRequest,
  number: number,
): CallRequest {
  const isRepeatable = tool?.definition.repeatable === true;
  return isRepeatable && request.id === undefined ? { ...request, id: `${callId}.${number}` } : request;
}

/** Returns the context of a call that a tool makes: the parent's, but with the tool's signal and without its callbacks. */
function nestedContext(parent: Call): CallContext {
  return {
    ...parent.given,
    abortSignal: parent.context!.abortSignal,
    onProgress: undefined,
    onQuestion: undefined,
    onAllowed: undefined,
    traceparent: traceparentOf(parent),
  };
}

/** Returns a key that equal requests share, whatever their ids; null for a request that the host will refuse to read. */
function keyOf(host: HostState, request: CallRequest): string | null {
  const { argumentBytes } = host.limits;
  try {
    if (leastBytes(request.arguments, argumentBytes) > argumentBytes) return null;
    return digestOf(frozenCopy({ name: request.name, arguments: request.arguments ?? {} }));
  } catch {
    return null;
  }
}

/** Whether a call can end as pending because a call of its tool waits. All its outer calls must be able to do so, too. */
function canSuspend({ tool, host, generation, parent }: Call): boolean {
  return (
    (tool!.info.idempotent || tool!.definition.repeatable === true) &&
    host.stores.approvals(generation) !== null &&
    (parent === null || canSuspend(parent))
  );
}

/** Ends a call whose tool does not repeat the calls that it made before. The tool is stopped and makes no more calls. */
function endDiverged(call: Call, inner: InnerCalls, err: unknown): never {
  if (isDivergence(err) && call.executing && call.stop === null)
    resumeCall(
      call,
      call.token,
      () => {
        call.executing = false;
        call.host.deadlines.end(call);
        stopTool(call, inner);
        return endCall(call, "failed", "PROGRAM_DIVERGED", err.details);
      },
      undefined,
    );
  throw err;
}

function isDivergence(err: unknown): err is ToolmountError<"PROGRAM_DIVERGED"> {
  return err instanceof ToolmountError && err.code === "PROGRAM_DIVERGED";
}

/**
 * Ends the questions of calls that a tool made, if the tool has failed without waiting for them: their answers
 * would be useless. A tool that succeeded may use the tickets itself.
 */
export function endQuestions({ host, generation, ending, inner }: Call): void {
  if (inner === null || inner.tickets.length === 0 || inner.isSuspended || ending.status === "ok") return;
  const store = host.stores.approvals(generation);
  if (store === null) return;
  const end = async () => {
    for (const ticket of inner.tickets) {
      const record = await store.findByTicket(hashTicket(ticket));
      if (record !== null)
        await new StoredCall(host.stores, store, record, null).change(withdrawn(host.clock.now()));
    }
    await host.stores.sweep(store);
  };
  void host.stores.track(
    end().catch((err: unknown) => host.logger.error({ err }, "the questions of an ended call stay open")),
  );
}

const withdrawn =
  (at: number) =>
  (record: ApprovalRecord): Partial<ApprovalRecord> | null =>
    record.state === "pending" || record.state === "suspended"
      ? {
          state: "denied",
          decision: { decision: "deny", by: "the host", at, reason: "the call that asked has ended" },
          expiresAt: at,
        }
      : null;
