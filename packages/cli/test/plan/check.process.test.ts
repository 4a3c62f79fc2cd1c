import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { oneTool, planOf, workspace } from "../support/workspace.ts";

const greet = oneTool({ name: "greet", schema: "name: z.string()", body: "return data(params.name);" });

test("a plan without a problem is reported in one line, and no code runs of modules with a manifest", async () => {
  const { here: run } = await workspace({ "plan.yaml": "version: 1\ntools:\n  - module: hello-world\n" });
  const people = await run(["check", "plan.yaml"]);
  const programs = await run(["check", "plan.yaml", "--json"]);

  expect([people.code, people.stdout]).toEqual([0, "✔ plan.yaml: 1 module, 1 tool\n"]);
  expect(programs.json()).toMatchObject({
    ok: true,
    modules: [{ id: "hello-world", state: "found", tools: ["agent_hello_world"] }],
    unknown: [],
    problems: [],
  });
});

test.each([
  ["state: memory", "each server counts its own, from zero at each start"],
  ["", "the servers of this machine count together; with state: postgres://… all servers do"],
])("of a plan with budgets and %j it says which servers count together", async (state, says) => {
  const plan = `version: 1\n${state}\npolicy: { budgets: { calls: 3 } }\ntools:\n  - module: hello-world\n`;
  const { here: run } = await workspace({ "plan.yaml": plan });
  expect((await run(["check", "plan.yaml"])).stdout).toContain(`  budgets: ${says}\n`);
});

describe("check prints a green tick only for modules that it loaded", () => {
  test("with --no-load it says which modules it did not check, and runs none of them", async () => {
    const { run } = await workspace({
      "plan.yaml": planOf("hello-world", "./greet.ts"),
      "greet.ts": "console.error('this module ran')",
    });
    const people = await run(["check", "plan.yaml", "--no-load"]);
    const programs = await run(["check", "plan.yaml", "--no-load", "--json"]);

    expect(people).toMatchObject({ code: 0, stderr: "" });
    expect(people.stdout).toBe(
      "⚠ plan.yaml: 2 modules, 1 tool\n  ⚠ NOT checked, because --no-load runs no module without a manifest: ./greet.ts\n",
    );
    expect(programs.json()).toMatchObject({ ok: true, unknown: ["./greet.ts"] });
  });

  const bad = greet.replace('name: "greet"', 'name: "two words"');
  const dated = greet.replace("name: z.string()", "day: z.date()");
  test.each([
    { title: "a syntax error", code: "MODULE_IMPORT_FAILED", files: { "./bad.js": "const x = ;" } },
    {
      title: "a throw at import",
      code: "MODULE_IMPORT_FAILED",
      files: { "./bad.ts": "throw new Error('no');" },
    },
    {
      title: "a missing package",
      code: "MODULE_IMPORT_FAILED",
      files: { "./bad.ts": 'import "gone-package";' },
    },
    { title: "a date in a schema", code: "SCHEMA_NOT_JSON", files: { "./bad.ts": dated } },
    { title: "an invalid name", code: "TOOL_INVALID", files: { "./bad.ts": bad } },
    { title: "a name twice", code: "TOOL_DUPLICATE", files: { "./one.ts": greet, "./two.ts": greet } },
    { title: "no tool", code: "MODULE_INVALID", files: { "./bad.ts": "export const one = 1;" } },
    { title: "process.exit", code: "MODULE_MOUNT_FAILED", files: { "./bad.ts": "process.exit(0);" } },
  ])("a module with $title ends check with 78 and $code", async ({ code, files }) => {
    const { here: run } = await workspace({ "plan.yaml": planOf(...Object.keys(files)), ...files });
    const ended = await run(["check", "plan.yaml", "--json"]);

    expect(ended.code, ended.stdout).toBe(78);
    expect(ended.json()).toMatchObject({ ok: false, problems: [{ code }] });
  });
});

test.each([
  ["check", ["check", "plan.yaml"]],
  ["list", ["list", "plan.yaml"]],
  ["serve", ["serve", "plan.yaml", "--stdio"]],
])("%s names the place where a module calls process.exit when it is imported", async (_command, words) => {
  const files = { "./good.ts": greet, "./bad.ts": "const one = 1;\nif (one) process.exit(0);\n" };
  const { run } = await workspace({ "plan.yaml": planOf(...Object.keys(files)), ...files });
  const ended = await run(words);

  expect(ended.code).not.toBe(0);
  expect(ended.stdout + ended.stderr).toMatch(/process\.exit.* at \/\S*bad\.ts:2:18/);
});

