import { describe, expect, test } from "vitest";
import { createReporter } from "../../src/diagnostics/problems.ts";
import { readConditions } from "../../src/host/defaults.ts";
import { readPackage } from "../../src/modules/manifest.ts";
import { checkEntries, inLayer, overridesOf } from "../../src/plan/check-entries.ts";
import { workspace } from "../workspace.ts";

test.each<[readonly string[], readonly string[]]>([
  [
    ["-C", "a", "--conditions", "b"],
    ["a", "b"],
  ],
  [
    ["-C=a", "--conditions=b"],
    ["a", "b"],
  ],
  [["--conditions"], []],
  [["-Ca", "--conditions=", "--other=c", "x"], []],
])("Node's words %j give the conditions %j", (words, conditions) => {
  expect(readConditions(words)).toEqual(conditions);
});

describe("the program of an MCP server's package", () => {
  test.each<[object, string | undefined]>([
    [{ bin: { serve: "x.js", other: "y.js" } }, "serve"],
    [{ bin: "x.js" }, "mail"],
    [{ bin: "x.js", dependencies: {}, name: "@acme/mcp-mail" }, "mcp-mail"],
    [{ name: "@acme/mcp-mail", dependencies: {} }, undefined],
    [{ bin: "x.js", dependencies: {}, name: "@acme/mcpx" }, undefined],
    [{}, undefined],
    [{ bin: 7 }, undefined],
    [{ bin: "x.js", dependencies: {} }, undefined],
    [{ bin: "x.js", dependencies: { "@modelcontext/sdk": "1" } }, undefined],
    [{ bin: "x.js", name: 7 }, undefined],
  ])("of %j is %j", async (more, program) => {
    const json = { name: "@acme/mail", dependencies: { "@modelcontextprotocol/sdk": "1" }, ...more };
    const { folder } = await workspace({ "package.json": JSON.stringify(json) });
    expect((await readPackage(folder))?.mcpProgram).toBe(program);
  });

  test("is not known where there is no package that can be read", async () => {
    const { path } = await workspace({ "a/package.json": "{", "b/x": "", "c/package.json": "[]" });
    expect(await Promise.all(["a", "b", "c"].map((name) => readPackage(path(name))))).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });
});

describe("the entries of a plan", () => {
  const check = (plan: object, amplifier = false) => {
    const reporter = createReporter(new Map());
    const entries = checkEntries(plan as never, amplifier, reporter);
    return { entries, problems: reporter.problems.map(({ message, path }) => `${path} ${message}`) };
  };

  test.each<[unknown, string]>([
    ["./tool.ts", 'tools[0] an entry is a map; write "module: ./tool.ts"'],
    ["module:web", 'tools[0] a blank is missing after the colon; write "module: web"'],
    ["source:./x", 'tools[0] a blank is missing after the colon; write "source: ./x"'],
    ["id:x", 'tools[0] a blank is missing after the colon; write "id: x"'],
    ["x".repeat(200), `tools[0] an entry is a map; write "module: ${"x".repeat(92)}"`],
    [{ module: "a", remove: true }, "tools[0].remove there is no lower plan with an entry to remove"],
  ])("%j: %s", (entry, problem) => {
    expect(check({ tools: [entry] })).toEqual({ entries: [], problems: [problem] });
  });

  test("are required, have their names, and wake as they say", () => {
    const tools = [
      { module: "a" },
      { module: "b", id: "c", required: false, wake: "start" },
      { module: "d", id: "e" },
    ];
    const { entries } = check({ tools, hooks: [{ command: "x" }, { module: "h", wake: "call" }] });

    expect(
      entries.map(({ module, id, required, wake, section, path }) => [
        module,
        id,
        required,
        wake,
        section,
        path,
      ]),
    ).toEqual([
      ["a", undefined, true, undefined, "tools", ["tools", 0]],
      ["b", "c", false, "start", "tools", ["tools", 1]],
      ["d", "e", true, undefined, "tools", ["tools", 2]],
      ["h", undefined, true, "call", "hooks", ["hooks", 1]],
    ]);
  });

  test("of an Amplifier plan are required for orchestrator and context alone", () => {
    const plan = {
      session: { orchestrator: "o", context: { module: "c" } },
      providers: [{ module: "p" }],
      tools: [{ module: "t" }],
    };
    expect(
      check(plan, true).entries.map(({ section, module, required }) => [section, module, required]),
    ).toEqual([
      ["orchestrator", "o", true],
      ["context", "c", true],
      ["providers", "p", false],
      ["tools", "t", false],
    ]);
  });

  test("are at most a thousand", () => {
    const tools = (count: number) => Array.from({ length: count }, (_, at) => ({ module: `m${at}` }));
    expect(check({ tools: tools(1_000) }).entries).toHaveLength(1_000);
    expect(check({ tools: tools(1_001) })).toEqual({
      entries: [],
      problems: ["tools[1000] a plan has at most 1000 entries"],
    });
  });

  test("set what they say of single tools, and not the choice of tools", () => {
    expect(overridesOf({ tools: { include: ["a"], look: { as: "see" } } as never })).toEqual([
      ["look", { as: "see" }],
    ]);
    expect(overridesOf({})).toEqual([]);
  });
});

describe("the entries of a plan with a layer", () => {
  const inPlan = (entries: readonly object[], folder: string | undefined = "./") => {
    const reporter = createReporter(new Map());
    const checked = inLayer(checkEntries({ tools: entries } as never, false, reporter), folder, reporter);
    return { runs: checked.map(({ run }) => run), problems: reporter.problems.map(({ message }) => message) };
  };
  const layer = { in: "layer", folder: "./" };

  test("for files and commands run in it, and others where they say so", () => {
    const names = ["bash", "@toolmount/tool-search", "web", "./own.ts"];
    const entries = names.map((module) => ({ module }));
    expect(inPlan(entries).runs).toEqual([layer, layer, undefined, undefined]);
    const fetched = { module: "bash", source: "npm:@toolmount/tool-bash@1" };
    expect(inPlan([fetched, { module: "./own.ts", run: { in: "layer" } }]).runs).toEqual([layer, layer]);
    const server = { module: "search", source: { mcp: { url: "https://example.com" } } };
    expect(inPlan([server]).runs).toEqual([undefined]);
  });

  test("for files and commands run nowhere else", () => {
    expect(inPlan([{ module: "bash", run: { in: "inline" } }]).problems).toEqual([
      "with layer: ./, bash runs in the layer, or its files would be others than those of the shell; remove run, or layer",
    ]);
    expect(inPlan([{ module: "./own.ts", run: { in: "layer", border: "none" } }]).problems).toEqual([
      "run: { in: layer } has no other keys",
    ]);
  });

  test("are refused where they want a layer that the plan does not have", () => {
    const reporter = createReporter(new Map());
    const entries = checkEntries({ tools: [{ module: "bash", run: { in: "layer" } }] }, false, reporter);
    inLayer(entries, undefined, reporter);
    expect(reporter.problems).toMatchObject([
      { path: "tools[0].run", message: "the plan has no layer; write layer: ./ at its top" },
    ]);
  });
});
