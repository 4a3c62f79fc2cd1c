import { expect, test } from "vitest";
import { oneTool, planOf, workspace } from "./world.ts";

const greet = oneTool({ name: "greet", schema: "name: z.string()", body: "return data(params.name);" });

test("a plan without a problem is told in one line", async () => {
  const { run } = await workspace({ "plan.yaml": planOf("./greet.ts"), "greet.ts": greet });
  const people = await run(["check", "plan.yaml"]);
  const programs = await run(["check", "plan.yaml", "--json"]);

  expect([people.code, programs.code]).toEqual([0, 0]);
  expect(people.stdout).toBe("✔ plan.yaml: 1 module, 1 tool\n");
  expect(programs.json()).toMatchObject({
    ok: true,
    modules: [{ id: "./greet.ts", state: "mounted", tools: ["greet"] }],
    problems: [],
  });
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
