import { expect, test } from "vitest";
import { oneTool, planOf, workspace } from "../support/workspace.ts";

const greet = oneTool({ name: "greet", schema: "name: z.string()", body: "return data(params.name);" });

test("a plan without a problem is told in one line, and no tool's code is run", async () => {
  const plan = "version: 1\ntools:\n  - module: hello-world\n  - module: ./greet.ts\n";
  const { run } = await workspace({ "plan.yaml": plan, "greet.ts": "throw new Error('this module ran')" });
  const people = await run(["check", "plan.yaml"]);
  const programs = await run(["check", "plan.yaml", "--json"]);

  expect([people.code, programs.code]).toEqual([0, 0]);
  expect(people.stdout).toBe(
    "✔ plan.yaml: 2 modules, 1 tool and more\n  without a manifest, so not looked into (--mount does): ./greet.ts\n",
  );
  expect(programs.json()).toMatchObject({
    ok: true,
    modules: [
      { id: "hello-world", state: "found", tools: ["agent_hello_world"] },
      { id: "./greet.ts", state: "found", tools: null },
    ],
    unknown: ["./greet.ts"],
    problems: [],
  });
});

test("with --mount modules are mounted, and what only that can tell is found", async () => {
  const { run } = await workspace({
    "good.yaml": planOf("./greet.ts"),
    "bad.yaml": planOf("./greet.ts", "./bad.ts"),
    "greet.ts": greet,
    "bad.ts": "throw new Error('out of luck')",
  });
  const good = await run(["check", "good.yaml", "--mount"]);
  const bad = await run(["check", "bad.yaml", "--mount"]);

  expect([good.code, good.stdout]).toEqual([0, "✔ good.yaml: 1 module, 1 tool\n"]);
  expect(bad.code).toBe(78);
  expect(bad.stdout).toContain("MODULE_IMPORT_FAILED bad.yaml:4:13");
});

test("problems as GitHub annotations are a line each, escaped as its commands want", async () => {
  const { run } = await workspace({ "plan.yaml": `${planOf("gone")}    confg: {}\n` });
  const { code, stdout } = await run(["check", "--format", "github", "plan.yaml"]);

  expect(code).toBe(78);
  expect(stdout).toBe(
    '::error file=plan.yaml,line=4,col=5,title=PLAN_KEY_UNKNOWN::unknown key "confg"; did you mean "config"?\n',
  );
});

test("an overlay is checked with its plan, and a rule that can never match is told", async () => {
  const { run } = await workspace({
    "plan.yaml": "version: 1\ntools: [{ module: hello-world }]\n",
    "plan.ci.yaml": "policy:\n  rules:\n    - { match: { tool: nobody_* }, answer: deny }\n",
  });
  const plain = await run(["check", "plan.yaml"]);
  const laid = await run(["check", "plan.yaml", "--env", "ci"]);

  expect([plain.code, laid.code]).toEqual([0, 78]);
  expect(laid.stdout).toContain("PLAN_VALUE_INVALID plan.ci.yaml:3:16\n  this rule can never match");
});

test("every problem of a plan is shown at once, each with its place, the lines around it and a hint", async () => {
  const { run } = await workspace({
    "plan.yaml": `${planOf("gone", "./greet.ts")}    confg: {}\n`,
    "greet.ts": greet,
  });
  const { code, stdout } = await run(["check", "plan.yaml"]);

  expect(code).toBe(78);
  expect(stdout).toBe(`SOURCE_NOT_FOUND plan.yaml:3:13
  module "gone" was not found; tried @toolmount/tool-gone, toolmount-tool-gone
    1 | version: 1
    2 | tools:
  > 3 |   - module: gone
      |             ^
    4 |   - module: ./greet.ts
  hint: npm install @toolmount/tool-gone

PLAN_KEY_UNKNOWN plan.yaml:5:5
  unknown key "confg"; did you mean "config"?
    3 |   - module: gone
    4 |   - module: ./greet.ts
  > 5 |     confg: {}
      |     ^

✖ 2 problems
`);
});

test("problems as JSON have code, place, frame and hint", async () => {
  const { run } = await workspace({ "plan.yaml": planOf("gone", "./greet.ts"), "greet.ts": greet });
  const { code, json } = await run(["check", "plan.yaml", "--json"]);

  expect(code).toBe(78);
  expect(json()).toMatchObject({
    ok: false,
    problems: [
      {
        code: "SOURCE_NOT_FOUND",
        line: 3,
        column: 13,
        frame: expect.stringContaining("> 3 |   - module: gone"),
        hint: "npm install @toolmount/tool-gone",
      },
    ],
  });
});

test("what is not required and not there is a problem that leaves the plan valid", async () => {
  const plan = `${planOf("./greet.ts")}  - module: gone\n    required: false\n`;
  const { run } = await workspace({ "plan.yaml": plan, "greet.ts": greet });
  const { code, stdout } = await run(["check", "plan.yaml"]);

  expect(code).toBe(0);
  expect(stdout).toContain("SOURCE_NOT_FOUND plan.yaml:4:13");
  expect(stdout).toContain("left out, since not required: gone");
});

test("no plan at all ends with 78", async () => {
  const { run } = await workspace({ "package.json": "{}" });
  const people = await run(["check"]);
  const programs = await run(["check", "nope.yaml", "--json"]);

  expect([people.code, programs.code]).toEqual([78, 78]);
  expect(people.stderr).toMatch(/^PLAN_NOT_FOUND /);
  expect(programs.json()).toMatchObject({ error: { code: "PLAN_NOT_FOUND" } });
});
