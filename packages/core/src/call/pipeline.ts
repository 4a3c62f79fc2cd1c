import { approve } from "./approve.ts";
import type { Call, HopAnswer } from "./call.ts";
import { decide } from "./decide.ts";
import { execute } from "./execute.ts";
import { find } from "./find.ts";
import { finish, notify } from "./notify.ts";
import { parse } from "./parse.ts";
import { shape } from "./shape.ts";
import { makeReadable } from "./unreadable.ts";
import { logError } from "./trace.ts";
import {
  endCall,
  endStoppedCall,
  executeHop,
  hopNames,
  notifyHop,
  parseHop,
  type HopName,
} from "./transitions.ts";

/*
 * The life of a call:
 *
 *  1. find: the tool, by name or alias, in the generation in which the call began; then the call's id, signal and token.
 *  2. parse: the arguments, by the tool's schema. Its result is the arguments for every hop after it.
 *  3. decide: gates on `tool:pre` by priority, then policies, then the tool's own `requiresConfirmation`.
 *  4. approve: one question to a person, if hop 3 asked for it.
 *  5. execute: permits, the start in the audit, then the tool, under one signal and its deadline.
 *  6. shape: the result against the contract and `outputSchema`, within its size.
 *  7. notify: gates on the result, the audit, observers, and the caller.
 *
 * A call that ends early skips to hop 7. A hop that waits leaves the pipeline, and `resumeCall` enters it again.
 */
const byName: Readonly<Record<HopName, (call: Call) => HopAnswer>> = {
  find,
  parse,
  decide,
  approve,
  execute,
  shape,
  notify,
};
const hops = hopNames.map((name) => byName[name]);

/** Runs the hops of a call until it waits or has ended. The only function that does. */
export function runPipeline(call: Call): void {
  while (call.hop < hops.length) {
    if (call.stop !== null && call.hop > parseHop && call.hop <= executeHop) endStoppedCall(call);
    const hop = hops[call.hop++]!;
    try {
      if (hop(call) === "waiting") return void (call.waiting = true);
    } catch (thrown) {
      failInternally(call, thrown);
    }
  }
}

/** Handles a fault of the host itself: logs the whole error, and ends the call without its text. */
export function failInternally(call: Call, thrown: unknown): void {
  const notifyFailed = call.hop > notifyHop;
  const { timing } = call;
  call.executing = false;
  timing.endedAt = Math.max(timing.startedAt, timing.endedAt);
  const problem = call.tool === null || call.arguments === null ? makeReadable(call) : null;
  if (problem === null) endCall(call, "failed", "INTERNAL", {});
  else endCall(call, "invalid", "INVALID_ARGUMENTS", { message: problem });
  logError(call, thrown, problem ?? "the host failed in a call");
  if (notifyFailed) finish(call); // no later hop answers the caller
}