test("check and list agree on every form of a module that the loader mounts", async () => {
  const aptix = `export class NoteTool {
    static ToolName = "note_tool";
    static ToolUsageMetadata = "note_tool: reads a note. Use it in tests.";
    static GetSchema() {
      const parameters = { type: "object", properties: {}, required: [] };
      return { type: "function", name: "note_tool", description: "Reads a note. Use in tests.", parameters };
    }
    get Name() { return "note_tool"; }
    get IsToolFullyExecutedOnServer() { return true; }
    async ExecuteAsync() { return { Success: true, Data: {} }; }
  }`;
  const exported = greet
    .replace("const tool", "export const tool")
    .replace(/export function mount[\s\S]*/, "");
  const { here: run } = await workspace({
    "plan.yaml": planOf("./exported.ts", "./greet.ts", "./aptix.js"),
    "exported.ts": exported.replace('name: "greet"', 'name: "greet_again"'),
    "greet.ts": greet,
    "aptix.js": aptix,
  });
  const [checked, listed] = await Promise.all([
    run(["check", "plan.yaml"]),
    run(["list", "plan.yaml", "--json"]),
  ]);

  expect([checked.code, listed.code], checked.stdout + listed.stdout).toEqual([0, 0]);
  expect(checked.stdout).toBe("✔ plan.yaml: 3 modules, 3 tools\n");
});

test("with --mount modules with a manifest are mounted, too", async () => {
  const { here: run } = await workspace({ "good.yaml": planOf("hello-world") });
  const { code, json } = await run(["check", "good.yaml", "--mount", "--json"]);

  expect([code, json()]).toMatchObject([0, { modules: [{ id: "hello-world", state: "mounted" }] }]);
});

describe("an error in a tool's own file shows its file, line and code", () => {
  const thrower = "const a = 1;\nfunction fail() {\n  throw new Error('no luck');\n}\nfail();\n";
  const files = { "plan.yaml": planOf("./bad.ts"), "bad.ts": thrower };

  test.each([[["check", "plan.yaml"]], [["list", "plan.yaml"]], [["call", "plan.yaml", "x", "{}"]]])(
    "in %j, for a throw at import",
    async (words) => {
      const { here: run } = await workspace(files);
      const { stdout, stderr } = await run(words);

      expect(stdout + stderr).toContain("  bad.ts:3:9\n");
      expect(stdout + stderr).toContain("> 3 |   throw new Error('no luck');");
    },
  );

  test.each([
    { file: "./bad.js", code: "const one = 1;\nconst two = ;\n", place: "bad.js:2:13" },
    { file: "./bad.ts", code: "const one: number = 1;\nconst two = ;\n", place: "bad.ts:2:13" },
  ])("for a syntax error in $file", async ({ file, code, place }) => {
    const { here: run } = await workspace({ "plan.yaml": planOf(file), [file]: code });

    expect((await run(["check", "plan.yaml"])).stdout).toContain(`  ${place}\n`);
  });

  test.each([
    ["a package", 'import x from "left-pad-not/sub";', 16],
    ["a file", 'import { x } from "./nowhere.ts";', 22],
  ])("for an import of %s that does not exist", async (_, statement, column) => {
    const code = `const one = 1;\n${statement}\nexport const two = [one, x];\n`;
    const { here: run } = await workspace({ "plan.yaml": planOf("./bad.ts"), "bad.ts": code });
    const { stdout } = await run(["check", "plan.yaml"]);

    expect(stdout).toContain(`  bad.ts:2:${column}\n`);
    expect(stdout).toContain(`> 2 | ${statement}`);
  });

  test("for a definition that defineTool refuses", async () => {
    const code =
      'import { defineTool } from "@toolmount/core";\nexport const tool = defineTool({ name: "x", inputSchema: {} });\n';
    const { here: run } = await workspace({ "plan.yaml": planOf("./bad.js"), "bad.js": code });
    const { stdout } = await run(["check", "plan.yaml"]);

    expect(stdout).toContain("did you mean schema: …, for inputSchema?");
    expect(stdout).toContain("  bad.js:2:21\n");
  });

  test("for a throw in mount", async () => {
    const code = "export function mount() {\n  undefined.x();\n}\n";
    const { here: run } = await workspace({ "plan.yaml": planOf("./bad.js"), "bad.js": code });

    expect((await run(["check", "plan.yaml"])).stdout).toContain("  bad.js:2:13\n");
  });

  test("for a throw in execute; with --debug the stack and what the tool logs", async () => {
    const body = `
      context.logger.info({}, "looking");
      context.logger.debug({}, "looking closely");
      throw new Error("no luck");`;
    const { folder, run } = await workspace({
      "plan.yaml": planOf("./bad.ts"),
      "bad.ts": oneTool({ name: "bad", body }),
    });
    const plain = await run(["call", "plan.yaml", "bad"]);
    const verbose = await run(["call", "plan.yaml", "bad", "--verbose"]);
    const debug = await run(["call", "plan.yaml", "bad", "--debug"]);

    expect(plain.stderr).toMatch(/^error: .*no luck at \/.+\/bad\.ts:\d+:\d+\n$/);
    expect(plain.stderr).toContain(folder);
    expect(verbose.stderr).toContain("info: looking\n");
    expect(verbose.stderr).not.toContain("closely");
    expect(debug.stderr).toContain("debug: looking closely\n");
    expect(debug.stderr).toMatch(/^ {2,}at .*bad\.ts:\d+/m);
  });
});

