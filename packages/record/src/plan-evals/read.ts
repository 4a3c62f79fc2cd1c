import { resolve } from "node:path";
import { ToolmountError, type JsonObject } from "@toolmount/core";
import type { OpenedPlan } from "@toolmount/loader";
import type { EvalExpectation, EvalLimits, ExpectedCall, TextExpectation } from "@toolmount/testing/evals";
import { isRecord } from "@toolmount/core/json";
import { listItems, readText, requireKnown, type Refuse } from "../plan-tests/refuse.ts";

/** An evaluation of a plan: a prompt, and what a model must do with it. */
export interface PlanEval {
  /** The path of the evaluation in the plan. */
  readonly path: readonly [string, number];
  readonly name: string;
  readonly prompt: string;
  /** How clear the prompt is, or `regression`. */
  readonly label: string | undefined;
  readonly user: string | undefined;
  /** Maximum number of requests to the model. */
  readonly requests: number;
  /** The results of tools in this evaluation, by tool. */
  readonly given: Readonly<Record<string, JsonObject>>;
  /** The absolute path of the plan whose tools run instead of the evaluated ones. If undefined, no tool runs. */
  readonly world: string | undefined;
  /** What the user may say after the prompt. */
  readonly replies: readonly Reply[];
  readonly expect: EvalExpectation;
  /** Calls that bring a fresh world into the state that is expected at the end. */
  readonly stateAfter: readonly ExpectedCall[] | undefined;
}

/** What a scripted user says once. */
export interface Reply {
  /** The reply is given only to an answer with one of these texts, in any case of letters. If empty, to any answer. */
  readonly when: readonly string[];
  readonly say: string;
}

const labels = ["straightforward", "ambiguous", "edge", "regression"];

/** Maximum number of requests of an evaluation that states no number. Source: Tool-Forge's runner. */
const defaultRequests = 5;

/** Reads the prompts in the plan's `tests:`. Throws `PLAN_VALUE_INVALID` with the line of the mistake. */
export function readEvals(plan: OpenedPlan): PlanEval[] {
  return listItems(plan, "prompt").map(({ item, index, refuse }) =>
    readEval(item, index, plan.folder, refuse),
  );
}

/** Selects evaluations. */
export interface Chosen {
  /** Only evaluations whose name or label contains this text. */
  readonly text?: string | undefined;
  /** Only evaluations that expect a call of one of these tools. */
  readonly tools?: readonly string[] | undefined;
}

/** Returns the evaluations of a plan that fit. Throws `USAGE_INVALID` if none fits. */
export function chooseEvals(plan: OpenedPlan, { text = "", tools }: Chosen): PlanEval[] {
  const tests = readEvals(plan).filter(({ name, label = "", expect }) => {
    const names = [...(expect.tools ?? []), ...(expect.oneOf ?? []).flat()];
    const called = [...names, ...(expect.calls ?? []).map(({ tool }) => tool)];
    return `${name} ${label}`.includes(text) && (tools?.some((tool) => called.includes(tool)) ?? true);
  });
  if (tests.length > 0) return tests;
  throw new ToolmountError("USAGE_INVALID", {
    problem:
      "the plan has no evaluation to run; write tests: with prompt and expect, see docs/evaluate-your-tools.md",
  });
}

const keys = ["name", "prompt", "replies", "label", "as", "requests", "given", "world", "expect"];

function readEval(item: Record<string, unknown>, index: number, folder: string, refuse: Refuse): PlanEval {
  requireKnown(item, keys, refuse);
  const { prompt, requests = defaultRequests, given = {} } = item;
  const label = readText(item["label"], "label", refuse);
  if (typeof prompt !== "string" || prompt.trim() === "") return refuse("prompt is a text", "prompt");
  if (label !== undefined && !labels.includes(label))
    return refuse(`label is one of ${labels.join(", ")}`, "label");
  if (!isWhole(requests) || requests < 1) return refuse("requests is a whole number from 1 on", "requests");
  if (!isRecord(given) || !Object.values(given).every(isRecord))
    return refuse("given is a map from tools to results: data, or error", "given");
  const world = readText(item["world"], "world", refuse);
  const { stateAfter, ...expect } = readExpect(item["expect"], refuse);
  for (const [key, value] of Object.entries({ state: expect.state, stateAfter }))
    if (value !== undefined && world === undefined)
      refuse(`${key} needs a world: the plan whose tools run in this evaluation`, "expect", key);
  return {
    path: ["tests", index],
    name: readText(item["name"], "name", refuse) ?? prompt,
    prompt,
    label,
    user: readText(item["as"], "as", refuse),
    requests,
    given: given as Readonly<Record<string, JsonObject>>,
    world: world === undefined ? undefined : resolve(folder, world),
    replies: readReplies(item["replies"] ?? [], refuse),
    expect,
    stateAfter,
  };
}

