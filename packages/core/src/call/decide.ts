import { messageOf } from "../contract/errors.ts";
import { freezeArguments, toolEvent } from "./tool-events.ts";
import { NotJson } from "../json/freeze.ts";
import { askGates, isThenable, type Verdict } from "./gates.ts";
import type { MountedTool } from "../registry/prepare-tool.ts";
import { end, goOn } from "./transitions.ts";
import type { PendingCall } from "../contract/tool.ts";
import type { ApprovalReason, PolicyAnswer, PolicyJudge } from "../contract/ports.ts";
import type { Generation } from "../registry/registry.ts";
import type { Run } from "./call.ts";
import { parseWith } from "./parse.ts";
import { runFields } from "./log-fields.ts";

/** Hop 3: gates by priority, then policy; what they ask is put to a person in the next hop. */
export function decide(run: Run): boolean {
  run.phase = "decide";
  const { preGates } = run.generation;
  if (preGates.length === 0) return judge(run);
  if (!freeze(run)) return false;
  const verdict = askGates(run.host, preGates, "tool:pre", Object.freeze(toolEvent(run)));
  return verdict instanceof Promise
    ? waitFor(run, verdict, (settled) => heed(run, settled))
    : heed(run, verdict);
}

function freeze(run: Run): boolean {
  try {
    freezeArguments(run);
    return true;
  } catch (error) {
    if (!(error instanceof NotJson)) throw error;
    return end(run, "invalid", "INVALID_ARGUMENTS", {
      message: `the arguments are not JSON: ${error.message}`,
    });
  }
}

function heed(run: Run, verdict: Verdict | null): boolean {
  if (verdict === null) return judge(run);
  if (verdict.injections !== null) run.injections = verdict.injections;
  if (verdict.denied !== null) return deny(run, verdict.denied.reason);
  if (verdict.ask !== null)
    askFor(run, verdict.ask.result.approvalPrompt ?? verdict.ask.result.reason, verdict.ask.gate, verdict);
  if (!verdict.modified) return judge(run);
  if ("tool_result" in verdict.data) run.answered = { value: verdict.data["tool_result"] };
  return "tool_input" in verdict.data && verdict.data["tool_input"] !== run.arguments
    ? reparse(run, verdict)
    : judge(run);
}

function askFor(run: Run, prompt: string | undefined, gate: string, verdict: Verdict): void {
  run.reasons = [{ source: "gate", reason: prompt ?? `gate "${gate}" asks`, rule: gate }];
  run.gateAsk = verdict.ask!.result;
}

/** A modification is parsed again, once, by the same schema. */
function reparse(run: Run, verdict: Verdict): boolean {
  const input = verdict.data["tool_input"];
  if (typeof input !== "object" || input === null || Array.isArray(input))
    return deny(run, "a gate replaced the arguments by something that is not an object");
  const before = run.token;
  run.afterParse = judgeFrozen;
  const waits = parseWith(run, input);
  if (waits) return true;
  run.afterParse = null;
  return run.result === null && run.token === before ? judgeFrozen(run) : false;
}

function judgeFrozen(run: Run): boolean {
  return freeze(run) && judge(run);
}

function judge(run: Run): boolean {
  const judges = judgesOf(run.tool!, run.generation);
  if (judges.length === 0) return confirm(run, null);
  if (!freeze(run)) return false;
  const answers = askJudges(judges, pendingCall(run));
  return answers instanceof Promise
    ? waitFor(run, answers, (settled) => weigh(run, settled))
    : weigh(run, answers);
}

/** The judges of all policies for a tool, prepared at the first call in a generation. */
function judgesOf(tool: MountedTool, { policies }: Generation): readonly PolicyJudge[] {
  if (policies.length === 0) return none;
  if (tool.judges?.policies !== policies) {
    const list = policies.map((policy) => policy.prepare(tool.info)).filter((prepared) => prepared !== null);
    tool.judges = { policies, list };
  }
  return tool.judges.list;
}

const none: readonly PolicyJudge[] = Object.freeze([]);

function askJudges(
  judges: readonly PolicyJudge[],
  call: PendingCall,
): readonly PolicyAnswer[] | Promise<readonly PolicyAnswer[]> {
  const answers = judges.map((one) => one(call));
  return answers.some(isThenable)
    ? Promise.all(answers.map((answer) => Promise.resolve(answer)))
    : (answers as readonly PolicyAnswer[]);
}

/** Any denial wins; an `allow` removes only what a level asks. */
function weigh(run: Run, answers: readonly PolicyAnswer[]): boolean {
  const allowed = answers.find((answer) => answer?.answer === "allow");
  const waiver = answers.find((answer) => answer?.answer === "allow" && answer.waives === "confirmation");
  const asked: ApprovalReason[] = [];
  for (const answer of answers) {
    if (answer === null || answer.answer === "allow") continue;
    if (answer.answer === "deny") return deny(run, answer.reason);
    if (answer.answer !== "ask") return deny(run, "a policy gave an answer that is none");
    if (answer.because === "level" && allowed !== undefined) continue;
    asked.push({ source: answer.because ?? "rule", reason: answer.reason, rule: answer.rule });
  }
  if (asked.length > 0) run.reasons = [...(run.reasons ?? []), ...asked];
  return confirm(run, waiver?.answer === "allow" ? (waiver.rule ?? "a policy rule") : null);
}

/** `requiresConfirmation` is core's own question: a throw of it asks. */
function confirm(run: Run, waivedBy: string | null): boolean {
  const { requiresConfirmation } = run.tool!.definition;
  if (requiresConfirmation === undefined || requiresConfirmation === false) return false;
  if (!freeze(run)) return false;
  if (typeof requiresConfirmation === "function" && !needed(run, requiresConfirmation)) return false;
  if (waivedBy === null)
    run.reasons = [
      ...(run.reasons ?? []),
      { source: "confirmation", reason: `"${run.tool!.name}" asks for confirmation` },
    ];
  else run.approvedBy = waivedBy;
  return false;
}

function needed(run: Run, requires: (params: never) => boolean): boolean {
  try {
    const answer: unknown = requires(run.arguments as never);
    return answer !== false;
  } catch (err) {
    run.host.logger.warn({ err, ...runFields(run) }, "requiresConfirmation threw, so a person is asked");
    return true;
  }
}

/** Ends a run with a denial; the reason is for the model too. */
export function deny(run: Run, reason: string): boolean {
  return end(run, "denied", "DENIED", { tool: run.tool!.name, reason: reason.slice(0, 2000) });
}

function waitFor<Value>(run: Run, promise: Promise<Value>, apply: (value: Value) => boolean): true {
  const { token } = run;
  promise.then(
    (value) => goOn(run, token, () => apply(value)),
    (error: unknown) => goOn(run, token, () => failClosed(run, error)),
  );
  return true;
}

/** A policy that fails has not allowed the call. */
function failClosed(run: Run, err: unknown): boolean {
  run.host.logger.error({ err, ...runFields(run) }, `a policy failed: ${messageOf(err)}`);
  return deny(run, "a policy could not decide");
}

/** The facts of a call, for whoever decides about it. */
export function pendingCall(run: Run): PendingCall {
  return { info: run.host.infoOf(run), tool: run.tool!.info, arguments: run.arguments! };
}