test("problems as GitHub annotations are a line each, escaped as its commands want", async () => {
  const { here: run } = await workspace({ "plan.yaml": `${planOf("gone")}    confg: {}\n` });
  const { code, stdout } = await run(["check", "--format", "github", "plan.yaml"]);

  expect(code).toBe(78);
  expect(stdout).toBe(
    '::error file=plan.yaml,line=4,col=5,title=PLAN_KEY_UNKNOWN::unknown key "confg"; did you mean "config"?\n',
  );
});

test("a GitHub annotation escapes the name of the file, the text of the plan and the line of the hint", async () => {
  const { here: run } = await workspace({ "a,b%.yaml": 'version: 1\ntools: []\n"50%": {}\n' });
  const { stdout } = await run(["check", "--format", "github", "a,b%.yaml"]);

  expect(stdout).toMatch(
    /^::error file=a%2Cb%25\.yaml,line=3,col=1,title=PLAN_KEY_UNKNOWN::unknown key "50%25"%0Ahint: [^\n]+\n$/,
  );
});

test("an overlay is checked with its plan, and a rule that can never match is reported", async () => {
  const { here: run } = await workspace({
    "plan.yaml": "version: 1\ntools: [{ module: hello-world }]\n",
    "plan.ci.yaml": "policy:\n  rules:\n    - { match: { tool: nobody_* }, answer: deny }\n",
  });
  const plain = await run(["check", "plan.yaml"]);
  const laid = await run(["check", "plan.yaml", "--env", "ci"]);

  expect([plain.code, laid.code]).toEqual([0, 78]);
  expect(laid.stdout).toContain("PLAN_VALUE_INVALID plan.ci.yaml:3:16\n  this rule can never match");
});

test("every problem of a plan is shown, each with its place, the lines around it and a hint", async () => {
  const { here: run } = await workspace({
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
  hint: install the package that you trust under this name, or write the path of a file, such as ./my-tool.ts

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
  const { here: run } = await workspace({ "plan.yaml": planOf("gone", "./greet.ts"), "greet.ts": greet });
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
        hint: expect.stringContaining("install the package that you trust"),
      },
    ],
  });
});

test("what is not required and not there is a problem that leaves the plan valid", async () => {
  const plan = `${planOf("./greet.ts")}  - module: gone\n    required: false\n`;
  const { here: run } = await workspace({ "plan.yaml": plan, "greet.ts": greet });
  const { code, stdout } = await run(["check", "plan.yaml"]);

  expect(code).toBe(0);
  expect(stdout).toContain("SOURCE_NOT_FOUND plan.yaml:4:13");
  expect(stdout).toContain("not mounted, and not required: gone");
});

test("no plan at all ends with 78", async () => {
  const { here: run } = await workspace({ "package.json": "{}" });
  const people = await run(["check"]);
  const programs = await run(["check", "nope.yaml", "--json"]);

  expect([people.code, programs.code]).toEqual([78, 78]);
  expect(people.stderr).toMatch(/^PLAN_NOT_FOUND /);
  expect(programs.json()).toMatchObject({ error: { code: "PLAN_NOT_FOUND" } });
});

describe("what a plan says of tools that it does not have is reported", () => {
  const modes = `modes:
  catalog:
    - { key: general, displayName: General, tools: ["read_*", "!gone", "greet", "agent_*", "*"] }
`;
  test.each([
    ["from manifests", "hello-world", ["read_*", "gone", "greet"]],
    ["from files, which are mounted for it", "./greet.ts", ["read_*", "gone", "agent_*"]],
  ])("globs of a mode, compared with tools %s", async (_from, module, dead) => {
    const { here: run } = await workspace({ "plan.yaml": `${planOf(module)}${modes}`, "greet.ts": greet });
    const { code, json } = await run(["check", "plan.yaml", "--json"]);
    const { problems } = json() as { problems: { message: string }[] };

    expect(code).toBe(78);
    expect(problems.map(({ message }) => message)).toEqual(
      dead.map((glob) => `no tool of the plan matches "${glob}"`),
    );
  });

  test("a rule of the policy, where only mounting shows the tools", async () => {
    const policy = 'policy:\n  rules:\n    - { match: { tool: "gone_*" }, answer: deny }\n';
    const { here: run } = await workspace({
      "plan.yaml": `${planOf("./greet.ts")}${policy}`,
      "greet.ts": greet,
    });
    const { code, stdout } = await run(["check", "plan.yaml"]);

    expect(code).toBe(78);
    expect(stdout).toContain("this rule can never match");
    expect(stdout).toContain("plan.yaml:6:");
  });
});