function readReplies(replies: unknown, refuse: Refuse): Reply[] {
  if (!Array.isArray(replies))
    return refuse("replies is a list of texts, and of maps with when and say", "replies");
  return replies.map((reply: unknown, index) => {
    if (typeof reply === "string") return { when: [], say: reply };
    if (!isRecord(reply))
      return refuse("a reply is a text, or a map with when and say", "replies", String(index));
    requireKnown(reply, ["when", "say"], refuse, "replies", String(index));
    const { when = [], say } = reply;
    const texts = typeof when === "string" ? [when] : when;
    if (!isTexts(texts) || typeof say !== "string")
      return refuse("say is a text, and when a text or a list of texts", "replies", String(index));
    return { when: texts, say };
  });
}

function readExpect(expect: unknown, refuse: Refuse): EvalExpectation & Pick<PlanEval, "stateAfter"> {
  const known = ["tools", "oneOf", "calls", "not", "errors", "text", "state", "stateAfter", "max"];
  if (!isRecord(expect) || Object.keys(expect).length === 0)
    return refuse(`expect names ${known.join(", ")}`, "expect");
  requireKnown(expect, known, refuse, "expect");
  const { tools, oneOf, calls, not, errors, text, state, stateAfter, max } = expect;
  for (const [key, value] of Object.entries({ tools, not }))
    if (value !== undefined && !isTexts(value)) refuse(`${key} is a list of tools`, "expect", key);
  if (oneOf !== undefined && !(Array.isArray(oneOf) && oneOf.length > 0 && oneOf.every(isTexts)))
    refuse("oneOf is a list of lists of tools", "expect", "oneOf");
  if (errors !== undefined && typeof errors !== "boolean")
    refuse("errors is true or false", "expect", "errors");
  if (state !== undefined && !isRecord(state))
    return refuse("state is a map of what the world has at the end", "expect", "state");
  return {
    tools: tools as readonly string[] | undefined,
    oneOf,
    calls: calls === undefined ? undefined : readCalls(calls, "calls", refuse),
    not: not as readonly string[] | undefined,
    errors,
    text: text === undefined ? undefined : readTextExpectation(text, refuse),
    state,
    stateAfter: stateAfter === undefined ? undefined : readCalls(stateAfter, "stateAfter", refuse),
    max: max === undefined ? undefined : readLimits(max, refuse),
  };
}

function readCalls(calls: unknown, key: string, refuse: Refuse): ExpectedCall[] {
  if (!Array.isArray(calls)) return refuse(`${key} is a list of calls`, "expect", key);
  return calls.map((call: unknown) => {
    const [[tool, given] = [], ...more] = isRecord(call) ? Object.entries(call) : [];
    if (tool === undefined || more.length > 0 || !isRecord(given ?? {}))
      return refuse("a call is a map of one tool and the arguments that it must have", "expect", key);
    return { tool, arguments: (given ?? {}) as JsonObject };
  });
}

function readTextExpectation(text: unknown, refuse: Refuse): TextExpectation {
  const at = ["expect", "text"] as const;
  if (!isRecord(text)) return refuse("text is a map", ...at);
  requireKnown(text, ["contains", "not", "matches", "json", "maxLength"], refuse, ...at);
  const { contains, not, matches, json, maxLength } = text;
  const isGroup = (part: unknown) => typeof part === "string" || isTexts(part);
  if (contains !== undefined && !(Array.isArray(contains) && contains.every(isGroup)))
    refuse("contains is a list of texts, and of lists of which one is enough", ...at, "contains");
  if (not !== undefined && !isTexts(not)) refuse("not is a list of texts", ...at, "not");
  if (matches !== undefined && !isPattern(matches))
    refuse("matches is a regular expression", ...at, "matches");
  if (json !== undefined && json !== true && !isTexts(json))
    refuse("json is true, or a list of members", ...at, "json");
  if (maxLength !== undefined && !isWhole(maxLength))
    refuse("maxLength is a whole number", ...at, "maxLength");
  return text;
}

function readLimits(max: unknown, refuse: Refuse): EvalLimits {
  if (!isRecord(max)) return refuse("max is a map", "expect", "max");
  requireKnown(max, ["calls", "tokens", "cost", "ms"], refuse, "expect", "max");
  for (const [key, value] of Object.entries(max))
    if (typeof value !== "number" || !(value >= 0)) refuse(`${key} is a number`, "expect", "max", key);
  return max;
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

function isWhole(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 0;
}

function isPattern(value: unknown): boolean {
  if (typeof value !== "string") return false;
  try {
    return new RegExp(value, "u") instanceof RegExp;
  } catch {
    return false;
  }
}
