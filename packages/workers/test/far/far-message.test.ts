import { describe, expect, test } from "vitest";
import { readFarMessage } from "../../src/far/far-message.ts";

/** What a process may send. The tool shares the process, so each of these may be forged. */
const read = (message: unknown) => readFarMessage(JSON.stringify(message));
const unknown = "it sent a message that the host does not know";

const tool = { name: "pay", description: "Pays.", inputSchema: { type: "object" } };
const report = (more: object = {}) => ({ type: "mounted", keepsState: false, tools: [{ ...tool, ...more }] });
const thrown = { kind: "error", name: "Error", message: "no" };

test.each([
  { type: "mounted", keepsState: true },
  { type: "refused", problem: "no", config: false },
  { type: "event", event: "x:y", data: { a: [1] } },
  { type: "aborting", runId: "r" },
  { type: "progress", runId: "r", progress: { progress: 1, total: 2, message: "m" } },
  { type: "log", runId: "r", level: "warn", fields: {}, message: "m" },
  { type: "call", runId: "r", id: 1, request: { id: "c", name: "n", arguments: "{}" } },
  { type: "call", runId: "r", id: 1, request: { name: "n", arguments: { a: 1 } } },
  { type: "set", runId: "r", key: "k", value: null },
  { type: "delete", runId: "r", key: "k" },
  { type: "returned", runId: "r" },
  {
    type: "threw",
    runId: "r",
    thrown: { ...thrown, code: "C", details: {}, stack: "s", value: 1, described: {} },
  },
  { type: "threw", runId: "r", thrown: { kind: "value", of: "string", text: "t" } },
  { type: "invalid", runId: "r", issues: [{ path: ["a", 0], message: "m" }] },
  ...[
    ...["read", "write", "delete", "side_effect"].map((category) => ({ category })),
    ...["low", "medium", "high"].map((consequenceLevel) => ({ consequenceLevel })),
    ...[true, false, "dynamic"].map((requiresConfirmation) => ({ requiresConfirmation })),
    ...["server", "client"].map((execution) => ({ execution })),
    ...["active", "deprecated"].map((status) => ({ status })),
  ].map(report),
])("the message %j is read", (message) => {
  expect(read(message)).toEqual(message);
});

test.each([
  null,
  7,
  [],
  {},
  { type: "novelty", runId: "r" },
  { type: "aborting" },
  { type: "aborting", runId: "r", more: 1 },
  { type: "progress", runId: "r", progress: { progress: "1" } },
  { type: "progress", runId: "r", progress: { progress: 1, more: 1 } },
  { type: "log", runId: "r", level: "fatal", fields: {} },
  { type: "call", runId: "r", id: 1.5, request: { name: "n" } },
  { type: "call", runId: "r", id: 1, request: { name: "n", arguments: [] } },
  { type: "call", runId: "r", id: 1, request: { name: "n", userId: "ann" } },
  { type: "set", runId: "r", key: "k" },
  { type: "threw", runId: "r", thrown: { kind: "other" } },
  { type: "threw", runId: "r", thrown: { ...thrown, more: 1 } },
  { type: "invalid", runId: "r", issues: [] },
  { type: "invalid", runId: "r", issues: Array.from({ length: 51 }, () => ({ path: [], message: "m" })) },
  { type: "invalid", runId: "r", issues: [{ path: Array.from({ length: 65 }, () => "a"), message: "m" }] },
  { type: "invalid", runId: "r", issues: [{ path: [], message: "m".repeat(501) }] },
])("the message %j ends its process", (message) => {
  expect(read(message)).toBe(unknown);
});

test("a text that is no JSON ends its process, and so does one too wide to parse", () => {
  expect(readFarMessage("{oops")).toBe(unknown);
  const wide = Object.fromEntries(Array.from({ length: 20_001 }, (_, at) => [`k${at}`, at]));
  expect(read({ type: "returned", runId: "r", value: wide })).toBe(
    "it sent an object of more than 20000 members",
  );
});

