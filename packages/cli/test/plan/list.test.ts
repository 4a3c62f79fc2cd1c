import { expect, test } from "vitest";
import { oneTool, planOf, runHere, workspace } from "../support/workspace.ts";

const remove = oneTool({
  name: "remove",
  schema: "path: z.string()",
  confirm: "(p) => p.path === ''",
  body: "return data(1);",
});

test("tools are listed from manifests where packages have them; no module is imported", async () => {
  const { code, json } = await runHere(["list", "mount-plans/minimal.yaml", "--json"]);

  expect(code).toBe(0);
  expect(json()).toMatchObject({
    from: "manifests",
    tools: [
      { name: "agent_hello_world", category: "read", module: "hello-world", inputSchema: { type: "object" } },
    ],
  });
});

test("a module without a manifest is mounted to be listed", async () => {
  const { here: run } = await workspace({
    "plan.yaml": planOf("./remove.ts", "hello-world"),
    "remove.ts": remove,
  });
  const { code, stdout } = await run(["list", "plan.yaml"]);

  expect(code).toBe(0);
  expect(stdout).toBe(`\
tool               category     consequence  calls     module       summary
agent_hello_world  read         low          run       hello-world  Greets a person by name.
remove             side_effect  medium       some ask  ./remove.ts  Does what a test wants.

2 tools
`);
});

test("what manifests tell is what mounting reports", async () => {
  const facts = [
    "name",
    "description",
    "inputSchema",
    "category",
    "consequenceLevel",
    "requiresConfirmation",
  ];
  const pick = ({ tools }: Record<string, unknown>) =>
    (tools as Record<string, unknown>[]).map((tool) => facts.map((fact) => tool[fact]));
  const listed = await runHere(["list", "mount-plans/reference.yaml", "--json"]);
  const mounted = await runHere(["list", "mount-plans/reference.yaml", "--mode", "general", "--json"]);

  expect(mounted.json()["from"]).toBe("modules");
  expect(pick(listed.json())).toEqual(pick(mounted.json()));
});

test("a missing module is reported with its line", async () => {
  const { here: run } = await workspace({ "plan.yaml": planOf("gone") });
  const { code, stderr } = await run(["list", "plan.yaml"]);

  expect(code).toBe(78);
  expect(stderr).toContain("SOURCE_NOT_FOUND plan.yaml:3:13");
});

test("an overlay that is asked for is laid over the plan that is listed", async () => {
  const overlay = "version: 1\ntools:\n  - id: hello-world\n    prefix: my_\n";
  const { here: run } = await workspace({ "plan.yaml": planOf("hello-world"), "plan.ci.yaml": overlay });
  const { code, json } = await run(["list", "plan.yaml", "--env", "ci", "--json"]);

  expect(code).toBe(0);
  expect(json()).toMatchObject({ from: "manifests", tools: [{ name: "my_agent_hello_world" }] });
});

test("a plan is listed without core's index, the logger or the general finders of plans and packages", async () => {
  const { here: run } = await workspace({
    "plan.yaml": planOf("hello-world"),
    "seen.mjs": `
import { registerHooks } from "node:module";
registerHooks({ load(url, context, next) {
  if (/\\/(pino|exsolve|cosmiconfig)\\/|core\\/(src|dist)\\/index/.test(url)) throw new Error(url);
  return next(url, context);
} });`,
  });
  const { code, stderr } = await run(["list", "plan.yaml"], { env: { NODE_OPTIONS: "--import ./seen.mjs" } });

  expect(stderr).toBe("");
  expect(code).toBe(0);
});

test("list filters by name, category and module, and prints names alone", async () => {
  const list = (...words: string[]) =>
    runHere(["list", "mount-plans/reference.yaml", "--format", "names", ...words]);
  const [byName, byCategory, byModule] = await Promise.all([
    list("--tool", "read_*"),
    list("--tool", "category: delete"),
    list("--module", "hello-world"),
  ]);

  expect(
    byName.stdout
      .split("\n")
      .filter(Boolean)
      .every((name) => name.startsWith("read_")),
  ).toBe(true);
  expect(byName.stdout).toContain("read_file\n");
  expect(byCategory.stdout).toContain("delete_file\n");
  expect(byModule.stdout).toBe("agent_hello_world\n");
});

test.each([
  ["--tool", "raed_file", "read_file"],
  ["--module", "hello-wrold", "hello-world"],
])("list %s %s fails with the nearest name", async (option, wrong, near) => {
  const { code, stdout, stderr } = await runHere(["list", "mount-plans/reference.yaml", option, wrong]);

  expect([code, stdout]).toEqual([2, ""]);
  expect(stderr).toContain(`"${wrong}"; did you mean "${near}"?`);
});

