import { describe, expect, test } from "vitest";
import { createReporter } from "../../src/diagnostics/problems.ts";
import { checkAmplifier, isAmplifierPlan, listWritten, mapForeign } from "../../src/plan/amplifier.ts";
import { checkPlan } from "../../src/plan/check-plan.ts";

describe("a plan of Amplifier", () => {
  test.each<[object, boolean]>([
    [{ session: { orchestrator: "o" } }, true],
    [{ session: { context: "c" } }, true],
    [{ session: {} }, false],
    [{ session: "x" }, false],
    [{ orchestrator: {} }, true],
    [{ context: {} }, true],
    [{ providers: [] }, true],
    [{ agents: {} }, true],
    [{ version: 1, providers: [] }, false],
    [{ tools: [] }, false],
  ])("%j: %s", (plan, expected) => {
    expect(isAmplifierPlan(plan as never)).toBe(expected);
  });

  test("has a config of a part in the section of its name, under its own", () => {
    const plan = {
      session: { orchestrator: { module: "o", config: { a: 1 } }, context: "c" },
      orchestrator: { config: { a: 0, b: 2 } },
      context: { x: 1 },
    };
    expect(listWritten(plan as never)).toEqual([
      {
        section: "orchestrator",
        value: { module: "o", config: { a: 1, b: 2 } },
        path: ["session", "orchestrator"],
      },
      { section: "context", value: { module: "c" }, path: ["session", "context"] },
    ]);
  });

  test.each<[object, readonly string[]]>([
    [{ providers: {} }, ["providers providers is a list of modules"]],
    [
      {
        providers: [
          {
            module: "provider-openai",
            source: "git+https://github.com/x/amplifier-module-provider-openai@main",
          },
          {
            module: "provider-openai",
            id: "b",
            source: "git+https://github.com/x/amplifier-module-provider-anthropic@v1",
          },
          { module: "amplifier-module-provider-openai", id: "c", source: "git+https://github.com/x/mine" },
        ],
      },
      ['providers[1].source its source is "provider-anthropic", which is another module'],
    ],
    [{ agents: [] }, ["agents agents is a map"]],
    [
      { orchestrator: 7, context: [] },
      ['orchestrator orchestrator is a map with "config"', 'context context is a map with "config"'],
    ],
    [
      { providers: [{ module: "a" }, { module: "b" }, { module: "a" }] },
      ["providers[2] only one use of a module may omit instance_id"],
    ],
    [{ providers: [{ module: "a" }, { module: "a", id: "x" }, { module: "a", instance_id: "y" }] }, []],
    [{ providers: null, agents: null }, []],
  ])("%j: %j", (plan, problems) => {
    const reporter = createReporter(new Map());
    checkAmplifier(plan as never, reporter);
    expect(reporter.problems.map(({ path, message }) => `${path} ${message}`)).toEqual(problems);
  });

  const python = "git+https://github.com/microsoft/amplifier-module-tool-web@main";
  test.each<[string, string, unknown, unknown]>([
    ["tools", "tool-web", undefined, ["@toolmount/tool-web", "toolmount-tool-web"]],
    ["tools", "tool-web", python, ["@toolmount/tool-web", "toolmount-tool-web"]],
    ["hooks", "hooks-log", undefined, ["@toolmount/hooks-log", "toolmount-hooks-log"]],
    ["hooks", "hook-log", undefined, ["@toolmount/hooks-log", "toolmount-hooks-log"]],
    ["providers", "provider-x", undefined, "reasoner"],
    ["orchestrator", "loop", python, "reasoner"],
    ["tools", "./mine.ts", undefined, undefined],
    ["tools", "tool-web", "npm:web", undefined],
    ["tools", "tool-web", { mcp: {} }, undefined],
  ])("maps a module of %s, %s from %j", (section, module, source, mapped) => {
    const found = mapForeign(section as never, module, source);
    expect(found?.kind === "package" ? found.names : found?.kind).toEqual(mapped);
    if (found?.kind === "package")
      expect(found.hint).toBe(
        `it is a Python module, and neither ${found.names.join(" nor ")} is installed; remove the entry, or add a source of your own`,
      );
  });
});

