import type { CallHistory, PendingCall, Policy, PolicyAnswer, ToolInfo, ValueOrigin } from "@toolmount/core";
import { checkContent } from "./check-content.ts";
import { createSeen, identityOf, type Evidence } from "./evidence.ts";
import { fitsTool } from "../match/match.ts";
import { prepareIntent, type IntentCheck } from "./intent.ts";
import { controlLeaves, memberOf, valuesOf } from "./leaves.ts";
import { Meter, TooMuchToCompare, type Steps } from "./meter.ts";
import { findOrigin } from "./origin.ts";
import { describeProblem, shownValue, type Problem } from "./reason.ts";
import { ownSources, type FlowLine, type FlowsConfig } from "./schema.ts";
import { UserWords } from "./words.ts";

/** The sources that apply to a tool that declares its control arguments, if no line of the plan is about it. */
const declaredLine: FlowLine = {
  match: {},
  from: [...ownSources],
  else: "ask",
};

/**
 * Creates the policy of a plan's flows. Each line that is about a tool judges its calls, and the strictest answer counts. A
 * tool that declares control arguments, and that no line is about, is judged by its declaration. Other tools are not judged.
 */
export function createFlows(
  config: FlowsConfig,
  where: (index: number) => string | undefined = () => undefined,
): Policy {
  const seenBy = createSeen(config.results);
  const identity = identityOf(config);
  return {
    name: "flows",
    seesResults: true,
    prepare(tool) {
      const own = config.into.flatMap((line, index) =>
        fitsTool(line.match, tool) ? [{ line, rule: () => where(index) ?? `flows.into ${index + 1}` }] : [],
      );
      // Who sees the content is a property of the tool, so what one line says about it applies to all.
      const audience = own.find(({ line }) => line.audience !== undefined)?.line.audience;
      const lines = own.map(({ line, rule }) => prepareLine({ audience, ...line }, tool, config.words, rule));
      if (lines.length === 0 && tool.control !== undefined)
        lines.push(prepareLine(declaredLine, tool, config.words, () => `flows: ${tool.name}`));
      if (lines.length === 0) return null;
      const judge = function* (call: PendingCall, meter: Meter): Steps<PolicyAnswer> {
        const history = call.history ?? { results: [], isPartial: false };
        const evidence: Evidence = {
          words: new UserWords(call.prompts, confirmedIn(history)),
          history,
          seen: seenBy(meter),
          identity,
          meter,
          steered: new Map(),
        };
        for (const result of history.results) yield void evidence.seen(result);
        const answers: PolicyAnswer[] = [];
        for (const line of lines) answers.push(yield* line(call, evidence));
        return strictest(answers);
      };
      return (call) => {
        const meter = new Meter();
        return meter.run(judge(call, meter));
      };
    },
  };
}

/** Returns the values that a person approved in this session after seeing their origins. They count as typed by the user. */
function confirmedIn({ results }: CallHistory): readonly string[] {
  return results.flatMap(({ confirmed = [] }) => confirmed.map(String));
}

function strictest(answers: readonly PolicyAnswer[]): PolicyAnswer {
  return (
    answers.find((answer) => answer?.answer === "deny") ??
    answers.find((answer) => answer?.answer === "ask") ??
    answers.find((answer) => answer !== null) ??
    null
  );
}

function prepareLine(
  line: FlowLine,
  tool: ToolInfo,
  said: FlowsConfig["words"],
  rule: () => string,
): (call: PendingCall, evidence: Evidence) => Steps<PolicyAnswer> {
  const control = line.control ?? tool.control ?? [];
  const content = line.content ?? tool.content ?? [];
  const intent = prepareIntent(line.intent, tool, said);
  return function* ({ arguments: given }, evidence) {
    const origins: ValueOrigin[] = [];
    const check = function* () {
      return (
        (yield* checkControl({ names: control, schema: tool.inputSchema }, given, line, evidence, origins)) ??
        checkIntent(intent, valuesOf(control, given), evidence) ??
        (yield* checkContent({ names: content, audience: line.audience, control }, given, evidence, origins))
      );
    };
    const problem = yield* unlessTooMuch(check());
    return answerOf(line, problem, origins, rule, evidence);
  };
}

/** Runs a check. If there is too much to compare, that is a problem, because what was not compared is not accepted. */
function* unlessTooMuch(check: Steps<Problem | null>): Steps<Problem | null> {
  try {
    return yield* check;
  } catch (error) {
    if (error instanceof TooMuchToCompare) return { kind: "tooMuch" };
    throw error;
  }
}

function* checkControl(
  { names, schema }: { readonly names: readonly string[]; readonly schema: ToolInfo["inputSchema"] },
  given: PendingCall["arguments"],
  { from }: FlowLine,
  evidence: Evidence,
  origins: ValueOrigin[],
): Steps<Problem | null> {
  const properties = memberOf(schema, "properties");
  let first: Problem | null = null;
  for (const name of names) {
    if (!Object.hasOwn(given, name)) continue;
    for (const { path, value } of controlLeaves(given[name], memberOf(properties, name))) {
      if (value === "") continue;
      yield evidence.meter.spend(evidence.words.text.length);
      const origin = {
        argument: name + path,
        value: shownValue(name + path, value),
        ...(yield* findOrigin(value, from, evidence)),
      };
      origins.push(origin);
      if (!origin.isAccepted) first ??= { kind: "control", origin };
      else if (mayBeForeign(origin, evidence)) first ??= { kind: "forgotten", argument: name + path };
    }
  }
  return first;
}

/** Whether results that the host dropped may contain the value, too, so that other people may have chosen it. */
function mayBeForeign({ origin }: ValueOrigin, { history }: Evidence): boolean {
  return history.isPartial && (origin === "structured" || origin === "contact" || origin === "untrusted");
}

/** Checks that the user named the action. A person who approved the same targets before has named it, too. */
function checkIntent(
  intent: IntentCheck | null,
  targets: readonly (string | number)[],
  { words }: Evidence,
): Problem | null {
  if (intent === null || intent(words)) return null;
  if (targets.length > 0 && targets.every((target) => words.confirmed(target))) return null;
  return { kind: "intent" };
}

function answerOf(
  line: FlowLine,
  problem: Problem | null,
  origins: readonly ValueOrigin[],
  rule: () => string,
  { words }: Evidence,
): PolicyAnswer {
  if (problem === null || line.else === "allow")
    return origins.length === 0 ? null : { answer: "none", origins };
  const reason = describeProblem(problem, { reason: line.reason, isKnown: words.isKnown, origins });
  return { answer: line.else, rule: rule(), reason, origins };
}
