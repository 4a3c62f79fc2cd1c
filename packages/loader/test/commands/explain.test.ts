import { silentLogger, type Coordinator, type ToolInfo } from "@toolmount/core";
import { expect, test } from "vitest";
import { askAboutTools, explainTool, inspectPlan, type ExplainOptions } from "../../src/commands/index.ts";
import { openHost } from "../../src/index.ts";
import { installed, toolFile, workspace } from "../workspace.ts";

const ran = "throw new Error('this module ran')";
const manifest = {
  type: "tool",
  mounts: ["tools"],
  static: true,
  provides: [],
  needs: [],
  context: ["notes"],
  config: { type: "object" },
  tools: [
    { name: "read_note", description: "Reads a note.", category: "read", tags: ["notes"] },
    { name: "drop_note", description: "Drops a note.", category: "delete" },
  ],
};
const notes = installed("@toolmount/tool-notes", ran, { toolmount: manifest });

async function explain(name: string, plan: string, options: ExplainOptions = {}) {
  const { path } = await workspace({ ...notes, "one.ts": toolFile("one"), "plan.yaml": plan });
  return explainTool(name, path("plan.yaml"), { logger: silentLogger, env: {}, ...options });
}

test.each<[string, string[]]>([
  ["tools: { include: [drop_note, 'read_*'] }", ['included "read_*" at tools[0].tools.include[1]']],
  ["tools: { include: ['tag: notes'] }", ['included "tag: notes" at tools[0].tools.include[0]']],
  ["tools: { include: [drop_note] }", ['left out ["drop_note"] at tools[0].tools.include']],
  [
    "tools: { include: [read_note], exclude: [drop_note, 'category: read'] }",
    ['left out "category: read" at tools[0].tools.exclude[1]'],
  ],
  ["prefix: my_", ['renamed "my_read_note" at tools[0].prefix']],
  ["override: true", ["replaces true at tools[0].override"]],
  ["run: { in: inline }", ['runs "inline" at tools[0].run.in']],
  ["limits: { outputBytes: 5 }", ['limited {"outputBytes":5} at tools[0].limits.outputBytes']],
  [
    "tools: { read_note: { description: Looks. } }",
    ['described "Looks." at tools[0].tools.read_note.description'],
  ],
])("a tool of an entry with %s is explained by that line", async (line, shown) => {
  const { tools } = await explain("read_note", `tools:\n  - module: notes\n    ${line}\n`);
  const [mounted, ...others] = tools[0]!.origins;

  expect(mounted).toMatchObject({ what: "mounted", value: "notes", position: { line: 2 } });
  expect(others.map(({ what, value, path }) => `${what} ${JSON.stringify(value)} at ${path}`)).toEqual(shown);
  expect(others.map(({ position }) => position?.line)).toEqual([3]);
});

test("a tool that an entry leaves out is explained by its declared name, and no policy is asked about it", async () => {
  const explained = await explain(
    "drop_note",
    "tools: [{ module: notes, tools: { exclude: [drop_note] } }]",
    {
      extensions: { "@toolmount/policy": says("deny") },
    },
  );

  expect(explained.tools).toMatchObject([{ name: null, entry: { id: "notes" }, answers: [] }]);
  expect(explained.offered).toEqual(["read_note"]);
});

test("a module without a manifest is explained by the tools that a host of the plan offers", async () => {
  const plan = "tools: [{ module: ./one.ts, prefix: my_ }, { module: notes }]";
  const { path } = await workspace({
    ...notes,
    "one.ts": toolFile("one"),
    "plan.yaml": plan,
    "host.yaml": "tools: [{ module: ./one.ts, prefix: my_ }]",
  });
  const options = { logger: silentLogger, env: {} };
  await using host = await openHost(path("host.yaml"), options);
  const blind = await explainTool("my_one", path("plan.yaml"), options);
  const seeing = await explainTool("my_one", path("plan.yaml"), { ...options, tools: host.tools() });

  expect([blind.tools, blind.unknown, blind.offered]).toEqual([[], ["./one.ts"], ["read_note", "drop_note"]]);
  expect([seeing.unknown, seeing.offered]).toEqual([[], ["my_one", "read_note", "drop_note"]]);
  expect(seeing.tools).toMatchObject([
    { name: "my_one", declared: { name: "one", category: "read" }, entry: { id: "./one.ts" } },
  ]);
  expect(seeing.tools[0]?.origins.map(({ what }) => what)).toEqual(["mounted", "renamed"]);
});

