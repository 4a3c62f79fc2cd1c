import { silentLogger } from "@toolmount/core";
import { z } from "zod";
import { describe, expect, test } from "vitest";
import { openHost, type Problem } from "../../src/index.ts";
import { workspace } from "../workspace.ts";

const config = z.strictObject({
  root: z.string(),
  limits: z.strictObject({ maxBytes: z.int().positive().default(100) }).prefault({}),
  places: z.array(z.strictObject({ name: z.string() })).default([]),
});

async function open(plan: string, module: Record<string, unknown>, logger = silentLogger) {
  const { path } = await workspace({ "plan.yaml": plan });
  return openHost(path("plan.yaml"), { logger, extensions: { m: module } });
}

test("AMP-15: a module gets what its own schema made of the config, frozen", async () => {
  const seen: unknown[] = [];
  const mount = (coordinator: { config: unknown }, settings: unknown) =>
    void seen.push(coordinator.config, settings);
  const host = await open("tools: [{ module: m, config: { root: here } }]", { config, mount });

  const parsed = { root: "here", limits: { maxBytes: 100 }, places: [] };
  expect(seen).toEqual([parsed, parsed]);
  expect(Object.isFrozen((seen[1] as typeof parsed).limits)).toBe(true);
  await host.close();
});

test("every issue with a config is reported at its key in the plan, and nothing is mounted", async () => {
  let mounted = 0;
  const plan = `
tools:
  - module: m
    config:
      rot: here
      limits: { maxBytes: -1 }
      places: [{ name: a }, { name: 2, size: 3 }]
`;
  const error: unknown = await open(plan, { config, mount: () => void mounted++ }).catch(
    (thrown: unknown) => thrown,
  );
  const { problems } = (error as { details: { problems: Problem[] } }).details;

  expect(problems.map(({ code, line, column, path }) => [code, `${line}:${column}`, path])).toEqual([
    ["CONFIG_INVALID", "4:5", "tools[0].config.root"],
    ["CONFIG_INVALID", "5:7", "tools[0].config.rot"],
    ["CONFIG_INVALID", "6:27", "tools[0].config.limits.maxBytes"],
    ["CONFIG_INVALID", "7:37", "tools[0].config.places[1].name"],
    ["CONFIG_INVALID", "7:40", "tools[0].config.places[1].size"],
  ]);
  expect(problems[1]?.message).toBe('config of "m": unknown key "rot"; did you mean "root"?');
  expect(mounted).toBe(0);
});

test("a missing config is reported at the entry", async () => {
  await expect(open("tools:\n  - module: m\n", { config, mount: () => null })).rejects.toMatchObject({
    details: { problems: [{ code: "CONFIG_INVALID", line: 2, message: 'config of "m": "root" is missing' }] },
  });
});

test("a module without a schema gets its config as it is, with a warning", async () => {
  const warnings: unknown[] = [];
  const logger = { ...silentLogger, warn: (...said: unknown[]) => void warnings.push(said) };
  const seen: unknown[] = [];
  const mount = (_: unknown, settings: unknown) => void seen.push(settings);
  const host = await open("tools: [{ module: m, config: { any: [1] } }]", { mount }, logger);

  expect(seen).toEqual([{ any: [1] }]);
  expect(warnings).toMatchObject([[{ module: "m" }, expect.stringContaining("unchecked")]]);
  await host.close();
});

test("a module that only exports tools takes no config", async () => {
  const tool = {
    name: "t",
    description: "d",
    category: "read",
    consequenceLevel: "low",
    requiresConfirmation: false,
    schema: z.strictObject({}),
    execute: () => ({ data: null }),
  };

  await expect(open("tools: [{ module: m, config: { a: 1 } }]", { tool })).rejects.toMatchObject({
    details: { problems: [{ code: "CONFIG_INVALID" }] },
  });
});

test("a schema of another library is asked through the Standard Schema interface, also when it takes its time", async () => {
  const other = {
    "~standard": {
      version: 1,
      vendor: "other",
      validate: async (value: { root?: unknown }) =>
        value.root === 1
          ? { value: { root: "one" } }
          : { issues: [{ message: "must be one", path: [{ key: "root" }] }] },
    },
  };
  const host = await open("tools: [{ module: m, config: { root: 1 } }]", {
    config: other,
    mount: () => null,
  });
  await host.close();

  await expect(
    open("tools: [{ module: m, config: { root: 2 } }]", { config: other, mount: () => null }),
  ).rejects.toMatchObject({
    details: {
      problems: [{ code: "CONFIG_INVALID", column: 38, message: 'config of "m": root: must be one' }],
    },
  });
});

