import { arrive } from "./admit.ts";
import { heed } from "./cancellation.ts";
import { Link } from "../scheduling/linked-list.ts";
import { nearestNames } from "../text/nearest.ts";
import { end, stop } from "./transitions.ts";
import type { Run } from "./call.ts";

/** Hop 1: finds the tool in the generation on which the call began. */
export function find(run: Run): boolean {
  const { host, generation, given } = run;
  run.phase = "find";
  const name: unknown = run.request.name;
  if (host.closing && run.parent === null) return refuse(run, "the host is closed");
  if (typeof name !== "string" || name === "") return notFound(run, []);
  const caller = run.parent?.tool ?? null;
  const tool = caller === null ? generation.find(name) : generation.findFor(caller, name);
  if (tool === undefined) return notFound(run, nearestNames(name, [...generation.tools.keys()]));
  run.tool = tool;
  if (tool.drifted()) return end(run, "denied", "LOCK_DRIFT", { tool: tool.name });
  if (run.depth > host.limits.depth)
    return refuse(run, `tools may call tools at most ${host.limits.depth} deep`);
  if (!claimId(run)) return end(run, "failed", "DUPLICATE_CALL", { callId: run.callId.slice(0, 200) });
  host.active.add(run.active);
  if (host.cancelState !== "none") heed(run, host.cancelState);
  if (given.cancellation !== undefined)
    host.cancellations.follow(given.cancellation, (run.cancellation = new Link(run)));
  const signal = given.abortSignal;
  if (signal?.aborted) stop(run, "caller", "Request was cancelled");
  else if (signal !== undefined) host.signals.follow(signal, (run.signal = new Link(run)));
  return run.stopReason === null && arrive(run);
}

function notFound(run: Run, near: readonly string[]): boolean {
  return end(run, "not_found", "TOOL_NOT_FOUND", { tool: String(run.request.name).slice(0, 200), near });
}

function refuse(run: Run, reason: string): boolean {
  return end(run, "failed", "UNAVAILABLE", { tool: run.request.name, reason });
}

/** Only a session can have a call twice; nested calls have ids of the host's making. */
function claimId(run: Run): boolean {
  const { sessionId } = run.given;
  if (run.request.id === undefined || sessionId === undefined || run.case !== null) return true;
  run.claimedId = run.host.claimCallId(sessionId, run.callId);
  return run.claimedId;
}
