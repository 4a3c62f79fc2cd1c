import { describe, expect, test } from "vitest";
import { listPlan } from "../../src/commands/list.ts";
import { installed, workspace } from "../workspace.ts";

const listOf = async (plan: string, files: Record<string, string> = {}) => {
  const { folder } = await workspace({ ...files, "plan.yaml": plan });
  return listPlan("plan.yaml", { cwd: folder });
};

describe("a plan is in doubt", () => {
  test.each([
    ["tools: [{ module: a }]", false],
    ["version: 1\nname: x\nx-mine: 1\ntools: []", false],
    ["extends: ./base.yaml", false],
    ["policy: { flows: on }\nstate: memory\nagent: {}\naudit: off", false],
    ["session: { orchestrator: x }\nproviders: []\nagents: {}\ncontext: {}", false],
    ["providers: [{ module: a }]\ntools: [{ module: a, instance_id: b }]", false],
    ["tools: [{ module: a, instance_id: b }]", true],
    ["version: 1\nsession: {}", true],
    ["tools: [{ module: a, x-mine: 1, prefix: p, config: {} }]", false],
    ["hooks: [{ command: x, anything: 1 }]", false],
    ["hooks: [{ module: a }]", false],
    ["toolz: []", true],
    ["tools: {}", true],
    ["tools: [a]", true],
    ["tools: [{}]", true],
    ["tools: [{ module: 7 }]", true],
    ["tools: [{ module: a, colour: red }]", true],
    ["hooks: x", true],
    ["hooks: [{ module: a, colour: red }]", true],
    ["hooks: [{ module: a, command: x }]", true],
  ])("of %j: %s", async (plan, isDoubtful) => {
    expect((await listOf(plan, { "base.yaml": "tools: []" })).isDoubtful).toBe(isDoubtful);
  });
});

test.each([
  ["policy: {}", {}, { hasPolicy: true, isLocked: false }],
  ["policy: { flows: on }", {}, { hasPolicy: true, isLocked: false }],
  ["tools: []", { "plan.lock.json": "{}" }, { hasPolicy: false, isLocked: true }],
])("%j beside %j: %j", async (plan, files, facts) => {
  expect(await listOf(plan, files)).toMatchObject(facts);
});

test("an entry of hooks has its own place, also after a command", async () => {
  const { entries, name } = await listOf(
    "hooks:\n  - command: x\n  - module: a\n    id: mine\n    required: false\n",
  );

  expect(name).toBeUndefined();
  expect(entries).toMatchObject([
    { id: "mine", section: "hooks", specifier: "a", required: false, position: { line: 3, column: 5 } },
  ]);
});

test("an entry without a module has no name, and its source is what is looked for", async () => {
  const { entries } = await listOf("tools: [7, { module: label, source: npm:gone }, { module: https://x }]");

  expect(entries.map(({ id, specifier, package: found, tools }) => [id, specifier, found, tools])).toEqual([
    ["", "", undefined, null],
    ["label", "npm:gone", undefined, null],
    ["https://x", "https://x", undefined, null],
  ]);
});

describe("the tools of a manifest", () => {
  const manifest = (more: object) => ({ toolmount: { mounts: ["tools"], ...more } });
  const tool = { name: "look", description: "Looks.", summary: "It looks." };
  const toolsOf = async (more: object, fields = "") => {
    const files = installed("@acme/x", "", manifest(more));
    const { entries } = await listOf(`tools: [{ module: "@acme/x"${fields} }]`, files);
    return entries[0]!.tools;
  };

  test("are null where the config decides which there are, and none where it mounts none", async () => {
    expect(await toolsOf({})).toBeNull();
    expect(await toolsOf({ tools: [] })).toBeNull();
    expect(await toolsOf({ mounts: ["hooks"], tools: [] })).toEqual([]);
    expect(await toolsOf({ tools: [tool] })).toEqual([tool]);
  });

  test("have the names and the descriptions of the plan", async () => {
    expect(
      await toolsOf({ tools: [tool] }, ", prefix: my_, tools: { look: { description: Other. } }"),
    ).toEqual([{ name: "my_look", description: "Other." }]);
    expect(await toolsOf({ tools: [tool] }, ", tools: { look: { as: see } }")).toEqual([
      { ...tool, name: "see" },
    ]);
    expect(await toolsOf({ tools: [tool] }, ", tools: { exclude: [look] }")).toEqual([]);
    expect(await toolsOf({ tools: [tool] }, ", tools: { look: { description: 7 } }")).toEqual([tool]);
  });
});
