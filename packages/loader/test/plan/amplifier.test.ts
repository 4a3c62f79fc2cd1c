import { silentLogger, type Coordinator } from "@toolmount/core";
import { z } from "zod";
import { expect, test } from "vitest";
import { openHost, type OpenHostOptions } from "../../src/index.ts";
import { workspace } from "../workspace.ts";

const tool = (name: string) => ({
  name,
  description: "Does nothing. Use in tests.",
  category: "read",
  consequenceLevel: "low",
  requiresConfirmation: false,
  schema: z.strictObject({}),
  execute: () => ({ data: name }),
});

/** Modules that record the config with which they were mounted. */
function diary() {
  const seen: [string, unknown][] = [];
  const note = (name: string) => ({
    mount(coordinator: Coordinator, config: unknown) {
      seen.push([name, config]);
      coordinator.mount("tools", tool(`${name.replaceAll(/\W/g, "_")}_${seen.length}`));
    },
  });
  return { seen, note };
}

async function open(text: string, extensions: OpenHostOptions["extensions"], logger = silentLogger) {
  const { path } = await workspace({ "plan.yaml": text });
  return openHost(path("plan.yaml"), { logger, env: { KEY: "k" }, extensions });
}

/** As the sections of Amplifier's documents are; the words are ours. */
const whole = `
session:
  orchestrator: { module: loop-streaming, source: "git+https://github.com/microsoft/amplifier-module-loop-streaming@main" }
  context: context-simple
  injection_budget_per_turn: 10000
orchestrator:
  config: { max_turns: 5 }
context:
  config: { max_tokens: 200000 }
providers:
  - module: provider-openai
    instance_id: fast
    config: { default_model: some-model, api_key: "\${KEY}" }
  - module: provider-openai
    config: { default_model: another }
tools:
  - module: tool-filesystem
    source: git+https://github.com/microsoft/amplifier-module-tool-filesystem@main
    config: { working_dir: . }
  - module: tool-bash
hooks:
  - module: hooks-redaction
agents:
  helper: { description: helps, tools: [] }
`;

test("AMP-N6, AMP-N7, AMP-N9, AMP-N10, AMP-N11, AMP-N16, AMP-N17, AMP-N18: a plan of Amplifier's is mapped to our packages, in its order", async () => {
  const { seen, note } = diary();
  await using host = await open(whole, {
    "@toolmount/reasoner": note("reasoner"),
    "@toolmount/tool-filesystem": note("filesystem"),
    "@toolmount/tool-bash": note("bash"),
    "@toolmount/hooks-redaction": note("redaction"),
  });

  expect(seen).toEqual([
    [
      "reasoner",
      {
        session: {
          injection_budget_per_turn: 10000,
          orchestrator: { module: "loop-streaming", config: { max_turns: 5 } },
          context: { module: "context-simple", config: { max_tokens: 200000 } },
          providers: [
            { module: "provider-openai", id: "fast", config: { default_model: "some-model", api_key: "k" } },
            { module: "provider-openai", config: { default_model: "another" } },
          ],
          agents: { helper: { description: "helps", tools: [] } },
        },
      },
    ],
    ["filesystem", { working_dir: "." }],
    ["bash", {}],
    ["redaction", {}],
  ]);
  expect(host.plan.written["agents"]).toEqual({
    helper: { description: "helps", tools: [] },
  });
});

