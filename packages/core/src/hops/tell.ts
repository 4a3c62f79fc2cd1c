import { announce, freezeArguments, toolEvent } from "../events.ts";
import { boundOutput } from "../bound-output.ts";
import { completeResult } from "../complete.ts";
import { frozenCopy, NotJson } from "../freeze.ts";
import { askGates, type Verdict } from "../gates.ts";
import { errorMessage } from "../errors.ts";
import { goOn, hopNames } from "../steer.ts";
import { endTrace } from "../trace.ts";
import type { ToolOutcome } from "../outcome.ts";
import type { FailureResult } from "../result.ts";
import type { ToolEvent } from "../hook-types.ts";
import type { Run } from "../run.ts";

/** Hop 7: gates may replace the result, observers are told, the caller gets the outcome. */
export function tell(run: Run): boolean {
  run.host.leave(run);
  run.endedAt = Math.max(run.startedAt, run.host.clock.now());
  if (!run.announced && run.arguments !== null) announceAnyway(run);
  const gates = run.status === "ok" ? run.generation.postGates : run.generation.errorGates;
  if (gates.length === 0 || !run.announced || run.interrupt !== null) return finish(run);
  const event = run.status === "ok" ? "tool:post" : "tool:error";
  freezeResult(run);
  const verdict = askGates(run.host, gates, event, eventOf(run));
  if (!(verdict instanceof Promise)) return heed(run, verdict);
  const { token } = run;
  verdict.then((settled) => goOn(run, token, () => heed(run, settled))).catch(() => finish(run));
  return true;
}

/** A call that was stopped, denied or refused after its arguments were found valid reached its tool: that is told too. */
function announceAnyway(run: Run): void {
  try {
    announce(run, "deny");
  } catch (error) {
    if (!(error instanceof NotJson)) throw error;
  }
}

function heed(run: Run, verdict: Verdict): boolean {
  if (verdict.injections !== null) run.injections = [...(run.injections ?? []), ...verdict.injections];
  if (verdict.denied !== null) withhold(run, verdict.denied.reason);
  else if (verdict.modified) replace(run, verdict.data["tool_result"]);
  return finish(run);
}

/** Gates fail closed: what a gate could not look at is not handed out. */
function withhold(run: Run, reason: string): void {
  const { tool, fetchedAt } = run.result!;
  run.status = run.status === "ok" ? "denied" : run.status;
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
    const replaced = completeResult(tool.name, tool.name, before.fetchedAt, given);
    if (run.status !== "ok" && replaced.error === undefined)
      throw new NotJson("turns a failure into a success");
    run.result = boundOutput(
      replaced,
      tool.limits.outputBytes ?? run.host.limits.outputBytes,
      run.host.outputs,
    );
    if (run.status === "ok" && replaced.error !== undefined) run.status = "failed";
  } catch (error) {
    run.host.logger.error({ err: error, run_id: run.runId }, "a gate's replacement of a result is not valid");
    withhold(run, "a gate replaced it by something that is no result");
  }
}

/** Tells observers and the caller. Exactly once for each run. */
export function finish(run: Run): false {
  run.hop = hopNames.length;
  try {
    tellObservers(run);
  } catch (err) {
    run.host.logger.error({ err, run_id: run.runId }, "the end of a call could not be told");
  }
  if (run.trace !== null) endTrace(run, run.trace);
  if (run.interrupt === null) run.resolve(outcomeOf(run));
  else run.reject(run.interrupt.thrown);
  return false;
}

function tellObservers(run: Run): void {
  const { generation, host } = run;
  const ok = run.status === "ok";
  const observers = ok ? generation.postObservers : generation.errorObservers;
  if (observers.length === 0) return;
  freezeResult(run);
  host.tell(observers, ok ? "tool:post" : "tool:error", eventOf(run));
}

/** Whoever else sees the result gets a frozen one, and so does the caller; what the tool holds stays as it was. */
function freezeResult(run: Run): void {
  const result = run.result as unknown as Record<string, unknown>;
  if (Object.isFrozen(result)) return;
  for (const key of ["data", "details", "content", "warnings"])
    if (result[key] !== undefined) result[key] = frozenCopy(result[key]);
  Object.freeze(result);
}

function eventOf(run: Run): ToolEvent {
  freezeArguments(run);
  const { result } = run;
  const event = toolEvent(run);
  event["tool_result"] = result;
  event["duration_ms"] = run.endedAt - run.startedAt;
  if (run.status !== "ok") addError(run, event, result as FailureResult);
  return Object.freeze(event);
}

function addError(run: Run, event: Record<string, unknown>, { code, error }: FailureResult): void {
  event["status"] = run.status;
  event["error"] = Object.freeze({ code: code ?? "TOOL_FAILED", message: error, type: run.failureType });
  event["phase"] = run.phase;
}

/** The outcome of a run that is over. */
export function outcomeOf(run: Run): ToolOutcome {
  const { given } = run;
  const outcome: Record<string, unknown> = {
    callId: run.callId,
    runId: run.runId,
    tool: run.tool?.name ?? String(run.request.name),
    status: run.status,
    result: run.result,
    durationMs: run.endedAt - run.startedAt,
  };
  if (given.sessionId !== undefined) outcome["sessionId"] = given.sessionId;
  if (given.conversationId !== undefined) outcome["conversationId"] = given.conversationId;
  if (given.turnId !== undefined) outcome["turnId"] = given.turnId;
  if (given.userId !== undefined) outcome["userId"] = given.userId;
  if (run.cancelled !== null) outcome["cancelled"] = run.cancelled;
  if (run.ticket !== null) outcome["ticket"] = run.ticket;
  if (run.injections !== null) outcome["injections"] = run.injections;
  return outcome as unknown as ToolOutcome;
}
