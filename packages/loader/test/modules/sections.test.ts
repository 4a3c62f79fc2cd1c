import { silentLogger, type Coordinator, type ToolAdapter } from "@toolmount/core";
import { z } from "zod";
import { expect, test } from "vitest";
import { openHost } from "../../src/index.ts";
import { installed, workspace } from "../workspace.ts";

const quiet = { logger: silentLogger };

test.each([
  ["policy: { level: standard }", 1, "@toolmount/policy"],
  ["state: sqlite:./state.db", 1, "@toolmount/store"],
  ["audit: durable", 1, "@toolmount/store"],
  ["agent: { model: m }", 1, "@toolmount/reasoner"],
  ["tools:\n  - module: github\n    source: { mcp: { command: npx } }", 3, "@toolmount/mcp"],
  ["tools:\n  - module: m\n    run: { in: process }", 3, "@toolmount/workers"],
  ["tools:\n  - module: m\n    run: { in: fleet }", 3, "@toolmount/workers"],
])(
  "%s needs a module; when it is missing, the problem has its line and the install command",
  async (text, line, module) => {
    const { path } = await workspace({ "plan.yaml": text });

    await expect(
      openHost(path("plan.yaml"), { ...quiet, extensions: { m: { mount: () => null } } }),
    ).rejects.toMatchObject({
      details: {
        problems: [
          { code: "EXTENSION_MISSING", line, details: { module, install: `npm install ${module}` } },
        ],
      },
    });
  },
);

test.each(["session: {}", "orchestrator: {}", "context: {}", "providers: []", "agents: {}"])(
  "C33: with a version, %s is an unknown section",
  async (text) => {
    const { path } = await workspace({ "plan.yaml": `version: 1\n${text}\n` });

    await expect(openHost(path("plan.yaml"), quiet)).rejects.toMatchObject({
      details: {
        problems: [
          { code: "PLAN_KEY_UNKNOWN", line: 2, hint: expect.stringContaining("Amplifier") as string },
        ],
      },
    });
  },
);

test("a section is the config of its module, which is mounted before any tool", async () => {
  const seen: unknown[] = [];
  const note = (name: string) => ({
    mount: (_: Coordinator, config: unknown) => void seen.push([name, config]),
  });
  const extensions = {
    "@toolmount/policy": note("policy"),
    "@toolmount/store": note("store"),
    "@toolmount/reasoner": note("reasoner"),
    m: note("m"),
    h: note("h"),
  };
  const plan = {
    version: 1,
    tools: [{ module: "m" }],
    hooks: [{ module: "h" }],
    audit: "durable",
    agent: { model: "m" },
    state: "sqlite:./x",
    policy: { level: "paranoid", limits: { timeout: 5 } },
  };
  const host = await openHost(plan, { ...quiet, extensions });

  expect(seen).toEqual([
    ["policy", { level: "paranoid" }],
    ["store", { state: "sqlite:./x", audit: "durable" }],
    ["reasoner", { model: "m" }],
    ["m", {}],
    ["h", {}],
  ]);
  await host.close();
});

test("state: memory, audit: off and limits alone need no module", async () => {
  const host = await openHost(
    { state: "memory", audit: "off", policy: { limits: { timeout: 5 } }, tools: [] },
    quiet,
  );

  expect(host.status().entries).toEqual([]);
  await host.close();
});

test("an issue with a section's config is reported inside the section", async () => {
  const { path } = await workspace({ "plan.yaml": "tools: []\nstate: 7\npolicy:\n  levle: paranoid\n" });
  const extensions = {
    "@toolmount/policy": { config: z.strictObject({ level: z.string().optional() }), mount: () => null },
    "@toolmount/store": { config: z.strictObject({ state: z.string() }), mount: () => null },
  };

  await expect(openHost(path("plan.yaml"), { ...quiet, extensions })).rejects.toMatchObject({
    details: {
      problems: [
        { code: "CONFIG_INVALID", path: "state", line: 2, column: 8 },
        { code: "CONFIG_INVALID", path: "policy.levle", line: 4, column: 3 },
      ],
    },
  });
});

