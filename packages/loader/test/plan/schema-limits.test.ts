import { describe, expect, test } from "vitest";
import { z } from "zod";
import { commandHookSchema } from "../../src/plan/command-hook-schema.ts";
import { lockSchema } from "../../src/plan/lock-schema.ts";
import { planSchemas } from "../../src/commands/plan-schemas.ts";
import { entrySchema, limitsSchema, modesSchema, planSchema } from "../../src/plan/schema.ts";

interface Schema {
  safeParse(value: unknown): { readonly success: boolean; readonly error?: unknown; readonly data?: unknown };
}

const entry = (more: object) => ({ module: "m", ...more });
const tool = (more: object) => entry({ tools: { look: more } });
const select = (pattern: unknown) => entry({ tools: { include: [pattern] } });
const mode = (more: object) => ({ catalog: [{ key: "a", displayName: "A", ...more }] });
const hook = (more: object) => ({ command: "x", ...more });
const locked = (more: object) => ({ version: 1, tools: { t: { digest: "d", module: "m", ...more } } });
const longest = 2 ** 31 - 1;

const rows: [string, Schema, unknown, unknown][] = [
  ["a timeout", limitsSchema, { timeout: 0 }, { timeout: -1 }],
  ["a timeout", limitsSchema, { timeout: longest }, { timeout: longest + 1 }],
  ["bytes of output", limitsSchema, { outputBytes: 1 }, { outputBytes: 0 }],
  ["calls at the same time", limitsSchema, { concurrent: 1 }, { concurrent: 0 }],
  ["calls of a rate", limitsSchema, { rate: "1/s" }, { rate: "0/s" }],
  ["the time of a rate", limitsSchema, { rate: `1/${longest}ms` }, { rate: `1/${longest + 1}ms` }],
  ["the time of a rate", limitsSchema, { rate: "1/1ms" }, { rate: "1/0ms" }],
  ["the unit of a rate", limitsSchema, { rate: "1/h" }, { rate: "1/day" }],
  ["a module", entrySchema, entry({}), { module: "" }],
  ["an id", entrySchema, entry({ id: "x".repeat(128) }), entry({ id: "x".repeat(129) })],
  ["an id", entrySchema, entry({ id: "x" }), entry({ id: "" })],
  ["a source", entrySchema, entry({ source: "x" }), entry({ source: "" })],
  ["a prefix", entrySchema, entry({ prefix: "x".repeat(64) }), entry({ prefix: "x".repeat(65) })],
  ["a prefix", entrySchema, entry({ prefix: "a.B_9-" }), entry({ prefix: "a b" })],
  ["an export", entrySchema, entry({ export: "tools.$x" }), entry({ export: "tools." })],
  ["exports", entrySchema, entry({ export: ["a"] }), entry({ export: [] })],
  ["a name of a tool", entrySchema, tool({ as: "x".repeat(128) }), tool({ as: "x".repeat(129) })],
  ["a name of a tool", entrySchema, tool({ as: "a.B_9-" }), tool({ as: "a*" })],
  ["a description of a tool", entrySchema, tool({ description: "x" }), tool({ description: "" })],
  [
    "a description of an argument",
    entrySchema,
    tool({ arguments: { a: { description: "x" } } }),
    tool({ arguments: { a: { description: "" } } }),
  ],
  ["a glob of tools", entrySchema, select("r*_?"), select("r*_!")],
  ["a glob of tools", entrySchema, select("x".repeat(128)), select("x".repeat(129))],
  ["a tag of tools", entrySchema, select("tag: x"), select("tag: ")],
  ["a used tool", entrySchema, entry({ uses: { look: "my_look" } }), entry({ uses: { look: "my look" } })],
  ["the key of a mode", modesSchema, mode({ key: "x".repeat(64) }), mode({ key: "x".repeat(65) })],
  ["the key of a mode", modesSchema, mode({ key: "a_B-9" }), mode({ key: "a.b" })],
  ["the id of a mode", modesSchema, mode({ id: "x" }), mode({ id: "" })],
  ["the name of a mode", modesSchema, mode({}), mode({ displayName: "" })],
  ["the tools of a mode", modesSchema, mode({ tools: ["!read_*"] }), mode({ tools: ["!!x"] })],
  [
    "the tools of a mode",
    modesSchema,
    mode({ tools: [`!${"x".repeat(128)}`] }),
    mode({ tools: ["x".repeat(129)] }),
  ],
  ["modes", modesSchema, mode({}), { catalog: [] }],
  ["the version of a plan", planSchema, { version: 1 }, { version: 2 }],
  ["the name of a plan", planSchema, { name: "x".repeat(200) }, { name: "x".repeat(201) }],
  ["the command of a hook", commandHookSchema, hook({}), hook({ command: "" })],
  ["the command of a hook", commandHookSchema, hook({ command: ["x"] }), hook({ command: [] })],
  ["a word of a command", commandHookSchema, hook({ command: ["x", "y"] }), hook({ command: ["x", ""] })],
  ["the id of a hook", commandHookSchema, hook({ id: "x".repeat(128) }), hook({ id: "x".repeat(129) })],
  ["the id of a hook", commandHookSchema, hook({ id: "x" }), hook({ id: "" })],
  ["the events of a hook", commandHookSchema, hook({ events: ["tool:post"] }), hook({ events: [] })],
  ["the tools of a hook", commandHookSchema, hook({ tools: ["a.*?-"] }), hook({ tools: [] })],
  [
    "a tool of a hook",
    commandHookSchema,
    hook({ tools: ["x".repeat(128)] }),
    hook({ tools: ["x".repeat(129)] }),
  ],
  ["the time of a hook", commandHookSchema, hook({ timeout: 600_000 }), hook({ timeout: 600_001 })],
  ["the time of a hook", commandHookSchema, hook({ timeout: 1 }), hook({ timeout: 0 })],
  ["a variable of a hook", commandHookSchema, hook({ env: { A_1: "" } }), hook({ env: { "1A": "" } })],
  ["a lock", lockSchema, locked({}), { ...locked({}), version: 2 }],
  [
    "a locked tool",
    lockSchema,
    locked({ version: "1", integrity: "i", definition: { a: 1 } }),
    locked({ more: 1 }),
  ],
];

