import type { ToolInfo } from "@toolmount/core";
import { expect, test } from "vitest";
import { suggestRules } from "../../src/learn/suggest-rules.ts";
import type { RecordedCall } from "../../src/learn/recorded-calls.ts";

let count = 0;

/** A call that a person answered, of a user in a session of its own. */
const answered = (person: RecordedCall["person"], given: object | null, more: object = {}): RecordedCall =>
  ({
    tool: "act",
    arguments: given,
    person,
    id: `c${(count += 1)}`,
    session: undefined,
    ...more,
  }) as RecordedCall;
const allowed = (given: object, more: object = {}) => answered("allowed", given, more);
const denied = (given: object, more: object = {}) => answered("denied", given, more);

const act = {
  name: "act",
  category: "write",
  consequenceLevel: "medium",
  tags: [],
  inputSchema: { properties: { id: {}, path: {} }, required: ["path"] },
};

const asks = { answer: "ask", rules: ["level"], isLiftable: true };

/** What is suggested for calls of one tool, of which the plan says `now`. */
async function suggested(calls: readonly RecordedCall[], tool: object = {}, now: unknown = asks) {
  const info = { ...act, ...tool } as unknown as ToolInfo;
  const judge = {
    host: { tools: () => [info] },
    judge: async (call: object) =>
      typeof now === "function" ? (now as (call: object) => unknown)(call) : now,
    close: async () => {},
  };
  async function* all() {
    yield* calls;
  }
  return suggestRules(all(), judge as never);
}

const linesOf = async (...given: Parameters<typeof suggested>) =>
  (await suggested(...given)).lines.map(({ list, line, calls }) => `${list} ${line} ${calls}`);

test("a harmless tool is allowed whole after two approvals and no denial", async () => {
  const path = { path: "a" };

  expect(await linesOf([allowed(path), allowed(path)], { category: "read" })).toEqual(["allow act 2"]);
  expect(await linesOf([allowed(path), allowed({ path: "b" })], { consequenceLevel: "low" })).toEqual([
    "allow act 2",
  ]);
  expect(await linesOf([allowed(path)], { category: "read" })).toEqual([]);
  expect(await linesOf([allowed(path), allowed(path), denied({ path: "b" })], { category: "read" })).toEqual([
    "allow act(a) 2",
  ]);
});

test("any other tool is allowed for the values that were approved twice", async () => {
  const paths = ["docs/a.md", "docs/b.md", "docs/c.md", "x", "x", "y"];

  expect(await linesOf(paths.map((path) => allowed({ path })))).toEqual([
    "allow act(docs/*) 3",
    "allow act(x) 2",
  ]);
  expect(await linesOf([...paths.map((path) => allowed({ path })), denied({ path: "docs/d.md" })])).toEqual([
    "allow act(x) 2",
  ]);
});

test.each<[object, string[]]>([
  [{ inputSchema: { properties: { path: {}, id: {} } } }, ["allow act(x) 2"]],
  [{ control: ["path"] }, ["allow act(x) 2"]],
  [{ control: ["id"] }, ["allow act(id: 7) 2"]],
  [{ control: ["id", "path"] }, []],
  [{ inputSchema: {} }, []],
])("the argument of a line is the one that decides: %j", async (tool, lines) => {
  const calls = [allowed({ path: "x", id: 7 }), allowed({ path: "x", id: 7 })];

  expect(await linesOf(calls, tool)).toEqual(lines);
});

test.each<[unknown, string[]]>([
  [true, ["allow act(true) 2"]],
  [["a", "a"], ["allow act(a) 2"]],
  ["", []],
  [" ", []],
  ["a\nb", []],
  ["a\rb", []],
  ["key: value", []],
  ["key:value", ["allow act(key:value) 2"]],
  ["x".repeat(200), [`allow act(${"x".repeat(200)}) 2`]],
  ["x".repeat(201), []],
  [{ a: 1 }, []],
  ["a*b?", ["allow act(a\\*b\\?) 2"]],
])("the value %j makes the lines %j", async (path, lines) => {
  expect(await linesOf([allowed({ path }), allowed({ path })])).toEqual(lines);
});

