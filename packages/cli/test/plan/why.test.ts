import { expect, test } from "vitest";
import { workspace } from "../support/workspace.ts";

const parts = {
  "base.yaml": `version: 1
policy:
  limits: { timeout: 5000 }
  rules:
    - { match: { tool: hi_* }, answer: ask, reason: it greets people }
tools:
  - module: hello-world
    prefix: hi_
`,
  "plan.yaml": `extends: ./base.yaml
tools:
  - id: hello-world
    limits: { timeout: 100 }
  - module: filesystem
    config: { working_dir: ., allowed_read_paths: [.] }
    tools: { exclude: ["category: delete"] }
`,
  "plan.ci.yaml": "tools:\n  - id: hello-world\n    limits: { timeout: 7 }\n",
};

test("why shows the lines that shaped a tool, and the rule that decides", async () => {
  const { here: run } = await workspace(parts);
  const { code, stdout } = await run(["why", "plan.yaml", "hi_agent_hello_world", "--env", "ci"]);

  expect([code, stdout]).toEqual([
    0,
    `hi_agent_hello_world  agent_hello_world of hello-world 0.0.0 · read · consequence low
  mounted   hello-world  base.yaml:7
  renamed   hi_agent_hello_world  base.yaml:8
  limited   {"timeout":7}  plan.ci.yaml:3  (over plan.yaml:4)
  decides   ask (base.yaml:5:7): it greets people
  judged    with the arguments {"name":"a"}; set others with --arguments
  verdict   asks: a person has to approve the call: it greets people (base.yaml:5:7)
`.replace("  plan.ci.yaml:3  (over plan.yaml:4)", "  (over plan.yaml:4)  plan.ci.yaml:3"),
  ]);
});

const notes = {
  "plan.yaml": `version: 1
modes: { catalog: [{ key: read, displayName: Read, tools: [add_note] }] }
tools:
  - module: ./notes.ts
    prefix: my_
    tools: { add_note: { as: add_note } }
`,
  "notes.ts": `
    import { data, defineTool } from "@toolmount/core";
    import { z } from "zod";
    const make = (name, requiresConfirmation) => defineTool({
      name, requiresConfirmation, description: "Adds a note. Use in tests.",
      schema: z.strictObject({ text: z.string().optional() }), category: "write", consequenceLevel: "low",
      execute: () => { throw new Error("a tool ran"); },
    });
    export const add = make("add_note", false);
    export const remove = make("remove_note", ({ text }) => text === "all");
  `,
};

test.each([
  [["add_note"], "allowed: the call runs"],
  [["my_remove_note"], "allowed: the call runs"],
  [["my_remove_note", "--arguments", '{"text":"one"}'], "allowed: the call runs"],
  [["my_remove_note", "--arguments", '{"text":"all"}'], "asks: a person has to approve the call"],
  [["my_remove_note", "--arguments", '{"text":1}'], "these arguments are refused: text"],
  [["add_note", "--mode", "read"], "allowed: the call runs"],
  [["my_remove_note", "--arguments", "{}", "--mode", "read"], "not offered here: mode read"],
])("why of a module that only exports tools ends with the verdict: %j", async (words, verdict) => {
  const { here: run } = await workspace(notes);
  const { code, stdout, stderr } = await run(["why", "plan.yaml", ...words]);

  expect([code, stderr]).toEqual([0, ""]);
  expect(stdout.trimEnd().split("\n").at(-1)).toContain(verdict);
});

test("why shows the line that excluded a tool, and near names of an unknown one", async () => {
  const { here: run } = await workspace(parts);
  const out = await run(["why", "plan.yaml", "delete_file"]);
  const gone = await run(["why", "plan.yaml", "read_flie"]);
  const data = await run(["why", "plan.yaml", "delete_file", "--json"]);

  expect(out.stdout).toContain("left out  category: delete  plan.yaml:7");
  expect([gone.code, gone.stdout]).toEqual([1, "✖ no entry offers a tool read_flie; near: read_file\n"]);
  expect(data.json()).toMatchObject({ tools: [{ name: null, declared: { name: "delete_file" } }] });
});

test("print shows the plan of all parts, each value with its line", async () => {
  const { here: run } = await workspace(parts);
  const { code, stdout } = await run(["print", "plan.yaml", "--env", "ci"]);

  expect(code).toBe(0);
  expect(stdout).toContain("# base.yaml\n# plan.yaml\n# plan.ci.yaml\nversion: 1 # base.yaml:1\n");
  expect(stdout).toContain("    limits:\n      timeout: 7 # plan.ci.yaml:3\n");
});

test.each([[["why", "plan.yaml"]], [["why"]], [["why", "plan.yaml", "x", "--arguments", "[1]"]]])(
  "%j is wrong usage",
  async (words) => {
    const { here: run } = await workspace(parts);

    expect((await run(words)).code).toBe(2);
  },
);

test("a call that runs has no reason, also where the tool's results have a schema", async () => {
  const { here: run } = await workspace({
    "plan.yaml": "version: 1\ntools:\n  - module: ./count.mjs\n",
    "count.mjs": `export const count = { name: "count", description: "Counts.", schema: { type: "object" }, category: "read", consequenceLevel: "low",
      requiresConfirmation: false, outputSchema: { type: "object", required: ["n"] }, execute: () => ({ data: { n: 1 } }) };`,
  });

  expect((await run(["why", "plan.yaml", "count"])).stdout).toMatch(/allowed: the call runs *$/m);
});

test("why takes the words of call: pairs, JSON, and a call as in a program", async () => {
  const { here: run } = await workspace(notes);
  for (const words of [
    ["remove_note", "text=all"],
    ["remove_note", '{"text":"all"}'],
    ["remove_note(text: all)"],
    ["remove_note", "--arguments", '{"text":"all"}'],
  ])
    expect((await run(["why", "plan.yaml", ...words])).stdout, words.join(" ")).toContain("asks: a person");
  expect((await run(["why", "plan.yaml", "remove_note", "text=one"])).stdout).toContain("verdict   allowed");
  const twice = await run(["why", "plan.yaml", "remove_note", "text=all", "--arguments", "{}"]);
  expect([twice.code, twice.stderr]).toEqual([2, expect.stringContaining("given twice")]);
});

test("JSON that is not valid is shown once, with the place of the mistake, and how to write words", async () => {
  const { here: run } = await workspace(notes);
  const { code, stdout, stderr } = await run(["call", "plan.yaml", "my_remove_note", '{"text":"a" "b"}']);
  expect(code).toBe(2);
  expect(stdout).toBe("");
  expect(stderr).toContain('{"text":"a" "b"}\n              ^');
  expect(stderr).toContain("write toolmount call my_remove_note name=value");
});

test.each([
  ["{text:Oslo", "text=Oslo"],
  ['{"text": o-1}', "text=o-1"],
  ["{text: two words, limit: 3}x", "name=value"],
  ["{text: two words, limit: 3}", "'text=two words' limit:=3"],
])("%s is shown as the words that it probably means: %s", async (written, words) => {
  const { here } = await workspace(notes);
  const { code, stderr } = await here(["call", "plan.yaml", "my_remove_note", written]);
  expect(code).toBe(2);
  expect(stderr).toContain(`write toolmount call my_remove_note ${words}\n`);
});