describe("a plan as a whole", () => {
  const check = async (plan: object) => {
    const reporter = createReporter(new Map());
    const { unknownSections, sections, limits, modes } = await checkPlan(plan as never, reporter);
    return {
      unknownSections,
      sections,
      limits,
      modes,
      problems: reporter.problems.map(({ message, path, hint }) => [path, message, hint]),
    };
  };
  const mode = (key: string, more: object = {}) => ({ key, displayName: key, ...more });

  test.each<[object, readonly unknown[]]>([
    [
      { version: 1, tools: null },
      [["tools", "tools is empty; write a list of entries, or remove the key", undefined]],
    ],
    [{ version: 1, nmae: "x" }, [["nmae", 'unknown key "nmae"; did you mean "name"?', undefined]]],
    [{ version: 1, zzzzzz: 1 }, [["zzzzzz", 'unknown key "zzzzzz"', "a key of your own begins with x-"]]],
    [
      { version: 1, providers: [] },
      [
        [
          "providers",
          'unknown key "providers"',
          "this is a section of Amplifier plans, which have no version; write the model and its agents in agent:",
        ],
      ],
    ],
    [{ toolz: [] }, [["toolz", 'unknown key "toolz"; did you mean "tools"?', undefined]]],
    [
      { modes: { catalog: [mode("a"), mode("a")] } },
      [["modes.catalog[1].key", 'another mode has the key "a"', undefined]],
    ],
    [
      { modes: { catalog: [mode("a", { isDefault: true }), mode("b", { isDefault: true })] } },
      [["modes.catalog[1].isDefault", "only one mode can be the default", undefined]],
    ],
    [{ modes: { catalog: [mode("a", { isDefault: true }), mode("b")] }, "x-own": 1 }, []],
  ])("%j: %j", async (plan, problems) => {
    expect((await check(plan)).problems).toEqual(problems);
  });

  test.each([
    ...["allow", "ask", "deny", "rules", "flows", "budgets", "limits", "replace", "level", "approver"].map(
      (key) => [key, "policy"],
    ),
    ...["model", "instructions", "baseUrl", "apiKey"].map((key) => [key, "agent"]),
  ])("a plan with %s: at its top is shown the section %s:", async (key, section) => {
    const problem = [key, `unknown key "${key}"`, `write it in ${section}:`];
    expect((await check({ version: 1, [key]: 1 })).problems).toEqual([problem]);
  });

  test("a note is no key of an entry or a tool, and what modules get is theirs, notes too", async () => {
    const own = { "x-a": 1 };
    const inner = { config: own, source: own, run: { in: "process", ...own } };
    const entry = { module: "m", ...inner, tools: { t: { as: "u", ...own } }, ...own };
    const plan = { version: 1, tools: [entry], ...own };
    const { entries } = await checkPlan(plan, createReporter(new Map()));

    expect(entries[0]).toMatchObject({ ...inner, tools: { t: { as: "u" } } });
    expect(JSON.stringify(entries[0]).match(/x-a/g)).toHaveLength(3);
  });

  test("has its limits apart from the rest of its policy, and sections that it does not know", async () => {
    const policy = {
      level: "standard",
      limits: { timeout: 1, outputBytes: 2, concurrent: 3, rate: "1/2ms" },
    };
    const { sections, limits, unknownSections } = await check({
      policy,
      zzzzzz: 1,
      audit: null,
      state: "memory",
      agents: {},
    });

    expect(limits).toEqual({ timeoutMs: 1, outputBytes: 2, concurrent: 3, rate: "1/2ms" });
    expect(sections).toEqual({ policy: { level: "standard" }, state: "memory" });
    expect(unknownSections).toEqual(["zzzzzz"]);
    expect((await check({ policy: { limits: {} } })).sections).toEqual({});
    const session = { orchestrator: "o", context: "c", injection_size_limit: 9 };
    expect((await check({ session })).sections).toEqual({ session: { injection_size_limit: 9 } });
    expect((await check({ session: { orchestrator: "o" } })).sections).toEqual({});
  });
});