test.each(rows)("%s: %#", (_title, schema, valid, invalid) => {
  expect([schema.safeParse(valid).success, schema.safeParse(invalid).success]).toEqual([true, false]);
});

describe("the words that a plan knows", () => {
  test.each<[string, Schema, readonly string[], (word: string) => unknown]>([
    [
      "run.in",
      entrySchema,
      ["inline", "process", "fleet", "layer"],
      (where) => entry({ run: { in: where } }),
    ],
    ["wake", entrySchema, ["start", "call"], (wake) => entry({ wake })],
    [
      "category",
      entrySchema,
      ["read", "write", "delete", "side_effect"],
      (category) => select(`category: ${category}`),
    ],
    ["events", commandHookSchema, ["tool:pre", "tool:post"], (event) => hook({ events: [event] })],
    ["onFailure", commandHookSchema, ["deny", "allow"], (onFailure) => hook({ onFailure })],
    ["dialect", commandHookSchema, ["claude", "gemini"], (dialect) => hook({ dialect })],
  ])("%s", (_title, schema, words, write) => {
    expect(words.filter((word) => schema.safeParse(write(word)).success)).toEqual(words);
    expect(schema.safeParse(write(`${words[0]}~`)).success).toBe(false);
  });
});

test("what a plan leaves out has a default", () => {
  expect(entrySchema.parse({ module: "m" })).toEqual({ module: "m", override: false });
  expect(modesSchema.parse(mode({})).catalog).toEqual([
    { key: "a", displayName: "A", isDefault: false, tools: ["*"] },
  ]);
  expect(commandHookSchema.parse(hook({}))).toEqual({
    command: "x",
    events: ["tool:pre"],
    tools: ["*"],
    timeout: 5_000,
    onFailure: "deny",
    env: {},
    dialect: "claude",
    priority: 0,
  });
});

test.each<[Schema, unknown, string]>([
  [limitsSchema, { timeout: 1.5 }, "a timeout is a whole number of milliseconds, such as 5000"],
  [entrySchema, tool({ as: "a b" }), "a tool's name has 1 to 128 letters, digits, _ . and -"],
  [
    entrySchema,
    select(7),
    'a tool\'s name, a glob such as read_*, or with its quotes "category: read" or "tag: files"',
  ],
  [
    entrySchema,
    entry({ source: 7 }),
    "a source is a text such as ./path or npm:name, or a map such as { mcp: { … } }",
  ],
  [
    entrySchema,
    entry({ export: 7 }),
    "the name of an export, or a list of names; a member of an export as tools.weather",
  ],
  [entrySchema, entry({ prefix: "a b" }), "a prefix has 1 to 64 letters, digits, _ . and -"],
  [modesSchema, mode({ key: "a b" }), "the key of a mode has 1 to 64 letters, digits, _ and -"],
  [modesSchema, mode({ tools: ["a b"] }), "a tool's name, or a glob of * and ?"],
  [planSchema, { version: 2 }, "the version of the plan format is 1"],
  [planSchema, { tools: {} }, 'this is a list of entries, each of which begins with "- module:"'],
  [
    commandHookSchema,
    { command: 7 },
    "the command of a hook is a text, which a shell runs, or a list: the program and its words",
  ],
  [commandHookSchema, hook({ tools: ["a b"] }), "a tool's name, or a glob of * and ?"],
])("%# is refused with a sentence that says what is valid", (schema, value, problem) => {
  const { error } = schema.safeParse(value) as { error: { issues: readonly { message: string }[] } };
  expect(error.issues.map(({ message }) => message)).toContain(problem);
});

test("a list of programs without words says what a command is", () => {
  const { error } = commandHookSchema.safeParse(hook({ command: [] }));
  expect(JSON.stringify(error)).toContain("the command of a hook is a text, which a shell runs, or a list");
});

test.each<[Schema, object]>([
  [limitsSchema, { more: 1 }],
  [limitsSchema, { rate: { calls: 1, perMs: 1 } as never }],
  [entrySchema, entry({ more: 1 })],
  [entrySchema, tool({ more: 1 })],
  [entrySchema, tool({ arguments: { a: { more: 1 } } })],
  [entrySchema, select({ tag: "x" })],
  [modesSchema, mode({ more: 1 })],
  [modesSchema, { ...mode({}), more: 1 }],
  [planSchema, { more: 1 }],
  [commandHookSchema, hook({ more: 1 })],
  [lockSchema, { ...locked({}), more: 1 }],
])("no key that is not known: %#", (schema, value) => {
  expect(schema.safeParse(value).success).toBe(false);
});

/** Every description in a printed schema, at any depth. */
function descriptionsOf(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [];
  const { description } = value as { readonly description?: unknown };
  const own = typeof description === "string" ? [description] : [];
  return [...own, ...Object.values(value).flatMap(descriptionsOf)];
}

test.each(Object.entries(planSchemas))(
  "an editor shows what each key of the %s means, in whole sentences",
  (_name, schema) => {
    const printed = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });

    expect(descriptionsOf(printed).filter((each) => !/^[A-Za-z`].*[.!]$/s.test(each))).toEqual([]);
    expect(descriptionsOf(printed).length).toBeGreaterThan(2);
  },
);