test("as many issues as core makes of arguments are read", () => {
  const issues = Array.from({ length: 50 }, () => ({
    path: Array.from({ length: 64 }, () => "a"),
    message: "m".repeat(500),
  }));
  expect(read({ type: "invalid", runId: "r", issues })).toMatchObject({ issues });
});

describe("the report of a module's tools", () => {
  const many = (count: number) => Array.from({ length: count }, (_, at) => `${at}`);

  test.each([
    ["name", "n".repeat(128), "n".repeat(129)],
    ["alias", "n".repeat(128), "n".repeat(129)],
    ["description", "d".repeat(50_000), "d".repeat(50_001)],
    ["usage", "u".repeat(200_000), "u".repeat(200_001)],
    ["summary", "s".repeat(5_000), "s".repeat(5_001)],
    ["question", "q".repeat(1_000), "q".repeat(1_001)],
    ["version", "v".repeat(200), "v".repeat(201)],
    ["failuresOf", "v".repeat(200), "v".repeat(201)],
    ["tags", many(100), many(101)],
    ["modes", ["m".repeat(200)], ["m".repeat(201)]],
    ["dependsOn", many(100), many(101)],
    ["control", many(100), many(101)],
    ["content", many(100), many(101)],
    ["timeout", 0, -1],
    ["maxTimeout", 0, 0.5],
    ["category", "side_effect", "other"],
    ["consequenceLevel", "medium", "none"],
    ["requiresConfirmation", "dynamic", "no"],
    ["execution", "client", "host"],
    ["status", "deprecated", "gone"],
    ["origin", "forge", "other"],
    ["foreign", true, false],
    ["idempotent", true, "yes"],
    ["dynamic", false, 0],
    ["inputSchema", { a: "x".repeat(499_992) }, { a: "x".repeat(499_993) }],
    ["outputSchema", {}, []],
    ["outputSchema", { type: "object" }, null],
    ["outputSchema", { type: "object" }, "object"],
  ])("%s has a bound", (key, fits, exceeds) => {
    expect(read(report({ [key]: fits }))).toMatchObject({ tools: [{ [key]: fits }] });
    expect(read(report({ [key]: exceeds }))).toMatch(
      new RegExp(`^its report of its tools is not valid: tools\\.0\\.${key}`),
    );
  });

  test("has at most 1,000 tools, none with a member that the host does not know", () => {
    const tools = (count: number) => ({
      type: "mounted",
      keepsState: false,
      tools: Array.from({ length: count }, () => tool),
    });
    expect(read(tools(1_000))).toMatchObject({ type: "mounted" });
    expect(read(tools(1_001))).toContain("its report of its tools is not valid: tools: ");
    expect(read(report({ execute: "code" }))).toContain("its report of its tools is not valid: tools.0: ");
  });

  test("has no schema with a key that changes a prototype, or of thousands of levels", () => {
    const polluted = JSON.stringify(report()).replace('{"type":"object"}', '{"__proto__":{"a":1}}');
    const deep = JSON.stringify(report()).replace(
      '{"type":"object"}',
      `${'{"a":'.repeat(2_000)}1${"}".repeat(2_000)}`,
    );
    for (const text of [polluted, deep])
      expect(readFarMessage(text)).toBe(
        "its report of its tools is not valid: tools.0.inputSchema: a schema is a JSON object of at most 500000 characters",
      );
  });

  test("has at most 100 contributions, of the kinds that a module elsewhere can make", () => {
    const contributing = (count: number, channel = "observability.events") => ({
      type: "mounted",
      keepsState: false,
      contributions: Array.from({ length: count }, (_, at) => ({ channel, name: `n${at}`, value: ["x:y"] })),
    });
    expect(read(contributing(100))).toMatchObject({ type: "mounted" });
    expect(read(contributing(101))).toContain("its report of its tools is not valid: contributions: ");
  });
});
