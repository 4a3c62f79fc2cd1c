import { ToolmountError } from "@toolmount/core";
import { describe, expect, test } from "vitest";
import { DeadlineExceeded } from "../../src/trial/deadline.ts";
import { callWith, findingsOf, toolWith } from "./subjects.ts";

const late = new DeadlineExceeded("it did not end within 50 ms");

const outcome = (status: string, result: object) => ({ status, result });

describe("calls", () => {
  const thrown = (value: unknown) => ({ value });
  test.each<[string, object[], ...string[]]>([
    ["execute_never_throws", [{}]],
    ["execute_never_throws", [{ thrown: thrown(late) }]],
    ...["ToolError", "ToolInterrupt", "ContractBreach"].map((name): [string, object[]] => [
      "execute_never_throws",
      [{ thrown: thrown(Object.assign(new Error("no"), { name })) }],
    ]),
    [
      "execute_never_throws",
      [{ thrown: thrown(new TypeError("no")), arguments: { a: 1 } }, { thrown: thrown(new Error("again")) }],
      'execute: it throws on {"a":1}: TypeError no',
    ],
    [
      "execute_never_throws",
      [{ thrown: thrown("text"), arguments: "{" }],
      "execute: it throws on {: string ",
    ],
    [
      "execute_never_throws",
      [{ thrown: thrown(new Error("y".repeat(400))), arguments: "x".repeat(81) }],
      `execute: ${`it throws on ${"x".repeat(80)}…: Error ${"y".repeat(400)}`.slice(0, 300)}`,
    ],
    [
      "execute_never_throws",
      [{ thrown: thrown(new Error("no")), arguments: "x".repeat(80) }],
      `execute: it throws on ${"x".repeat(80)}: Error no`,
    ],
    ["execute_ends", [{ thrown: thrown(new Error("no")) }, {}]],
    [
      "execute_ends",
      [{}, { thrown: thrown(late), arguments: { a: 1 } }],
      'execute: on {"a":1} it did not end within 50 ms',
    ],
    ["valid_calls", [{}, { outcome: outcome("pending", {}) }]],
    ["valid_calls", [{ kind: "invalid", outcome: outcome("failed", { error: "no" }) }]],
    ["valid_calls", [{ thrown: thrown(1), outcome: outcome("failed", { error: "no" }) }]],
    ...["CONTRACT_VIOLATION", "OUTPUT_INVALID"].map((code): [string, object[]] => [
      "valid_calls",
      [{ outcome: outcome("failed", { error: "no", code }) }],
    ]),
    [
      "valid_calls",
      [
        { arguments: { a: 1 }, outcome: outcome("failed", { error: "no", code: "X" }) },
        { outcome: outcome("denied", {}) },
      ],
      'execute: {"a":1} gives failed: no',
      "execute: {} gives denied: ",
    ],
    [
      "valid_calls",
      [{ outcome: outcome("failed", { error: "y".repeat(400) }) }],
      `execute: ${`{} gives failed: ${"y".repeat(400)}`.slice(0, 300)}`,
    ],
    ["invalid_calls", [{}, { kind: "invalid", outcome: outcome("invalid", {}) }]],
    ["invalid_calls", [{ kind: "invalid", arguments: { a: 1 } }], 'execute: {"a":1} is accepted'],
    ["invalid_calls", [{ kind: "invalid", arguments: "x".repeat(400) }], `execute: "${"x".repeat(299)}`],
  ])("%s of %j", async (rule, calls, ...problems) => {
    const found = await findingsOf(rule, toolWith({}, { calls: calls.map(callWith) }));
    expect(found).toEqual(problems.map((problem) => `tools.read_note.${problem}`));
  });
});

describe("results", () => {
  const breach = (error?: string, code = "CONTRACT_VIOLATION") =>
    callWith({ outcome: outcome("failed", { code, error }) });
  const rules = {
    result_no_success: 'it has no "success"',
    result_no_timestamp: 'it has no "timestamp"',
    result_data_xor_error: "data or error: exactly one",
    result_fetched_at: "fetchedAt is not a time",
    result_tool_name: "it names the tool x",
    result_contract: "it is a number",
  };
  const all = Object.values(rules).map((error) => breach(error));

  test.each(Object.entries(rules))("%s finds the breach that says: %s", async (rule, error) => {
    expect(await findingsOf(rule, toolWith({}, { calls: [...all, ...all] }))).toEqual([
      `tools.read_note.execute: ${error}`,
    ]);
    expect(await findingsOf(rule, toolWith({}, { calls: [breach(error, "OTHER")] }))).toEqual([]);
  });

  test("a breach without a message is one of the contract", async () => {
    expect(await findingsOf("result_contract", toolWith({}, { calls: [breach()] }))).toEqual([
      "tools.read_note.execute: ",
    ]);
  });

  test("output_schema finds the first output that the schema refuses", async () => {
    const calls = [callWith({}), breach("no", "OUTPUT_INVALID"), breach("again", "OUTPUT_INVALID")];
    expect(await findingsOf("output_schema", toolWith({}, { calls }))).toEqual([
      "tools.read_note.outputSchema: no",
    ]);
    expect(await findingsOf("output_schema", toolWith({}, { calls: [callWith({})] }))).toEqual([]);
  });
});