test("an mcp source is a use of its module, with the label, its settings and the entry's config", async () => {
  const seen: unknown[] = [];
  const extensions = {
    "@toolmount/mcp": { mount: (_: Coordinator, config: unknown) => void seen.push(config) },
  };
  const plan = {
    tools: [
      { module: "github", source: { mcp: { command: "npx", headers: { "x-key": "1" } } } },
      { module: "notes", source: { mcp: { url: "u" } }, config: { retries: 2 } },
    ],
  };
  const host = await openHost(plan, { ...quiet, extensions });

  expect(seen).toEqual([
    { name: "github", command: "npx", headers: { "x-key": "1" } },
    { name: "notes", url: "u", retries: 2 },
  ]);
  expect(host.status().entries.map(({ id }) => id)).toEqual(["github", "notes"]);
  await host.close();
});

test("runners are mounted once for each different run, and tools run on theirs", async () => {
  const seen: unknown[] = [];
  const workers = {
    mount(coordinator: Coordinator, config: { runners: { name: string }[] }) {
      seen.push(config);
      for (const { name } of config.runners) {
        coordinator.mount("runners", { run: async () => ({ data: name }) }, { name });
      }
    },
  };
  const tool = {
    name: "t",
    description: "d",
    category: "read",
    consequenceLevel: "low",
    requiresConfirmation: false,
    schema: z.strictObject({}),
    execute: () => ({ data: "here" }),
  };
  const run = (prefix: string, where: object) => ({ module: "m", prefix, run: where });
  const plan = {
    tools: [
      run("a_", { in: "process" }),
      run("b_", { in: "process", memoryMb: 256 }),
      run("c_", { in: "process" }),
      run("d_", { in: "inline" }),
    ],
  };
  const host = await openHost(plan, { ...quiet, extensions: { "@toolmount/workers": workers, m: { tool } } });

  expect(seen).toEqual([
    {
      runners: [
        { name: "process", in: "process" },
        { name: "process-2", in: "process", memoryMb: 256 },
      ],
    },
  ]);
  const answers = await Promise.all(["a_t", "b_t", "c_t", "d_t"].map((name) => host.call({ name })));
  expect(answers.map(({ result }) => result.data)).toEqual(["process", "process-2", "process", "here"]);
  await host.close();
});

const foreign = "export const mount = () => ({ name: 'old_tool', description: 'd', run() {}, execute() {} })";
const adapter: ToolAdapter = {
  name: "old",
  recognises: (thing) => typeof thing === "object" && thing !== null && "run" in thing,
  adapt: () => ({
    name: "old_tool",
    description: "Adapted.",
    category: "read",
    consequenceLevel: "low",
    requiresConfirmation: false,
    schema: z.strictObject({}),
    execute: () => ({ data: 1 }),
  }),
};

test("a tool of another contract brings the module that adapts it, from what the host was given", async () => {
  const { path } = await workspace({
    ...installed("@acme/old", foreign),
    "plan.yaml": 'tools: [{ module: "@acme/old" }]',
  });
  const interop = { mount: (coordinator: Coordinator) => void coordinator.mount("adapters", adapter) };
  const host = await openHost(path("plan.yaml"), {
    ...quiet,
    extensions: { "@toolmount/interop": () => interop },
  });

  expect(host.tools()).toMatchObject([{ name: "old_tool", description: "Adapted." }]);
  expect(host.status().entries).toMatchObject([
    { id: "@toolmount/interop", section: "needs", state: "mounted" },
    { id: "@acme/old", state: "mounted" },
  ]);
  expect((await host.reload()).kept).toEqual(["@toolmount/interop", "@acme/old"]);
  await host.close();
});

test("a tool of another contract without that module is EXTENSION_MISSING at its entry", async () => {
  const { path } = await workspace({
    ...installed("@acme/old", foreign),
    "plan.yaml": 'tools: [{ module: "@acme/old" }]',
  });

  await expect(openHost(path("plan.yaml"), quiet)).rejects.toMatchObject({
    details: {
      problems: [
        { code: "EXTENSION_MISSING", line: 1, details: { install: "npm install @toolmount/interop" } },
      ],
    },
  });
});
