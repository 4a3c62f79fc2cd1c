import { describe, expect, test } from "vitest";
import { createHost, type ToolShape } from "../../src/index.ts";
import { tool } from "../world.ts";

/** What a host says of a tool with these members, or null where it mounts it. */
function refusalOf(members: Readonly<Record<string, unknown>>, shape: ToolShape = {}) {
  const draft = createHost().draft();
  const module = draft.addModule({ id: "tests", shapeTool: () => shape });
  try {
    module.coordinator.mount("tools", { ...tool(), ...members });
    return null;
  } catch (error) {
    const { code, details } = error as { code: string; details: { tool: string; problem: string } };
    return `${code} ${details.tool}: ${details.problem}`;
  }
}

const names =
  "its name must be 1 to 128 of letters, digits, _ . and -, and begin with a letter, a digit or _";

describe("the problem of a name", () => {
  test.each([
    [7, "7: its name is not a text"],
    ["", `: ${names}`],
    ["a".repeat(129), `${"a".repeat(128)}: ${names}`],
    ["-a", `-a: ${names}`],
    [".a", `.a: ${names}`],
    ["a b", `a b: ${names}`],
    ["é", `é: ${names}`],
    ["a\n", `a\n: ${names}`],
    ["toString", "toString: its name is that of a member of every JavaScript object"],
    ["constructor", "constructor: its name is that of a member of every JavaScript object"],
  ])("%j", (name, problem) => {
    expect(refusalOf({ name })).toBe(`TOOL_INVALID ${problem}`);
  });

  test.each(["a", "_", "0", "A.b-c_9", "a".repeat(128), "to_string"])("%s has none", (name) => {
    expect(refusalOf({ name })).toBeNull();
  });
});

const withUndo = { category: "write", undo: () => ({ data: null }) };

test.each([
  [{ description: undefined }, "its description is missing"],
  [{ description: " \n" }, "its description is missing"],
  [{ description: 7 }, "its description is missing"],
  [{ execute: undefined }, "it has no execute"],
  [{ category: "delet" }, 'its category is "delet"; it may be read, write, delete or side_effect'],
  [{ consequenceLevel: "none" }, 'its consequenceLevel is "none"; it may be low, medium or high'],
  [{ consequenceLevel: null }, "its consequenceLevel is null; it may be low, medium or high"],
  [{ requiresConfirmation: "yes" }, "its requiresConfirmation is neither true, false nor a function"],
  [{ requiresConfirmation: null }, "its requiresConfirmation is neither true, false nor a function"],
  [{ execution: "browser" }, 'its execution is "browser"; it may be server or client'],
  [{ status: "old" }, 'its status is "old"; it may be active, deprecated, internal or removed'],
  [{ question: 7 }, "its question is not a text"],
  [{ undo: true }, "its undo is not a function"],
  [{ preview: "text" }, "its preview is not a function"],
  [{ irreversible: "no" }, "its irreversible is neither true nor false"],
  [{ ...withUndo, idempotentUndo: 1 }, "its idempotentUndo is neither true nor false"],
  [{ idempotentUndo: true }, "it has no undo that could be idempotent"],
  [{ ...withUndo, irreversible: true }, "it has undo and says that it is irreversible"],
  [
    { timeout: -1 },
    "its timeout is -1; it must be a whole number of milliseconds from 1 to 2147483647, or 0 for none",
  ],
  [
    { timeout: 1.5 },
    "its timeout is 1.5; it must be a whole number of milliseconds from 1 to 2147483647, or 0 for none",
  ],
  [
    { timeout: 2_147_483_648 },
    "its timeout is 2147483648; it must be a whole number of milliseconds from 1 to 2147483647, or 0 for none",
  ],
  [
    { maxTimeout: -1 },
    "its timeout is -1; it must be a whole number of milliseconds from 1 to 2147483647, or 0 for none",
  ],
  [
    { description: "", category: "x", schema: { day: "string" } },
    'its description is missing; its category is "x"; it may be read, write, delete or side_effect; its schema is neither Zod\'s nor JSON Schema: it has only day; write z.object({ day: z.string() }), or { type: "object", properties: { day: { type: "string" } } }',
  ],
  // The missing compiler of JSON Schemas is not a problem of the tool.
  [{ description: "", schema: { type: "object" } }, "its description is missing"],
])("a tool with %o: %s", (members, problem) => {
  expect(refusalOf(members)).toBe(`TOOL_INVALID probe: ${problem}`);
});

test.each([
  { requiresConfirmation: undefined },
  { requiresConfirmation: true },
  { requiresConfirmation: () => true },
  { category: "side_effect", consequenceLevel: "high", execution: "client", status: "deprecated" },
  { question: "Really?" },
  { ...withUndo, idempotentUndo: true, irreversible: false, preview: () => "text" },
  { idempotentUndo: false, irreversible: true },
  { timeout: 0 },
  { timeout: 2_147_483_647, maxTimeout: 2_147_483_647 },
])("a tool with %o is mounted", (members) => {
  expect(refusalOf(members)).toBeNull();
});

test("limits of a plan are checked, with the tool that they are for", () => {
  const limited = (limits: NonNullable<ToolShape["limits"]>) => refusalOf({}, { name: "mine", limits });

  expect(limited({ timeoutMs: -1 })).toBe(
    "TOOL_INVALID mine: its timeout is -1; it must be a whole number of milliseconds from 1 to 2147483647, or 0 for none",
  );
  const count = (given: number) =>
    `option limits.concurrent of tool "probe": it is ${given}; it must be a whole number from 1`;
  const rate =
    'option limits.rate of tool "probe": it is "often"; it must be a number of calls and a time, such as 10/s, 100/min or 500/15min';
  for (const [limits, message] of [
    [{ concurrent: 0 }, count(0)],
    [{ concurrent: 1.5 }, count(1.5)],
    [{ rate: "often" }, rate],
  ] as const)
    expect(() => {
      const module = createHost()
        .draft()
        .addModule({ id: "tests", shapeTool: () => ({ limits }) });
      module.coordinator.mount("tools", tool());
    }).toThrow(expect.objectContaining({ code: "OPTION_INVALID", message }));
});