test("AMP-N14: of an Amplifier plan, tools, hooks and providers that fail are left out; its orchestrator must be there", async () => {
  const plan = (orchestrator: string) => `
session: { orchestrator: ${orchestrator}, context: { module: own, source: "npm:own-context" } }
tools:
  - { module: tool-task, source: "git+https://github.com/microsoft/amplifier-module-tool-task@main" }
  - { module: mine, source: ./gone.js }
hooks: [{ module: hooks-logging }]
`;
  const { seen, note } = diary();
  await using host = await open(plan("loop-basic"), {
    "@toolmount/reasoner": note("reasoner"),
    "own-context": note("context"),
  });

  expect(seen.map(([name]) => name)).toEqual(["reasoner", "context"]);
  expect(host.status().entries.filter(({ state }) => state === "failed")).toMatchObject([
    { id: "tool-task", problems: [{ code: "SOURCE_FOREIGN", line: 4 }] },
    { id: "mine", problems: [{ code: "SOURCE_NOT_FOUND", line: 5 }] },
    {
      id: "hooks-logging",
      problems: [{ code: "SOURCE_FOREIGN", message: expect.stringContaining("Python") as string }],
    },
  ]);
  await expect(open(plan("./gone.js"), {})).rejects.toMatchObject({ code: "PLAN_INVALID" });
  await expect(open(plan("loop-basic"), { "own-context": note("context") })).rejects.toMatchObject({
    details: { problems: [{ code: "EXTENSION_MISSING", details: { module: "@toolmount/reasoner" } }] },
  });
});

test("AMP-N18: an orchestrator is a name or a specification; one of its own is mounted as a module", async () => {
  const { seen, note } = diary();
  await using host = await open(
    "session: { orchestrator: { module: '@acme/loop', config: { a: 1 } } }\norchestrator: { config: { a: 0, b: 2 } }\n",
    {
      "@acme/loop": note("loop"),
      "@toolmount/reasoner": note("reasoner"),
    },
  );

  expect(host.status().state).toBe("open");
  expect(seen.map(([name]) => name)).toContain("loop");
  expect(seen.find(([name]) => name === "loop")?.[1]).toEqual({ a: 1, b: 2 });
});

test("C33, AMP-N13: unknown sections of an Amplifier plan are warned of, unless they are near a known one", async () => {
  const warned: unknown[] = [];
  const logger = { ...silentLogger, warn: (fields: object) => void warned.push(fields) };
  await using host = await open(
    "session: { orchestrator: x }\nui: { colour: red }\n",
    { "@toolmount/reasoner": diary().note("r") },
    logger,
  );

  expect(host.status().state).toBe("open");
  expect(warned).toContainEqual(expect.objectContaining({ section: "ui" }));
  await expect(open("session: { orchestrator: x }\ntoolz: []\n", {})).rejects.toMatchObject({
    details: {
      problems: expect.arrayContaining([
        expect.objectContaining({ code: "PLAN_KEY_UNKNOWN", line: 2 }),
      ]) as unknown,
    },
  });
});

test.each([
  ["providers: {}", 1],
  ["agents: []", 1],
  ["session: { orchestrator: x }\norchestrator: 7", 2],
  ["providers: [{ module: a }, { module: a }]", 1],
  ["session: { orchestrator: { source: x } }", 1],
])("AMP-N17: %j is reported at its line", async (text, line) => {
  await expect(open(text, { "@toolmount/reasoner": diary().note("r") })).rejects.toMatchObject({
    details: {
      problems: expect.arrayContaining([
        expect.objectContaining({ code: "PLAN_VALUE_INVALID", line }),
      ]) as unknown,
    },
  });
});

test("AMP-N26: onSessionReady runs after all modules are mounted, in their order; a failure is reported and changes nothing", async () => {
  const lines: string[] = [];
  const failures: unknown[] = [];
  const ready = (name: string, fail = false) => ({
    mount(coordinator: Coordinator) {
      lines.push(`mount ${name}`);
      coordinator.hooks.observe(
        "module:on_session_ready_failed",
        (_, data) => void (name === "b" && failures.push(data)),
      );
    },
    async onSessionReady(coordinator: Coordinator) {
      lines.push(`ready ${name} ${String(coordinator.get("tools") instanceof Map)}`);
      if (fail) throw new Error("not today");
    },
  });
  const sync = {
    mount: () => void lines.push("mount sync"),
    onSessionReady: () => void lines.push("ready sync"),
  };
  await using host = await openHost(
    { tools: [{ module: "a" }, { module: "b" }, { module: "sync" }] },
    { logger: silentLogger, extensions: { a: ready("a", true), b: ready("b"), sync } },
  );

  expect(lines).toEqual(["mount a", "mount b", "mount sync", "ready a true", "ready b true"]);
  expect(failures).toMatchObject([{ module_id: "a", error: "not today" }]);
  await host.reload();
  expect(lines.filter((line) => line.startsWith("ready"))).toHaveLength(2);
});