describe("a variable where the schema wants a number or a boolean", () => {
  const typed = z.strictObject({
    port: z.int().max(9_999),
    ratio: z.number().default(1),
    isOn: z.boolean().default(false),
    name: z.string().default(""),
    level: z.union([z.number(), z.literal("high")]).default("high"),
    list: z.array(z.strictObject({ size: z.number() })).default([]),
  });
  /** The config that a module got, or the problems. */
  async function configOf(text: string, env: Record<string, string>): Promise<unknown> {
    const { path } = await workspace({ "plan.yaml": `tools: [{ module: m, config: ${text} }]` });
    let seen: unknown;
    const mount = (_: unknown, settings: unknown) => void (seen = settings);
    try {
      const options = { logger: silentLogger, env, extensions: { m: { config: typed, mount } } };
      await (await openHost(path("plan.yaml"), options)).close();
      return seen;
    } catch (error) {
      return (error as { details: { problems: readonly Problem[] } }).details.problems.map(
        ({ message }) => message,
      );
    }
  }

  test("is read as one", async () => {
    const text = `{ port: "\${P}", ratio: "\${R:-0.5}", isOn: "\${B}", name: "\${P}", level: "\${L}", list: [{ size: "\${P}" }] }`;
    expect(await configOf(text, { P: "8080", B: "true", L: "3" })).toEqual({
      port: 8080,
      ratio: 0.5,
      isOn: true,
      name: "8080",
      level: 3,
      list: [{ size: 8080 }],
    });
  });

  test.each([
    ['{ port: "${P}" }', { P: "80 80" }, ["port must be a number, not a string"]],
    ['{ port: "1${P}" }', { P: "8" }, ["port must be a number, not a string"]],
    ['{ port: "8080" }', {}, ["port must be a number, not a string"]],
    ['{ port: "${P}" }', { P: "0x10" }, ["port must be a number, not a string"]],
    ['{ port: "${P}" }', { P: "12345678901234567890" }, ["port must be a number, not a string"]],
    ['{ port: "${P}" }', { P: "80800" }, ["port must be at most 9999"]],
    ['{ port: 1, isOn: "${B}" }', { B: "yes" }, ["isOn must be true or false, not a string"]],
    ['{ port: 1, isOn: "${B}", level: "${L}" }', { B: "true", L: "low" }, [expect.stringContaining("level")]],
  ])("%s with %j stays refused", async (text, env, problems) => {
    const found = (await configOf(text, env)) as readonly string[];
    expect(found.map((message) => message.replace('config of "m": ', ""))).toEqual(problems);
  });

  test("of a limit and of an entry is read as one, too", async () => {
    const { path } = await workspace({
      "plan.yaml":
        'version: 1\ntools: [{ module: m, required: "${R}" }]\npolicy: { limits: { timeout: "${T}" } }',
    });
    const extensions = { m: { mount: () => {} }, "@toolmount/policy": { mount: () => {} } };
    const env = { R: "false", T: "30000" };
    const host = await openHost(path("plan.yaml"), { logger: silentLogger, env, extensions });
    expect(host.status().entries.flatMap(({ problems }) => problems)).toEqual([]);
    await host.close();
  });
});

test.each([
  ["{ module: m }", 0],
  ["{ module: m, config: {} }", 0],
  ["{ module: m, config: { root: here } }", 1],
])(
  "a log says that nothing checks the config of a module without a schema: %s, %j times",
  async (entry, times) => {
    const warned: unknown[] = [];
    const logger = { ...silentLogger, warn: (_: unknown, text?: string) => void warned.push(text) };
    const host = await open(`tools: [${entry}]`, { mount: () => {} }, { ...logger, child: () => logger });
    await host.close();

    const text = "the module exports no config schema; it gets its config unchecked";
    expect(warned.filter((each) => each === text)).toHaveLength(times);
  },
);

test("a module that only exports tools takes no config", async () => {
  const tool = {
    name: "look",
    description: "Looks.",
    schema: z.strictObject({}),
    category: "read",
    consequenceLevel: "low",
    requiresConfirmation: false,
    execute: () => ({ data: 1 }),
  };
  const host = await open("tools: [{ module: m, config: {} }]", { tool });
  expect(host.tools().map(({ name }) => name)).toEqual(["look"]);
  await host.close();

  await expect(open("tools: [{ module: m, config: { a: 1 } }]", { tool })).rejects.toThrow(
    "a module that only exports tools takes no config",
  );
});
