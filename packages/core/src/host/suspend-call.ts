import { needsApproval, type Call, type HopAnswer } from "../call/call.ts";
import type { InnerCall, InnerCalls } from "../call/call-state.ts";
import { defaultDecider, holdCall, requestToSeal, sealForCaller, suspend } from "../call/hold.ts";
import { logError } from "../call/trace.ts";
import { endUnavailable, resumeCall, waitFor } from "../call/transitions.ts";
import type { StoredCall } from "../pending/stored-call.ts";

/** Suspends a call as soon as no call of its tool runs any more: calls made next to the waiting one end first. */
export function suspendSoon(call: Call, inner: InnerCalls): void {
  const { token } = call;
  // Wait until the tool has received the outcomes that exist, because it may make its next call at once.
  setImmediate(() => {
    if (inner.running > 0 || inner.isSuspended || !call.executing || call.stop !== null) return;
    if (call.token === token) resumeCall(call, token, suspendOuter, inner);
  });
}

function suspendOuter(call: Call, inner: InnerCalls): HopAnswer {
  const { host, generation } = call;
  call.executing = false;
  host.deadlines.end(call);
  stopTool(call, inner);
  if (inner.room < 0)
    return endUnavailable(call, "its calls have too large outcomes to wait for the approval of one");
  const made = inner.log === null ? [...inner.made, ...inner.known] : inner.made;
  const store = host.stores.approvals(generation)!;
  const logged = inner.log?.flush() ?? Promise.resolve();
  const stored = logged.then(() =>
    call.stored === null ? hold(call, made) : holdAgain(call, call.stored, made),
  );
  return waitFor(
    call,
    host.stores.track(stored),
    (_, held) => ((call.stored = held), suspend(call, held)),
    (_, err) => {
      logError(call, err, "a call whose tool waits for an approval could not be stored");
      return endUnavailable(call, "the call could not be stored until the approval of a call that it made");
    },
  );

  async function hold(outer: Call, calls: readonly InnerCall[]): Promise<StoredCall> {
    const held = holdCall(outer, store, "suspended", { inner: calls });
    if (needsApproval(outer)) {
      const by = outer.approval!.grant?.by ?? defaultDecider;
      held.record = { ...held.record, decision: { decision: "approve", by, at: host.clock.now() } };
    }
    await held.add();
    return held;
  }
}

/** Makes a call that was resumed wait again, under the same ticket. */
async function holdAgain(call: Call, stored: StoredCall, inner: readonly InnerCall[]): Promise<StoredCall> {
  stored.dropLease();
  const sealed = sealForCaller({ ...requestToSeal(call), inner }, stored)!;
  const expiresAt = call.host.clock.now() + call.host.stores.options.keepMs;
  const held = await stored.change((record) =>
    record.state === "started" && stored.owns(record)
      ? { state: "suspended", leaseUntil: null, sealed, open: null, expiresAt }
      : null,
  );
  if (!held) throw new Error("another host has the call");
  return stored;
}

/** Rejects what the tool waits for, so that it can clean up. Whatever it does afterwards is ignored. */
export function stopTool(call: Call, inner: InnerCalls): void {
  inner.isSuspended = true;
  call.context?.abort(suspended());
  for (const reject of inner.waiting.splice(0)) reject(suspended());
}

export function suspended(): DOMException {
  return new DOMException("the call waits for the approval of a call that its tool made", "AbortError");
}
