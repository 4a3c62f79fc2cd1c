import type { JsonObject } from "@toolmount/core";
import { isRecord } from "@toolmount/core/json";
import type { OpenedPlan } from "@toolmount/loader";
import { listItems, readText, requireKnown, type Refuse } from "./refuse.ts";

/** A test of a plan: a call of one user, and its expected answer. */
export interface PlanTest {
  /** The path of the test in the plan. */
  readonly path: readonly [string, number];
  readonly tool: string;
  readonly arguments: JsonObject | string;
  readonly user: string | undefined;
  readonly mode: string | undefined;
  readonly session: string | undefined;
  /** What the user has written in the session before. */
  readonly prompts: readonly string[] | undefined;
  /** The result that the tool has in this test, because no tool runs. */
  readonly given: JsonObject;
  /** Whether the approver approves the call. */
  readonly approve: boolean;
  readonly expect: Expectation;
}

/** What a test of a plan expects. Anything is accepted for members that it leaves out. */
export interface Expectation {
  readonly answer?: Answer;
  /** A part of the reasons for asking or denying. */
  readonly reason?: string;
  /** The line that asks, as `plan.yaml:12:5`, or the end of that text. */
  readonly rule?: string;
  /** The arguments that the tool gets, after gates and the plan have changed them. */
  readonly arguments?: JsonObject;
  /** A part of the result, after the plan's limits were applied. */
  readonly result?: JsonObject;
}

/** A test that makes the calls of a recorded file again. */
export interface PlanReplay {
  /** The path of the test in the plan. */
  readonly path: readonly [string, number];
  /** The tape, relative to the plan's folder. */
  readonly file: string;
}

const answers = ["allow", "ask", "deny", "invalid", "not_found"] as const;

/** The end of a call: it ran, needed approval, was denied, or did not reach a decision. */
export type Answer = (typeof answers)[number];

/** The tests of a plan: calls and tapes. */
export interface PlanTests {
  /** Number of the plan's prompts, which only `toolmount test prompts` runs. */
  readonly prompts: number;
  readonly calls: readonly PlanTest[];
  readonly replays: readonly PlanReplay[];
}

/** Reads the calls and tapes in the plan's `tests:`. Throws `PLAN_VALUE_INVALID` with the line of the mistake. */
export function readTests(plan: OpenedPlan): PlanTests {
  return {
    calls: listItems(plan, "call").map(({ item, index, refuse }) => readTest(item, index, refuse)),
    replays: listItems(plan, "replay").map(({ item, index, refuse }) => readReplay(item, index, refuse)),
    prompts: listItems(plan, "prompt").length,
  };
}

function readReplay(test: Record<string, unknown>, index: number, refuse: Refuse): PlanReplay {
  requireKnown(test, ["replay", "name"], refuse);
  const { replay } = test;
  if (typeof replay !== "string" || replay === "")
    return refuse("replay is the path of a recorded file, relative to the plan", "replay");
  return { path: ["tests", index], file: replay };
}

function readTest(test: Record<string, unknown>, index: number, refuse: Refuse): PlanTest {
  requireKnown(
    test,
    ["call", "as", "mode", "session", "prompts", "given", "approve", "expect", "name"],
    refuse,
  );
  const { call, as: user, mode, session, prompts, given = { data: null }, approve = false, expect } = test;
  const [[tool, args] = [], ...more] = isRecord(call) ? Object.entries(call) : [];
  if (tool === undefined || more.length > 0)
    return refuse(
      "call is a map of one tool and its arguments, such as { read_file: { file_path: a.txt } }",
      "call",
    );
  if (!isRecord(args ?? {}) && typeof args !== "string")
    return refuse("arguments are a map, or a text", "call", tool);
  if (!isRecord(given)) return refuse("given is a result: data, or error", "given");
  if (typeof approve !== "boolean") return refuse("approve is true or false", "approve");
  return {
    path: ["tests", index],
    tool,
    arguments: (args ?? {}) as JsonObject | string,
    user: readText(user, "as", refuse),
    mode: readText(mode, "mode", refuse),
    session: readText(session, "session", refuse),
    prompts: readPrompts(prompts, refuse),
    given: given as JsonObject,
    approve,
    expect: readExpectation(expect, refuse),
  };
}

/** Reads a text or a list of texts. */
function readPrompts(given: unknown, refuse: Refuse): readonly string[] | undefined {
  if (given === undefined) return undefined;
  const list: readonly unknown[] = Array.isArray(given) ? given : [given];
  const isText = (one: unknown): one is string => typeof one === "string";
  return list.every(isText)
    ? list
    : refuse("prompts is what the user wrote: a text, or a list of texts", "prompts");
}

function readExpectation(expect: unknown, refuse: Refuse): Expectation {
  if (!isRecord(expect) || Object.keys(expect).length === 0)
    return refuse("expect names the answer, reason, rule, arguments or result of the call", "expect");
  requireKnown(expect, ["answer", "reason", "rule", "arguments", "result"], refuse, "expect");
  const { answer, reason, rule } = expect;
  if (answer !== undefined && !answers.includes(answer as Answer))
    refuse(`answer is one of ${answers.join(", ")}`, "expect", "answer");
  for (const [key, value] of Object.entries({ reason, rule }))
    if (value !== undefined && typeof value !== "string") refuse(`${key} is a text`, "expect", key);
  for (const key of ["arguments", "result"])
    if (expect[key] !== undefined && !isRecord(expect[key])) refuse(`${key} is a map`, "expect", key);
  return expect;
}
