import { messageOf } from "../contract/errors.ts";
import type { SessionId } from "../contract/own-session.ts";
import { ownSession } from "./call-state.ts";
import type { ApprovalReason, Policy, PolicyAnswer, PolicyJudge } from "../contract/ports.ts";
import type { PendingCall } from "../contract/tool.ts";
import type { Generation } from "../registry/generation.ts";
import type { MountedTool, ToolJudges } from "../registry/prepare-tool.ts";
import { factsOf, type Call, type HopAnswer } from "./call.ts";
import { askGates, isThenable, type Verdict } from "../registry/gates.ts";
import { parseWith } from "./parse.ts";
import { approvalOf } from "./call-state.ts";
import { askAsList } from "./grants.ts";
import { toolEvent } from "./notify.ts";
import { endUnknown } from "./inner-log.ts";
import { logError, logFields } from "./trace.ts";
import { endDenied, storeWait, waitFor } from "./transitions.ts";
import { argumentsProblem } from "./find.ts";

/** Hop 3: asks gates by priority, then policies. The next hop puts their questions to a person. */
export function decide(call: Call): HopAnswer {
  if (call.madeIn?.began === true) return endUnknown(call);
  // Gates and rules do not decide on the host's own tools; only a person does.
  if (call.own !== null) return askAsList(call, `"${call.own.name}" asks for confirmation`);
  const { preGates } = call.generation;
  if (preGates.length === 0) return askPolicies(call);
  const event = call.stored === null ? toolEvent(call) : { ...toolEvent(call), resumed: true as const };
  const verdict = askGates(call.host, preGates, "tool:pre", Object.freeze(event));
  return verdict instanceof Promise
    ? waitFor(call, verdict, applyVerdict, denyUndecided)
    : applyVerdict(call, verdict);
}

/** Applies the verdict of the gates, which can deny, ask, give the result or replace the arguments. Null changes nothing. */
function applyVerdict(call: Call, verdict: Verdict | null): HopAnswer {
  if (verdict === null) return askPolicies(call);
  const { ask, data } = verdict;
  if (verdict.injections !== null) call.ending.injections = verdict.injections;
  if (verdict.denied !== null) return endDenied(call, verdict.denied.reason);
  if (ask !== null) {
    const { result, gate } = ask;
    const reason = result.approvalPrompt ?? result.reason ?? `gate "${gate}" asks`;
    const approval = approvalOf(call);
    approval.reasons.push({ source: "gate", reason, rule: gate });
    approval.gateAsk = result;
  }
  if (!verdict.modified) return askPolicies(call);
  if (call.undo !== null) return endDenied(call, "a gate would change what is undone");
  if ("tool_result" in data) call.answered = { value: data["tool_result"] };
  return "tool_input" in data && data["tool_input"] !== call.arguments
    ? parseModified(call, data["tool_input"])
    : askPolicies(call);
}

/** Parses the arguments that a gate gave instead, with the tool's schema. The gates do not see the parsed arguments again. */
function parseModified(call: Call, input: unknown): HopAnswer {
  if (typeof input !== "object" || input === null || Array.isArray(input))
    return endDenied(call, "a gate replaced the arguments by a value that is not an object");
  const problem = argumentsProblem(call, input);
  if (problem !== null) return endDenied(call, `a gate replaced the arguments: ${problem}`);
  call.unmodified = call.arguments;
  return parseWith(call, input, askPolicies);
}

function askPolicies(call: Call): HopAnswer {
  const { list, seeResults } = judgesOf(call.tool!, call.generation);
  if (list.length === 0) return askConfirmation(call, null);
  const facts = call.stored === null ? factsOf(call) : { ...factsOf(call), isResumed: true as const };
  if (!seeResults) return applyJudges(call, list, facts);
  const sessionIds = sessionsOf(call);
  const loading = call.host.results.load(sessionIds);
  const judge = () => {
    const whole = { ...facts, history: call.host.results.of(sessionIds) };
    return applyJudges(call, list, withPrompts(call, whole));
  };
  return loading === null ? judge() : waitFor(call, loading, judge, denyUndecided, storeWait);
}

/** Returns the sessions whose results a call may use: its parents' and, if it has a session, its own. */
function sessionsOf({ given: { userId, parentSessionIds = [] }, sessionKey }: Call): readonly SessionId[] {
  const parents = parentSessionIds.map((name) => ownSession(userId, name));
  return sessionKey === undefined ? parents : [...parents, sessionKey];
}

function withPrompts({ given: { prompts } }: Call, facts: PendingCall): PendingCall {
  return prompts === undefined ? facts : { ...facts, prompts };
}

function applyJudges(call: Call, judges: readonly PolicyJudge[], facts: PendingCall): HopAnswer {
  const answers = askJudges(judges, facts);
  return answers instanceof Promise
    ? waitFor(call, answers, applyAnswers, denyUndecided)
    : applyAnswers(call, answers);
}