test("modes of a plan are the host's catalog", async () => {
  const modes = {
    catalog: [
      { key: "general", displayName: "General", tools: ["*", "!drop_*"] },
      { key: "admin", displayName: "Admin", isDefault: true },
    ],
  };
  const extensions = { m: { a: tool("read_note"), b: tool("drop_note") } };
  await using host = await openHost(
    { modes, tools: [{ module: "m" }] },
    { logger: silentLogger, extensions },
  );
  const names = async (mode?: string) => (await host.offer({ mode })).tools.map(({ name }) => name);

  expect(await names("general")).toEqual(["read_note"]);
  expect(await names()).toEqual(["drop_note", "read_note"]);
  await host.reload({ modes: { catalog: [{ key: "only", displayName: "Only" }] }, tools: [{ module: "m" }] });
  await expect(host.offer({ mode: "general" })).rejects.toMatchObject({ code: "MODE_UNKNOWN" });
});

test.each([
  ["modes: { catalog: [] }", "modes.catalog"],
  ["modes: { catalog: [{ key: a }] }", "modes.catalog[0].displayName"],
  ["modes: { catalog: [{ key: a, displayName: A }, { key: a, displayName: B }] }", "modes.catalog[1].key"],
  [
    "modes: { catalog: [{ key: a, displayName: A, isDefault: true }, { key: b, displayName: B, isDefault: true }] }",
    "modes.catalog[1].isDefault",
  ],
  ["modes: { catalog: [{ key: a, displayName: A, tolls: [] }] }", "modes.catalog[0].tolls"],
])("%s is reported at its place", async (text, path) => {
  await expect(open(`version: 1\n${text}\n`, {})).rejects.toMatchObject({
    details: { problems: [{ path, line: 2 }] },
  });
});

test("instance_id is a name of Amplifier's plans only", async () => {
  const plan = "version: 1\ntools: [{ module: own, instance_id: first }]";

  await expect(open(plan, { own: diary().note("own") })).rejects.toThrow('unknown key "instance_id"');
});

const small = "session: { orchestrator: loop-basic, context: context-simple }\nproviders: []\n";

test.each([
  [
    "---\nbundle: { name: mine }\n---\nYou are helpful: see @mine:rules.md\n",
    /bundle of Amplifier; give it as a file, bundle\.md/,
  ],
  [`${small}includes: [{ bundle: foundation }]\n`, /is a name that Amplifier's application knows/],
  [`${small}spawn: { exclude_tools: [tool-bash] }\n`, /settings\.exclude_tools of tool-delegate/],
  [`${small}spawn: { other: 1 }\n`, /settings\.exclude_tools of tool-delegate/],
])("what of Amplifier has no counterpart is refused by name, with what to do: %s", async (text, hint) => {
  const { note } = diary();
  await expect(open(text, { "@toolmount/reasoner": note("reasoner") })).rejects.toMatchObject({
    code: "PLAN_INVALID",
    message: expect.stringMatching(hint) as string,
  });
});

test("a plan that keeps the delegating tool from sub-agents says what holds anyway", async () => {
  const { note } = diary();
  const text = `${small}spawn: { exclude_tools: [tool-delegate] }\n`;
  await using host = await open(text, { "@toolmount/reasoner": note("reasoner") });
  expect(host.status().entries.filter(({ state }) => state === "failed")).toEqual([]);
});

test("a module of Amplifier's own repositories is a package of ours, also one in a folder", async () => {
  const { seen, note } = diary();
  const text = `${small}tools:
  - module: tool-delegate
    source: git+https://github.com/microsoft/amplifier-foundation@main#subdirectory=modules/tool-delegate
    config: { features: {} }
`;
  await using _ = await open(text, {
    "@toolmount/reasoner": note("reasoner"),
    "@toolmount/tool-delegate": note("delegate"),
  });
  expect(seen.at(-1)).toEqual(["delegate", { features: {} }]);
});