test("list of a category that there is not fails with the nearest one", async () => {
  const { code, stderr } = await runHere(["list", "mount-plans/reference.yaml", "--tool", "category: wirte"]);

  expect(code).toBe(2);
  expect(stderr).toContain('"wirte"; did you mean "write"?');
});

test.each([
  ["a pattern", "--tool", "gone_*"],
  ["a category of no tool", "--tool", "category: delete"],
])("%s that matches nothing lists nothing", async (_, option, value) => {
  const { here: run } = await workspace({ "plan.yaml": planOf("hello-world") });

  expect(await run(["list", "plan.yaml", option, value, "--format", "names"])).toMatchObject({
    code: 0,
    stdout: "",
  });
});

test.each(["bogus: 1\n", "hooks: hello\n"])(
  "list refuses an invalid plan, as check does: %j",
  async (line) => {
    const { here: run } = await workspace({ "plan.yaml": `${planOf("hello-world")}${line}` });
    const [listed, checked] = await Promise.all([run(["list", "plan.yaml"]), run(["check", "plan.yaml"])]);

    expect([listed.code, checked.code]).toEqual([78, 78]);
    expect(listed.stderr).toContain(`plan.yaml:4:`);
  },
);

test("list says that a locked plan has no lock file with its overlay", async () => {
  const files = { "plan.yaml": planOf("hello-world"), "plan.ci.yaml": "name: ci\n" };
  const { here: run } = await workspace(files);
  await run(["lock", "plan.yaml"]);

  expect((await run(["list", "plan.yaml", "--env", "ci"])).stderr).toContain("not with the overlays ci");
});

test("list --format signatures prints each tool as a function of TypeScript", async () => {
  const schema = `to: z.string(), "how-many": z.int().optional(), parts: z.array(z.strictObject({ size: z.enum(["s", "l"]) }))`;
  const send = oneTool({ name: "send", schema, body: "return data(1);" });
  const none = oneTool({ name: "now", body: "return data(1);" });
  const { here: run } = await workspace({
    "plan.yaml": planOf("./send.ts", "./now.ts"),
    "send.ts": send,
    "now.ts": none,
  });

  expect((await run(["list", "plan.yaml", "--format", "signatures"])).stdout).toBe(`\
/** Does what a test wants. */
now()
/** Does what a test wants. */
send({ to: string; "how-many"?: number; parts: { size: "s" | "l" }[] })
`);
});

test.each(["", "--mode=general"])(
  "list shows the plan's own description of a tool, and not the summary of its author (%s)",
  async (word) => {
    const { here: run } = await workspace({
      "plan.yaml": `version: 1
tools:
  - module: hello-world
    tools: { agent_hello_world: { description: "Greets as the plan says. Use when asked; not otherwise." } }
`,
    });
    const { stdout } = await run(["list", "plan.yaml", ...(word === "" ? [] : [word])]);

    expect(stdout).toContain("Greets as the plan says.");
    expect(stdout).not.toContain("Greets a person by name.");
  },
);

test("list marks tools whose calls are denied or asked about, from manifests alone", async () => {
  const rules = "policy: { deny: [agent_hello_world] }\n";
  const { here } = await workspace({
    "denied.yaml": `${planOf("hello-world")}${rules}`,
    "asked.yaml": `${planOf("hello-world")}${rules.replace("deny", "ask")}`,
    "partly.yaml": `${planOf("hello-world")}policy: { deny: ["agent_hello_world(Eve)"] }\n`,
  });
  const verdictIn = async (plan: string) => {
    const { json } = await here(["list", plan, "--json"]);
    const { from, tools } = json() as { from: string; tools: readonly { calls: string }[] };
    return [from, ...tools.map(({ calls }) => calls)];
  };

  expect(await verdictIn("denied.yaml")).toEqual(["manifests", "denied"]);
  expect(await verdictIn("asked.yaml")).toEqual(["manifests", "asks"]);
  expect(await verdictIn("partly.yaml")).toEqual(["manifests", "runs"]);
});

test("list marks a tool that is not as the lock file has it, and says what to run", async () => {
  const { here, write } = await workspace({ "plan.yaml": planOf("./remove.ts"), "remove.ts": remove });
  await here(["lock", "plan.yaml"]);
  await write("remove.ts", remove.replace("Does what a test wants.", "Does more than before."));
  const { stdout } = await here(["list", "plan.yaml"]);

  expect(stdout).toMatch(/^remove .* denied: changed {2}/m);
  expect(stdout).toContain("1 not as the lock file has it: toolmount lock");
});

test("a mode that does not exist is refused, with and without a catalog of modes", async () => {
  const { here } = await workspace({ "plan.yaml": planOf("./remove.ts"), "remove.ts": remove });
  const { code, stderr } = await here(["list", "plan.yaml", "--mode", "generel"]);

  expect(code).toBe(2);
  expect(stderr).toContain('there is no mode "generel"; did you mean "general"?');
});