/** Returns the judges of all policies for a tool. They are prepared at the tool's first call in a generation. */
function judgesOf(tool: MountedTool, { policies }: Generation): ToolJudges {
  if (policies.length === 0) return noJudges;
  return tool.judges?.policies === policies ? tool.judges : (tool.judges = prepareJudges(tool, policies));
}

function prepareJudges(tool: MountedTool, policies: readonly Policy[]): ToolJudges {
  const list: PolicyJudge[] = [];
  let seeResults = false;
  for (const policy of policies) {
    const judge = policy.prepare(tool.info);
    if (judge === null) continue;
    list.push(judge);
    if (policy.seesResults === true) seeResults = true;
  }
  return { policies, list, seeResults };
}

const noJudges: ToolJudges = Object.freeze({ policies: [], list: [], seeResults: false });

function askJudges(
  judges: readonly PolicyJudge[],
  facts: PendingCall,
): readonly PolicyAnswer[] | Promise<readonly PolicyAnswer[]> {
  const answers = judges.map((judge) => judge(facts));
  return answers.some(isThenable)
    ? Promise.all(answers.map((answer) => Promise.resolve(answer)))
    : (answers as readonly PolicyAnswer[]);
}

/** Applies the policies' answers: any denial wins. An `allow` removes a level's question and, with `waives`, the tool's. */
function applyAnswers(call: Call, answers: readonly PolicyAnswer[]): HopAnswer {
  const allows = answers.filter((answer) => answer?.answer === "allow");
  const waiver = allows.find(({ waives }) => waives === "confirmation");
  const asked: ApprovalReason[] = [];
  for (const answer of answers) {
    if (answer?.origins !== undefined) (call.origins ??= []).push(...answer.origins);
    if (answer === null || answer.answer === "none" || answer.answer === "allow") continue;
    if (answer.answer === "deny") return endDenied(call, answer.reason);
    if (answer.answer !== "ask") return endDenied(call, "a policy returned an invalid answer");
    if (answer.because === "level" && allows.length > 0) approvalOf(call).allowedBy = ruleOf(allows[0]!);
    if (answer.because === "level" && (allows.length > 0 || call.undo !== null)) continue;
    const { because: source = "rule", reason, rule, origins } = answer;
    asked.push({ source, reason, rule, ...(origins !== undefined && { origins }) });
  }
  if (asked.length > 0) approvalOf(call).reasons.push(...asked);
  return askConfirmation(call, waiver === undefined ? null : ruleOf(waiver));
}

function ruleOf({ rule = "a policy rule" }: { readonly rule?: string | undefined }): string {
  return rule;
}

/**
 * Adds the tool's own question if its `requiresConfirmation` asks. A rule of the plan can waive that question. A person who
 * undoes a change has decided already, so neither the tool nor its level asks then.
 */
function askConfirmation(call: Call, waivedBy: string | null): HopAnswer {
  const { requiresConfirmation } = call.tool!.definition;
  if (requiresConfirmation === undefined || requiresConfirmation === false || call.undo !== null)
    return "next";
  if (typeof requiresConfirmation !== "function") return confirm(call, waivedBy, true);
  const needed = isNeeded(call, requiresConfirmation);
  return needed instanceof Promise
    ? waitFor(
        call,
        needed,
        (_, settled) => confirm(call, waivedBy, settled),
        (_, err) => confirm(call, waivedBy, logFailedConfirmation(call, err)),
      )
    : confirm(call, waivedBy, needed);
}

/** Adds the question of the tool itself, unless `needed` is `false`. Any other value asks. */
function confirm(call: Call, waivedBy: string | null, needed: unknown): "next" {
  if (needed === false) return "next";
  const approval = approvalOf(call);
  const reason = `"${call.tool!.name}" asks for confirmation`;
  if (waivedBy === null) approval.reasons.push({ source: "confirmation", reason });
  else approval.allowedBy = waivedBy;
  return "next";
}

function isNeeded(call: Call, requiresConfirmation: (params: never) => unknown): boolean | Promise<unknown> {
  try {
    const answer = requiresConfirmation(call.arguments as never);
    return isThenable(answer) ? Promise.resolve(answer) : answer !== false;
  } catch (err) {
    return logFailedConfirmation(call, err);
  }
}

function logFailedConfirmation(call: Call, err: unknown): true {
  const fields = { err, ...logFields(call) };
  call.host.logger.warn(fields, "requiresConfirmation threw, so the call needs an approval");
  return true;
}

/** Denies a call whose gates or policies failed, because a gate or policy that gives no answer has not allowed the call. */
function denyUndecided(call: Call, err: unknown): "next" {
  logError(call, err, `a policy failed: ${messageOf(err)}`);
  return endDenied(call, "a policy could not decide");
}