test("where the calls of entries run is shown, with the border that they get here", async () => {
  const { here: run } = await workspace({
    "plan.yaml": `tools:
  - module: hello-world
    run: { in: process, border: strictest }
  - module: todo
    run: { in: process }
  - module: filesystem
    run: { in: fleet }
  - module: files
    required: false
    source: { mcp: { command: some-server, border: bubblewrap } }
`,
  });
  const people = await run(["check", "plan.yaml", "--no-load"]);
  const programs = await run(["check", "plan.yaml", "--no-load", "--json"]);

  expect(people.code, people.stderr).toBe(0);
  expect(people.stdout).toMatch(/^ {2}files: calls run at its server, behind bubblewrap$/m);
  expect(people.stdout).toMatch(
    /^ {2}hello-world: calls run in a process, behind the strictest border that works on this machine: (bubblewrap|permission, which is no wall against hostile code)$/m,
  );
  expect(people.stdout).toMatch(/^ {2}todo: calls run in a process, without a border$/m);
  expect(people.stdout).toMatch(
    /^ {2}filesystem: calls run on a fleet, in the workers themselves; toolmount undo and rehearsals do not reach them$/m,
  );
  expect(programs.json()).toMatchObject({
    modules: expect.arrayContaining([
      expect.objectContaining({ id: "todo", runs: "in a process, without a border" }),
    ]),
  });
});

test("a fetched module runs behind the strictest border unless the plan says otherwise", async () => {
  const folder = await mkdtemp(join(tmpdir(), "toolmount-secret-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const secret = join(folder, "secret.txt");
  await writeFile(secret, "of the machine");
  const peek = `import { readFileSync } from "node:fs";
export const peek = {
  name: "peek",
  description: "Reads a file of the machine. Use it in tests. Not for anything else.",
  schema: { type: "object", properties: {}, additionalProperties: false },
  category: "read",
  consequenceLevel: "low",
  requiresConfirmation: false,
  execute: async () => {
    try {
      return { data: { read: readFileSync(${JSON.stringify(secret)}).length > 0 } };
    } catch {
      return { data: { read: false } };
    }
  },
};`;
  const { here: run } = await workspace({
    "node_modules/acme-peek/package.json": '{ "name": "acme-peek", "type": "module", "main": "index.js" }',
    "node_modules/acme-peek/index.js": peek,
    "plan.yaml": "tools: [{ module: peek, source: 'npm:acme-peek' }]\n",
    "open.yaml": "tools: [{ module: peek, source: 'npm:acme-peek', run: { in: inline } }]\n",
  });

  const [checked, open] = [await run(["check", "plan.yaml"]), await run(["check", "open.yaml"])];
  expect(checked.stdout).toMatch(
    /peek: calls run in a process, behind the strictest border that works on this machine: \w+$/m,
  );
  expect(open.stdout).not.toContain("calls run");
  for (const [plan, read] of [
    ["plan.yaml", false],
    ["open.yaml", true],
  ] as const) {
    const called = await run(["call", plan, "peek", "--json"]);
    expect(called.json()).toMatchObject({ status: "ok", result: { data: { read } } });
  }
});

test("check marks a module that mounted, and registered nothing", async () => {
  const { here: run } = await workspace({
    "plan.yaml": "version: 1\ntools:\n  - module: ./idle.mjs\n",
    "idle.mjs": "export const config = undefined;\nexport function mount() {}\n",
  });

  const { code, stdout } = await run(["check", "plan.yaml"]);
  expect([code, stdout]).toEqual([0, expect.stringContaining("⚠ plan.yaml: 1 module, 0 tools") as string]);
  expect(stdout).toMatch(/mounted, but registered nothing.*\.\/idle\.mjs/);
});

test("a tool that is refused is reported once, with its line in the module and every problem", async () => {
  const wrong = oneTool({ name: "wrong", body: "return data({});" })
    .replace('category: "side_effect"', 'category: "reads" as never')
    .replace('consequenceLevel: "medium"', 'consequenceLevel: "huge" as never');
  const { here } = await workspace({ "plan.yaml": planOf("./wrong.ts"), "wrong.ts": wrong });
  const { code, stdout } = await here(["check", "plan.yaml"]);
  const line = wrong.split("\n").findIndex((text) => text.includes("coordinator.mount")) + 1;

  expect(code).toBe(78);
  expect(stdout).toContain(
    'its category is "reads"; it may be read, write, delete or side_effect; its consequenceLevel is "huge"; it may be low, medium or high',
  );
  expect(stdout).toContain(`  wrong.ts:${line}:`);
  expect(stdout.match(/its category is/g)).toHaveLength(1);
});