/** A policy that answers each call so, and gives the call's mode and prompts as its reason. */
function says(answer: string) {
  return {
    mount: (coordinator: Coordinator) =>
      coordinator.mount("policies", {
        name: answer,
        prepare: (tool) =>
          tool.category === "delete"
            ? ({ info, prompts }) =>
                ({ answer, reason: `${info.mode} ${prompts?.join()}` }) as { answer: "deny"; reason: string }
            : null,
      }),
  };
}

test("policies are asked with the mode and the prompts of the call, and one without an answer is not shown", async () => {
  const ask = async (answer: string) => {
    const { tools } = await explain("drop_note", "policy: { on: true }\ntools: [{ module: notes }]", {
      extensions: { "@toolmount/policy": says(answer) },
      mode: "night",
      prompts: ["one", "two"],
    });
    return tools[0]?.answers;
  };

  expect(await ask("deny")).toEqual([
    { policy: "deny", answer: { answer: "deny", reason: "night one,two" } },
  ]);
  expect(await ask("none")).toEqual([]);
});

test("a plan's policies are asked about every tool at once", async () => {
  const { path } = await workspace({
    ...notes,
    "plan.yaml": "policy: { on: true }\ntools: [{ module: notes, prefix: my_ }]",
  });
  const answers = await askAboutTools(path("plan.yaml"), {
    logger: silentLogger,
    extensions: { "@toolmount/policy": says("deny") },
  });

  expect(
    answers.map(({ tool, answers: given }) => [tool.name, given.map(({ answer }) => answer.answer)]),
  ).toEqual([
    ["my_read_note", []],
    ["my_drop_note", ["deny"]],
  ]);
});

test("they are asked about tools of a lock file where an entry has no manifest, and not where it has one", async () => {
  const { path } = await workspace({
    ...notes,
    "own.ts": "export {};",
    "plan.yaml": "policy: { on: true }\ntools: [{ module: notes }, { module: ./own.ts }]",
  });
  const locked = [
    { name: "drop_own", owner: "./own.ts" },
    { name: "drop_old", owner: "notes" },
  ] as ToolInfo[];
  const answers = await askAboutTools(path("plan.yaml"), {
    logger: silentLogger,
    extensions: { "@toolmount/policy": says("deny") },
    tools: locked,
  });

  expect(answers.map(({ tool }) => tool.name)).toEqual(["read_note", "drop_note", "drop_own"]);
});

test.each([
  ["{ module: notes, tools: { read_note: { as: Read-Note } } }", ["read_note"]],
  ["{ module: notes, tools: { include: [drop_note], drop_note: { as: read_note } } }", ["read_note"]],
  ["{ module: notes, override: true }", []],
  ["{ module: notes, tools: { exclude: [read_note, drop_note] } }", []],
  ["{ module: notes, prefix: my_ }", []],
])("beside an entry that offers read_note, %s is refused for %j", async (entry, clashing) => {
  const first = "{ module: notes, id: first, tools: { include: [read_note] } }";
  const { path } = await workspace({ ...notes, "plan.yaml": `tools:\n  - ${first}\n  - ${entry}\n` });
  const { problems } = await inspectPlan(path("plan.yaml"), { logger: silentLogger, env: {} });

  expect(problems.map(({ details }) => details?.["existing"])).toEqual(clashing);
  expect(problems.map(({ line }) => line)).toEqual(clashing.map(() => 3));
});

test("an inspected entry says where its package is, what its manifest says, and where its calls run", async () => {
  const { path } = await workspace({
    ...notes,
    "plan.yaml": `tools:
  - module: notes
    run: { in: process }
  - { module: x, source: { mcp: { command: [node], border: none } }, required: false }
  - { module: ./one.ts }
`,
    "one.ts": ran,
  });
  const { entries } = await inspectPlan(path("plan.yaml"), { logger: silentLogger, env: {} });

  expect(entries.filter(({ id }) => !id.startsWith("@"))).toMatchObject([
    {
      id: "notes",
      section: "tools",
      required: true,
      name: "@toolmount/tool-notes",
      version: "1.2.3",
      path: path("node_modules/@toolmount/tool-notes/index.js"),
      configSchema: { type: "object" },
      context: ["notes"],
      run: { in: "process" },
    },
    { id: "x", required: false, run: { in: "server", border: "none" } },
    { id: "./one.ts", path: path("one.ts"), tools: null },
  ]);
  expect(entries.find(({ id }) => id === "./one.ts")?.run).toBeUndefined();
});
