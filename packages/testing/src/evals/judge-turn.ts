import { isDeepStrictEqual } from "node:util";
import { judgeState } from "./judge-state.ts";
import type { SeenCall, SeenTurn } from "./turn.ts";

/** An expected call: the tool, and arguments that the call must have. It may have more arguments. */
export interface ExpectedCall {
  readonly tool: string;
  readonly arguments?: Readonly<Record<string, unknown>>;
}

/** What a prompt must lead to. Everything that is stated is checked, and every problem is reported. */
export interface EvalExpectation {
  /** Exactly these tools, in this order. An empty list means no tool. */
  readonly tools?: readonly string[] | undefined;
  /** Exactly the tools of one of these lists, in its order. */
  readonly oneOf?: readonly (readonly string[])[] | undefined;
  /** These calls in this order; other calls may come between them. */
  readonly calls?: readonly ExpectedCall[] | undefined;
  /** Tools that must not be called. */
  readonly not?: readonly string[] | undefined;
  /** `false` means that no call may fail. */
  readonly errors?: boolean | undefined;
  /** What the model's last text must be. */
  readonly text?: TextExpectation | undefined;
  /** Members that the state of the world must have afterwards. The state may have other members. */
  readonly state?: Readonly<Record<string, unknown>> | undefined;
  readonly max?: EvalLimits | undefined;
}

/** Requirements for a text. */
export interface TextExpectation {
  /** Texts that the answer must contain, in any case of letters. From a list within this list, one text is enough. */
  readonly contains?: readonly (string | readonly string[])[] | undefined;
  readonly not?: readonly string[] | undefined;
  /** A regular expression that the answer must match. */
  readonly matches?: string | undefined;
  /** `true` means that the answer must be JSON; a list, that it must be a JSON object with these members. */
  readonly json?: true | readonly string[] | undefined;
  readonly maxLength?: number | undefined;
}

/** Limits of what a turn may use. */
export interface EvalLimits {
  readonly calls?: number | undefined;
  readonly tokens?: number | undefined;
  readonly cost?: number | undefined;
  /** Milliseconds of the whole turn. */
  readonly ms?: number | undefined;
}

/** Returns how a turn differs from what is expected, one sentence each; empty if it passes. */
export function judgeTurn(expect: EvalExpectation, turn: SeenTurn): string[] {
  const { tools, oneOf, calls = [], not = [], errors, text = {}, state, max = {} } = expect;
  const chosen = turn.calls.map(({ tool }) => tool);
  const problems: string[] = [];
  if (tools !== undefined && !isDeepStrictEqual(chosen, tools))
    problems.push(`the model called ${list(chosen)}, not ${list(tools)}`);
  if (oneOf !== undefined && !oneOf.some((some) => isDeepStrictEqual(chosen, some)))
    problems.push(`the model called ${list(chosen)}, not one of ${oneOf.map(list).join(" | ")}`);
  for (const tool of not) if (chosen.includes(tool)) problems.push(`the model called ${tool}`);
  problems.push(...missingCalls(calls, turn.calls));
  const failed = turn.calls.filter(({ status }) => status !== undefined && status !== "ok");
  if (errors === false)
    for (const { tool, status, text: words } of failed)
      problems.push(`${tool} ended ${status}: ${(words ?? "").slice(0, 200)}`);
  const stated = state === undefined ? [] : judgeState(state, turn.state);
  return [...problems, ...judgeText(text, turn.text), ...stated, ...judgeUse(max, turn)];
}

function missingCalls(expected: readonly ExpectedCall[], made: readonly SeenCall[]): string[] {
  const problems: string[] = [];
  let from = 0;
  for (const call of expected) {
    const at = made.findIndex((one, index) => index >= from && fits(call, one));
    if (at >= 0) from = at + 1;
    else
      problems.push(
        `there is no call ${call.tool} ${JSON.stringify(call.arguments ?? {})}${from > 0 ? " after the one before it" : ""}`,
      );
  }
  return problems;
}

function fits({ tool, arguments: wanted = {} }: ExpectedCall, call: SeenCall): boolean {
  if (call.tool !== tool) return false;
  const given = parse(call.arguments);
  if (typeof given !== "object" || given === null) return Object.keys(wanted).length === 0;
  return Object.entries(wanted).every(([name, value]) =>
    isDeepStrictEqual((given as Record<string, unknown>)[name], value),
  );
}

function judgeText(
  { contains = [], not = [], matches, json, maxLength }: TextExpectation,
  text: string,
): string[] {
  const has = (part: string) => text.toLowerCase().includes(part.toLowerCase());
  const problems: string[] = [];
  for (const part of contains) {
    const group = typeof part === "string" ? [part] : part;
    if (!group.some(has)) problems.push(`the text has no ${group.map(quote).join(" or ")}`);
  }
  for (const part of not) if (has(part)) problems.push(`the text has ${quote(part)}`);
  if (matches !== undefined && !new RegExp(matches, "u").test(text))
    problems.push(`the text does not match ${matches}`);
  if (maxLength !== undefined && text.length > maxLength)
    problems.push(`the text has ${text.length} characters, more than ${maxLength}`);
  return json === undefined ? problems : [...problems, ...judgeJson(json, text)];
}

function judgeJson(members: true | readonly string[], text: string): string[] {
  const value = parse(text);
  if (value === undefined) return ["the text is not JSON"];
  if (members === true) return [];
  const record = typeof value === "object" && value !== null ? value : {};
  return members
    .filter((name) => !Object.hasOwn(record, name))
    .map((name) => `the JSON has no ${quote(name)}`);
}

function judgeUse(max: EvalLimits, { calls, tokens, cost, durationMs }: SeenTurn): string[] {
  const used = [
    ["calls", calls.length, max.calls],
    ["tokens", tokens, max.tokens],
    ["ms", Math.round(durationMs), max.ms],
    ["cost", cost ?? 0, max.cost],
  ] as const;
  const problems = used.flatMap(([name, is, most]) =>
    most !== undefined && is > most ? [`${name}: ${is}, more than ${most}`] : [],
  );
  if (max.cost !== undefined && cost === undefined)
    problems.push("the cost is not known: the plan has no agent.prices");
  return problems;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function list(tools: readonly string[]): string {
  return tools.length === 0 ? "no tool" : tools.join(", ");
}

function quote(text: string): string {
  return JSON.stringify(text);
}
