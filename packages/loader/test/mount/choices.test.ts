import { describe, expect, test } from "vitest";
import { findOrigins } from "../../src/commands/origins.ts";
import { createReporter } from "../../src/diagnostics/problems.ts";
import { choosesTool, offeredName } from "../../src/mount/offered-name.ts";
import { createSelection, reportUnmatched } from "../../src/mount/select-tools.ts";

const look = { name: "look", category: "read" as const, tags: ["files"] };

describe("the name under which an entry offers a tool", () => {
  test.each<[object, object, string | null]>([
    [{}, {}, "look"],
    [{ prefix: "my_" }, {}, "my_look"],
    [{ tools: { look: { as: "see" } } }, {}, "see"],
    [{ prefix: "my_", tools: { look: { as: "see" } } }, {}, "see"],
    [{ prefix: 7, tools: { look: { as: 7 } } }, {}, "look"],
    [{ tools: { exclude: ["look"] } }, {}, null],
    [{ tools: { exclude: ["list"] } }, {}, "look"],
    [{ tools: { include: ["look"] } }, {}, "look"],
    [{ tools: { include: ["list"] } }, {}, null],
    [{ tools: { include: [] } }, {}, null],
    [{ tools: { include: ["look"], exclude: ["l*"] } }, {}, null],
    [{ tools: 7 }, {}, "look"],
    [{ prefix: "my_", tools: { exclude: ["*"] } }, { status: "internal" }, "look"],
  ])("of %j for a tool with %j is %j", (entry, more, name) => {
    expect(offeredName(entry, { ...look, ...more })).toBe(name);
  });

  test.each<[unknown, boolean]>([
    ["look", true],
    ["Look", false],
    ["l*", true],
    ["l?ok", true],
    ["loo", false],
    ["category: read", true],
    ["category: write", false],
    ["tag: files", true],
    ["tag: net", false],
    [{}, false],
    [7, false],
    [null, false],
  ])("the item %j chooses it: %s", (item, expected) => {
    expect(choosesTool(item, look)).toBe(expected);
  });

  test("a tool without tags has none of them", () => {
    expect(choosesTool("tag: files", { name: "look" })).toBe(false);
  });
});

const entryOf = (more: object = {}) =>
  ({ module: "m", section: "tools", required: true, override: false, path: ["tools", 0], ...more }) as never;
const definition = (more: object = {}) =>
  ({
    name: "look",
    description: "Looks.",
    summary: "It looks.",
    schema: {},
    execute: () => "seen",
    ...more,
  }) as never;

describe("the shape of an offered tool", () => {
  const shapeOf = (
    entry: object,
    planLimits: object = {},
    more: object = {},
    runner?: string,
    lock?: unknown,
  ) => createSelection(entryOf(entry), planLimits, runner, lock as never).shapeTool(definition(more));

  test("has its name and nothing that the plan does not say", () => {
    expect(shapeOf({})).toEqual({ name: "look", override: false, limits: {} });
    expect(shapeOf({ tools: { exclude: ["look"] } })).toBeNull();
  });

  test("has the nearest limits: of the tool, of the entry, of the plan", () => {
    const entry = { limits: { timeout: 2, concurrent: 2 }, tools: { look: { limits: { timeout: 3 } } } };
    const plan = { timeoutMs: 1, concurrent: 1, outputBytes: 1, rate: "1/1ms" };

    expect(shapeOf(entry, plan)?.limits).toEqual({
      timeoutMs: 3,
      concurrent: 2,
      outputBytes: 1,
      rate: "1/1ms",
    });
    expect(shapeOf({ limits: { rate: "2/2ms", outputBytes: 5 } })?.limits).toEqual({
      rate: "2/2ms",
      outputBytes: 5,
    });
    expect(shapeOf({}, {}, { status: "internal" })?.limits).toEqual({ outputBytes: 67_108_864 });
    expect(shapeOf({}, { outputBytes: 1 }, { status: "internal" })?.limits).toEqual({ outputBytes: 1 });
  });

  test("has its place in the lock, its runner, its arguments and what it uses", () => {
    const lock = { tools: { look: { digest: "d" } } };
    const said = { arguments: { a: { hidden: true } } };

    expect(shapeOf({}, {}, {}, undefined, lock)).toMatchObject({ lockedAs: "d" });
    expect(shapeOf({ prefix: "x_" }, {}, {}, undefined, lock)).toMatchObject({ lockedAs: null });
    expect(shapeOf({ override: true, uses: { a: "b" }, tools: { look: said } }, {}, {}, "process")).toEqual({
      name: "look",
      override: true,
      limits: {},
      runner: "process",
      arguments: { a: { hidden: true } },
      uses: { a: "b" },
    });
  });

  test("has the plan's description without the author's summary", () => {
    const { definition: shaped } = shapeOf({ tools: { look: { description: "Other." } } })!;
    expect(shaped).toMatchObject({ name: "look", description: "Other." });
    expect(shaped).not.toHaveProperty("summary");
    expect(shaped?.execute({}, {} as never)).toBe("seen");
  });

  test("does not count an internal tool among those that an entry may name", () => {
    const reporter = createReporter(new Map());
    const selection = createSelection(entryOf({ tools: { include: ["look", "hid"] } }), {}, undefined);
    selection.shapeTool(definition());
    selection.shapeTool(definition({ name: "hid", status: "internal" }));
    selection.reportUnmatched(reporter);

    expect(reporter.problems.map(({ message, path }) => [path, message])).toEqual([
      ["tools[0].tools.include[1]", 'no tool of this module is called "hid"; it has: look'],
    ]);
  });
});