describe("what the host refuses", () => {
  const refused = new ToolmountError("TOOL_INVALID" as never, { tool: "a", problem: "no" } as never);
  const ids = [
    "tool_mountable",
    "schema_json",
    "name_duplicate",
    "tool_name",
    "tool_execute",
    "tool_input_schema",
  ];
  test.each(ids)("%s says what the host says, of a tool that was refused for it", async (id) => {
    const found = (refusedBy: string | null, name = "a") =>
      findingsOf(id, toolWith({}, { info: null, name, refused, refusedBy }));

    expect(await found(id)).toEqual([`tools.a: ${refused.message}`]);
    expect(await found(id, "")).toEqual([`tools.(without a name): ${refused.message}`]);
    expect(await found("other")).toEqual([]);
    expect(await found(null)).toEqual([]);
  });

  test.each<[string, object, object[], ...string[]]>([
    ["a native tool", { origin: "toolmount" }, []],
    ["one that takes its input", {}, [{ execute(_input: unknown) {} }]],
    ["one that takes what it gets", {}, [{ execute(..._input: unknown[]) {} }]],
    ["one without input", {}, [{ execute() {} }], "execute: it takes no input"],
    [
      "one that returns nothing",
      {},
      [{ execute(_input: unknown) {} }, { returned: undefined }],
      "execute: it returns nothing",
    ],
    ["one that did not run", {}, [{ execute(_input: unknown) {} }, { returned: undefined, ran: false }]],
    ["one that threw", {}, [{ execute(_input: unknown) {} }, { returned: undefined, thrown: { value: 1 } }]],
    ["one without execute", {}, [{ execute: 1 }]],
  ])("tool_execute_async of %s", async (_title, info, [thing, call], ...problems) => {
    const subject = toolWith(
      { origin: "amplifier", ...info },
      { thing: thing ?? { execute() {} }, calls: call === undefined ? [] : [callWith(call)] },
    );
    expect(await findingsOf("tool_execute_async", subject)).toEqual(
      problems.map((problem) => `tools.read_note.${problem}`),
    );
  });
});

describe("texts", () => {
  const hidden = "a\u200bb";
  const said = 'holds characters without width (U+200B): "a\\u{200b}b"';
  test.each<[object, string]>([
    [{ description: hidden }, "description"],
    [{ summary: hidden }, "summary"],
    [{ usage: hidden }, "usage"],
    [{ version: hidden }, "version"],
    [{ tags: ["a", hidden] }, "tags[1]"],
    [{ modes: [hidden] }, "modes[0]"],
    [{ dependsOn: [hidden] }, "dependsOn[0]"],
    [{ inputSchema: { description: hidden } }, "inputSchema.description"],
    [{ outputSchema: { description: hidden } }, "outputSchema.description"],
  ])("text_hidden finds a hidden character in %j", async (members, place) => {
    expect(await findingsOf("text_hidden", toolWith(members))).toEqual([`tools.read_note.${place}: ${said}`]);
  });

  test.each(["name", "description", "usage", "inputSchema"])(
    "text_hidden finds one in the %s of a tool that the host refused, and reads no member that throws",
    async (member) => {
      const thing = {
        [member === "inputSchema" ? "input_schema" : member]:
          member === "inputSchema" ? { title: hidden } : hidden,
      };
      Object.defineProperty(thing, member === "usage" ? "description" : "usage", {
        get() {
          throw new Error("no");
        },
      });
      const found = await findingsOf("text_hidden", toolWith({}, { info: null, name: "a", thing }));

      expect(found).toEqual([`tools.a.${member === "inputSchema" ? "inputSchema.title" : member}: ${said}`]);
    },
  );

  test.each([null, 1, undefined])("of the refused tool %j there is no text", async (thing) => {
    expect(await findingsOf("text_hidden", toolWith({}, { info: null, name: "a", thing }))).toEqual([]);
  });

  test("name_lookalike says nothing of the name for which the host refused a tool", async () => {
    const refused = new ToolmountError("TOOL_INVALID" as never, { tool: "a" } as never);
    const find = (others: object) =>
      findingsOf(
        "name_lookalike",
        toolWith({}, { info: null, name: "valueOf", thing: { name: "valueOf" }, ...others }),
      );

    expect(await find({})).toEqual([
      'tools.valueOf.name: is the name of a member of every JavaScript object: "valueOf"',
    ]);
    expect(await find({ refused })).toEqual([]);
  });
});