test.each([
  ["a tool with the tag of a shell", "path", { tags: ["shell"] }],
  ["an argument whose name says so", "cmd", { inputSchema: { required: ["cmd"] } }],
])("a line is never about other commands than the approved ones: %s", async (_, name, tool) => {
  const begins = ["git -C . log", "find . -name a", "xargs -0 ls", "/usr/bin/env ls", "npm run -s a"];
  const calls = begins.flatMap((begin) => [1, 2].map((number) => allowed({ [name]: `${begin} ${number}` })));
  expect(await linesOf(calls, tool)).toEqual([]);
  const twice = ["git log -1", "git log -1"].map((command) => allowed({ [name]: command }));
  expect(await linesOf(twice, tool)).toEqual([expect.stringContaining("git log -1) 2")]);
});

test("what a person denied and the plan allows now is asked again", async () => {
  const calls = [denied({ path: "docs/a" }), denied({ path: "docs/b" }), denied({ path: "x" })];
  const now = { answer: "allow", rules: [], isLiftable: false };

  expect(await linesOf(calls, {}, now)).toEqual(["ask act(docs/*) 2", "ask act(x) 1"]);
  expect(await linesOf([...calls, denied({ path: "a\nb" })], {}, now)).toEqual(["ask act 4"]);
  expect(await linesOf(calls, { control: ["id", "path"] }, now)).toEqual(["ask act 3"]);
  expect(
    await linesOf(
      calls.map((call) => ({ ...call, asksOfFlows: true })),
      {},
      now,
    ),
  ).toEqual([]);
  expect(await linesOf(calls, {}, { ...now, answer: "deny" })).toEqual([]);
});

test("a tool whose denied calls flows ask about is allowed whole, where it has arguments that decide", async () => {
  const calm = { asksOfFlows: false };
  const calls = [
    allowed({ path: "a" }, calm),
    allowed({ path: "b" }, calm),
    allowed({ path: "c" }, { asksOfFlows: true }),
    denied({ path: "d" }, { asksOfFlows: true }),
  ];
  const found = await suggested(calls, { control: ["path"] });

  expect(found.lines).toEqual([
    {
      list: "allow",
      line: "act",
      calls: 2,
      needsFlows: true,
      examples: [
        { id: expect.any(String) as string, arguments: '{"path":"a"}' },
        { id: expect.any(String) as string, arguments: '{"path":"b"}' },
      ],
    },
  ]);
  expect([found.answered, found.spared, found.remaining]).toEqual([4, 2, { "act: asked by flows": 1 }]);
  expect(await linesOf(calls)).toEqual([]);
  expect(await linesOf([...calls, denied({ path: "e" }, calm)], { control: ["path"] })).toEqual([]);
  expect(await linesOf([calls[0]!, calls[2]!, calls[3]!], { control: ["path"] })).toEqual([]);
});

test("a report counts what is spared and why questions remain", async () => {
  const byRule = (call: { arguments: { path: string } }) =>
    call.arguments.path === "r" ? { ...asks, rules: ["plan.yaml:3:5", "x"], isLiftable: false } : asks;
  const found = await suggested(
    [
      allowed({ path: "a" }),
      allowed({ path: "a" }),
      allowed({ path: "b" }),
      allowed({ path: "r" }),
      allowed({ path: "r" }),
      allowed({ path: "z" }, { tool: "gone" }),
      answered(null, { path: "n" }),
      answered("allowed", null),
    ],
    {},
    byRule,
  );

  expect(found).toMatchObject({
    answered: 6,
    spared: 2,
    remaining: {
      "act: asked by plan.yaml:3:5, which no line removes": 2,
      "act: too few approvals that are alike": 1,
      "gone: the plan has no such tool": 1,
    },
    budget: null,
  });
});

test("lines are in the order of their calls, with three examples of at most 300 characters", async () => {
  const long = { path: "x", text: "t".repeat(400) };
  const calls = [
    ...[1, 2].map(() => allowed({ path: "few" })),
    ...[1, 2, 3, 4].map((n) => allowed({ ...long, n })),
  ];
  const { lines } = await suggested(calls);

  expect(lines.map(({ line, calls: behind }) => [line, behind])).toEqual([
    ["act(x)", 4],
    ["act(few)", 2],
  ]);
  expect(lines[0]!.examples.map((one) => one.arguments.length)).toEqual([300, 300, 300]);
  expect(lines[1]!.examples).toHaveLength(1);
});

test("five sessions speak for a budget: the most calls that one of them made", async () => {
  const inSession = (session: string) => answered(null, { path: "a" }, { session });
  const four = ["a", "a", "a", "b", "c", "d"].map(inSession);

  expect((await suggested(four)).budget).toBeNull();
  expect((await suggested([...four, inSession("e")])).budget).toEqual({ sessions: 5, calls: 3 });
});