test.each<[object, readonly (readonly [string, string])[]]>([
  [{ include: ["look"], exclude: ["list"], look: { as: "x" } }, []],
  [
    { include: ["lok"] },
    [["tools[0].tools.include[0]", 'no tool of this module is called "lok"; did you mean "look"?']],
  ],
  [
    { exclude: ["zzz"] },
    [["tools[0].tools.exclude[0]", 'no tool of this module is called "zzz"; it has: look, list']],
  ],
  [
    { include: ["z*"] },
    [["tools[0].tools.include[0]", 'no tool of this module fits "z*"; it has: look, list']],
  ],
  [
    { include: ["tag: net"] },
    [["tools[0].tools.include[0]", 'no tool of this module has the tag "net"; it has: look, list']],
  ],
  [
    { include: ["category: write"] },
    [["tools[0].tools.include[0]", 'no tool of this module has the category "write"; it has: look, list']],
  ],
  [
    { lst: { as: "x" } },
    [["tools[0].tools.lst", 'no tool of this module is called "lst"; did you mean "list"?']],
  ],
])("of the tools %j what fits none is reported", (tools, problems) => {
  const reporter = createReporter(new Map());
  reportUnmatched(entryOf({ tools }), [look, { name: "list" }], reporter);
  expect(reporter.problems.map(({ path, message }) => [path, message])).toEqual(problems);
});

test("a module without tools has none that an entry could name", () => {
  const reporter = createReporter(new Map());
  reportUnmatched(entryOf({ tools: { include: ["look"] } }), [], reporter);
  expect(reporter.problems[0]!.message).toBe('no tool of this module is called "look"; it has: none');
});

describe("the settings of a plan that concern a tool", () => {
  const originsOf = (entry: object, limits: object = {}) =>
    findOrigins(entryOf(entry), look, { plan: { limits }, map: new Map() } as never).map(
      ({ what, value, path }) => `${what} ${JSON.stringify(value)} ${path}`,
    );
  const mounted = 'mounted "m" tools[0].module';
  test.each<[object, readonly string[]]>([
    [{}, []],
    [{ prefix: "my_" }, ['renamed "my_look" tools[0].prefix']],
    [{ prefix: "my_", tools: { look: { as: "see" } } }, ['renamed "see" tools[0].tools.look.as']],
    [{ tools: { include: ["list", "l*"] } }, ['included "l*" tools[0].tools.include[1]']],
    [{ tools: { include: ["list"] } }, ['left out ["list"] tools[0].tools.include']],
    [{ tools: { include: ["look"], exclude: ["look"] } }, ['left out "look" tools[0].tools.exclude[0]']],
    [{ tools: { look: { description: "D." } } }, ['described "D." tools[0].tools.look.description']],
    [
      { tools: { look: { limits: { timeout: 3 } } }, limits: { timeout: 2, outputBytes: 2 } },
      [
        'limited {"timeout":3} tools[0].tools.look.limits.timeout',
        'limited {"outputBytes":2} tools[0].limits.outputBytes',
      ],
    ],
    [
      { tools: { look: { arguments: { a: { hidden: true } } } } },
      ['argument {"a":{"hidden":true}} tools[0].tools.look.arguments.a'],
    ],
    [{ run: { in: "process" } }, ['runs "process" tools[0].run.in']],
    [{ override: true }, ["replaces true tools[0].override"]],
  ])("%j", (entry, origins) => {
    expect(originsOf(entry)).toEqual([mounted, ...origins]);
  });

  test("limits of the plan count where nothing nearer does", () => {
    expect(originsOf({ limits: { timeout: 2 } }, { timeoutMs: 1, outputBytes: 1, concurrent: 1 })).toEqual([
      mounted,
      'limited {"timeout":2} tools[0].limits.timeout',
      'limited {"outputBytes":1} policy.limits.outputBytes',
      'limited {"concurrent":1} policy.limits.concurrent',
    ]);
  });
});
