import { expect, test } from "vitest";
import { readTests } from "../../src/plan-tests/read.ts";
import { problemOf, writtenPlan } from "../support/written-plan.ts";

const call = { find: { id: 1 } };
const allowed = { answer: "allow" };
const read = (...items: unknown[]) => readTests(writtenPlan("tests", items));

test("a test of a call has the defaults of what it does not say", () => {
  expect(read({ call, expect: allowed })).toEqual({
    calls: [
      {
        path: ["tests", 0],
        tool: "find",
        arguments: { id: 1 },
        user: undefined,
        mode: undefined,
        session: undefined,
        prompts: undefined,
        given: { data: null },
        approve: false,
        expect: allowed,
      },
    ],
    replays: [],
    prompts: 0,
  });
});

test("a test that says everything is read as it is written", () => {
  const written = {
    name: "finds",
    call: { find: '{"id":1}' },
    as: "ada",
    mode: "general",
    session: "s-1",
    prompts: "Find it.",
    given: { error: "gone", code: "GONE" },
    approve: true,
    expect: { answer: "ask", reason: "r", rule: "plan.yaml:1:2", arguments: {}, result: {}, "x-note": 1 },
    "x-note": "kept apart",
  };
  const { call: _, as: user, name: _name, "x-note": _note, ...same } = written;

  expect(read(written).calls).toEqual([
    { ...same, path: ["tests", 0], tool: "find", arguments: '{"id":1}', user, prompts: ["Find it."] },
  ]);
});

test("calls and recorded files keep their places in the list", () => {
  expect(
    read(
      { call: { list: null }, expect: allowed },
      { replay: "a.tape", name: "a" },
      { call, prompts: ["a", "b"], expect: allowed },
    ),
  ).toMatchObject({
    calls: [
      { path: ["tests", 0], tool: "list", arguments: {} },
      { path: ["tests", 2], prompts: ["a", "b"] },
    ],
    replays: [{ path: ["tests", 1], file: "a.tape" }],
  });
  expect(readTests(writtenPlan("tests", undefined))).toEqual({ calls: [], replays: [], prompts: 0 });
});

test("prompts are counted and left to the evaluations; no test has a prompt and a call", () => {
  const prompt = { prompt: "Find it.", expect: { tools: ["find"] } };

  expect(read(prompt, { call, expect: { answer: "allow" } }, prompt)).toMatchObject({
    calls: [{ path: ["tests", 1] }],
    prompts: 2,
  });
  expect(problemOf(() => read({ ...prompt, call }))).toContain("one of call, replay and prompt");
});

test.each(["allow", "ask", "deny", "invalid", "not_found"])("an answer is %s", (answer) => {
  expect(read({ call, expect: { answer } }).calls[0]!.expect).toEqual({ answer });
});

const testKeys = "call, as, mode, session, prompts, given, approve, expect, name";
const callShape = "call is a map of one tool and its arguments, such as { read_file: { file_path: a.txt } }";
const expectShape = "expect names the answer, reason, rule, arguments or result of the call";
const prompts = "prompts is what the user wrote: a text, or a list of texts";
const tape = "replay is the path of a recorded file, relative to the plan";

test.each<[unknown, string, string]>([
  ["text", "", "a test is a map with one of call, replay and prompt"],
  [[], "", "a test is a map with one of call, replay and prompt"],
  [{ replay: "" }, "/replay", tape],
  [{ replay: 7 }, "/replay", tape],
  [{ replay: "a", call }, "", "a test is a map with one of call, replay and prompt"],
  [{ call, user: "ada" }, "/user", `unknown key "user"; there are ${testKeys}`],
  [{ expect: allowed }, "", "a test is a map with one of call, replay and prompt"],
  [{ call: {}, expect: allowed }, "/call", callShape],
  [{ call: { a: {}, b: {} }, expect: allowed }, "/call", callShape],
  [{ call: { find: 7 }, expect: allowed }, "/call/find", "arguments are a map, or a text"],
  [{ call: { find: [] }, expect: allowed }, "/call/find", "arguments are a map, or a text"],
  [{ call, given: "x", expect: allowed }, "/given", "given is a result: data, or error"],
  [{ call, approve: "yes", expect: allowed }, "/approve", "approve is true or false"],
  [{ call, as: 7, expect: allowed }, "/as", "as is a text"],
  [{ call, mode: 7, expect: allowed }, "/mode", "mode is a text"],
  [{ call, session: 7, expect: allowed }, "/session", "session is a text"],
  [{ call, prompts: 7, expect: allowed }, "/prompts", prompts],
  [{ call, prompts: ["a", 7], expect: allowed }, "/prompts", prompts],
  [{ call }, "/expect", expectShape],
  [{ call, expect: {} }, "/expect", expectShape],
  [
    { call, expect: { code: "X" } },
    "/expect/code",
    'unknown key "code"; there are answer, reason, rule, arguments, result',
  ],
  [
    { call, expect: { answer: "yes" } },
    "/expect/answer",
    "answer is one of allow, ask, deny, invalid, not_found",
  ],
  [{ call, expect: { reason: 7 } }, "/expect/reason", "reason is a text"],
  [{ call, expect: { rule: 7 } }, "/expect/rule", "rule is a text"],
  [{ call, expect: { arguments: 7 } }, "/expect/arguments", "arguments is a map"],
  [{ call, expect: { result: [] } }, "/expect/result", "result is a map"],
])("the test %j is refused at its %s: %s", (written, place, problem) => {
  const at = `tests/1${place}`;

  expect(problemOf(() => read({ call, expect: allowed }, written))).toBe(
    `${at}:${at.split("/").length}:1: ${problem}`,
  );
});

test("a value whose place is unknown is named by its item", () => {
  const plan = { ...writtenPlan("tests", ["text"]), position: () => undefined };

  expect(problemOf(() => readTests(plan))).toBe(
    "tests, item 1: a test is a map with one of call, replay and prompt",
  );
});
