import { announce, endEvent, freezeArguments, toolEvent } from "./tool-events.ts";
import { truncateResult } from "../result/truncate.ts";
import { normalizeResult } from "../result/normalize.ts";
import { frozenCopy, NotJson } from "../json/freeze.ts";
import { askGates, type Verdict } from "./gates.ts";
import { errorMessage } from "../contract/errors.ts";
import { goOn, hopNames } from "./transitions.ts";
import { outcomeOf } from "./outcome.ts";
import { putBack } from "./requeue.ts";
import { isRecorded, recordEnd } from "./journal.ts";
import { endTrace } from "./trace.ts";
import type { FailureResult } from "../contract/result.ts";
import type { ToolEvent } from "../contract/hooks.ts";
import type { Run } from "./call.ts";
import { runFields } from "./log-fields.ts";

/** Hop 7: gates may replace the result, observers are told, the caller gets the outcome. */
export function tell(run: Run): boolean {
  putBack(run);
  run.host.leave(run);
  run.endedAt = Math.max(run.startedAt, run.host.time());
  if (!run.announced && run.arguments !== null) announceAnyway(run);
  if (run.status === "pending") return settle(run);
  const gates = run.status === "ok" ? run.generation.postGates : run.generation.errorGates;
  if (gates.length === 0 || !run.announced || run.interrupt !== null) return settle(run);
  const event = run.status === "ok" ? "tool:post" : "tool:error";
  freezeResult(run);
  const verdict = askGates(run.host, gates, event, eventOf(run));
  if (!(verdict instanceof Promise)) return heed(run, verdict);
  const { token } = run;
  verdict.then((settled) => goOn(run, token, () => heed(run, settled))).catch(() => withheld(run));
  return true;
}

/** A call that was stopped, denied or refused after its arguments were found valid reached its tool: that is told too. */
function announceAnyway(run: Run): void {
  try {
    announce(run, run.status === "pending" ? "ask" : "deny");
  } catch (error) {
    if (!(error instanceof NotJson)) throw error;
  }
}

function heed(run: Run, verdict: Verdict | null): boolean {
  if (verdict === null) return settle(run);
  if (verdict.injections !== null) run.injections = [...(run.injections ?? []), ...verdict.injections];
  if (verdict.denied !== null) withhold(run, verdict.denied.reason);
  else if (verdict.modified) replace(run, verdict.data["tool_result"]);
  return settle(run);
}

/** What has to be on disk before anybody is told, is; then all are told. */
function settle(run: Run): boolean {
  const recorded = isRecorded(run) ? recordEnd(run) : null;
  if (recorded === null) return finish(run);
  const { token } = run;
  void recorded.then(() => goOn(run, token, () => finish(run)));
  return true;
}

/** The gates could not even be asked. */
function withheld(run: Run): void {
  withhold(run, "its gates could not be asked");
  finish(run);
}

/** Gates fail closed: what a gate could not look at is not handed out. */
function withhold(run: Run, reason: string): void {
  const { tool, fetchedAt } = run.result!;
  run.status = run.status === "ok" ? "denied" : run.status;
  run.resultFrozen = false;
  run.result = {
    tool,
    fetchedAt,
    error: errorMessage("DENIED", { tool, reason: `its result is withheld: ${reason}` }),
    code: "DENIED",
  };
}

/** A replaced result is checked like any other; a failure stays a failure. */
function replace(run: Run, given: unknown): void {
  const tool = run.tool!;
  const before = run.result!;
  try {
    const replaced = normalizeResult(tool.name, tool.name, before.fetchedAt, given);
    if (run.status !== "ok" && replaced.error === undefined)
      throw new NotJson("turns a failure into a success");
    run.resultFrozen = false;
    run.result = truncateResult(
      replaced,
      tool.limits.outputBytes ?? run.host.limits.outputBytes,
      run.host.outputs,
    );
    if (run.status === "ok" && replaced.error !== undefined) run.status = "failed";
  } catch (error) {
    run.host.logger.error({ err: error, ...runFields(run) }, "a gate's replacement of a result is not valid");
    withhold(run, "a gate replaced it by something that is no result");
  }
}

/** Tells observers and the caller. Exactly once for each run. */
export function finish(run: Run): false {
  run.hop = hopNames.length;
  try {
    tellObservers(run);
  } catch (err) {
    run.host.logger.error({ err, ...runFields(run) }, "the end of a call could not be told");
  }
  if (run.trace !== null) endTrace(run, run.trace);
  if (run.interrupt === null) run.resolve(outcomeOf(run));
  else run.resolve(Promise.reject(run.interrupt.thrown));
  return false;
}

function tellObservers(run: Run): void {
  const { generation, host } = run;
  if (run.case !== null && run.case.lost) return; // somebody else has ended it, and told
  if (run.status === "pending") return tellPending(run);
  const ok = run.status === "ok";
  const observers = ok ? generation.postObservers : generation.errorObservers;
  if (observers.length === 0) return;
  freezeResult(run);
  host.tell(observers, ok ? "tool:post" : "tool:error", eventOf(run));
}

/** The call waits, and will be told of again: this is not its end. */
function tellPending(run: Run): void {
  const observers = run.generation.observers("tool:pending");
  if (observers.length === 0) return;
  freezeArguments(run);
  const waitsFor = run.case?.record.state === "handed" ? "client" : "approval";
  run.host.tell(observers, "tool:pending", Object.freeze({ ...toolEvent(run), waits_for: waitsFor }));
}

/** Whoever else sees the result gets a frozen one, and so does the caller; what the tool holds stays as it was. */
function freezeResult(run: Run): void {
  const result = run.result as unknown as Record<string, unknown>;
  if (run.resultFrozen) return;
  run.resultFrozen = true;
  const { data, details, content, warnings } = result;
  if (typeof data === "object" && data !== null) result["data"] = frozenCopy(data);
  if (details !== undefined) result["details"] = frozenCopy(details);
  if (content !== undefined) result["content"] = frozenCopy(content);
  if (warnings !== undefined) result["warnings"] = frozenCopy(warnings);
  Object.freeze(result);
}

function eventOf(run: Run): ToolEvent {
  freezeArguments(run);
  const event = endEvent(run);
  if (run.status !== "ok") addError(run, event, run.result as FailureResult);
  return Object.freeze(event);
}

function addError(run: Run, event: Record<string, unknown>, { code, error }: FailureResult): void {
  event["status"] = run.status;
  event["error"] = Object.freeze({ code: code ?? "TOOL_FAILED", message: error, type: run.failureType });
  event["phase"] = run.phase;
}
