import { expect, test } from "vitest";
import { oneTool, workspace } from "../support/workspace.ts";

const packageJson = (more: object = {}) =>
  JSON.stringify({ name: "greeter", version: "1.0.0", type: "module", exports: "./index.js", ...more });

const greeter = (description: string, signature = "coordinator, config") => `
  const greet = {
    name: "greet_person",
    description: ${JSON.stringify(description)},
    input_schema: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
    execute: async ({ name }) =>
      typeof name === "string"
        ? { success: true, output: "Hello, " + name, error: null }
        : { success: false, output: null, error: { message: "name is required" } },
  };
  export async function mount(${signature}) {
    coordinator.mount("tools", greet);
  }
`;

const definition = `
  import { data, defineTool } from "@toolmount/core";
  import { z } from "zod";
  const greeting = {
    name: "greet_person",
    description: "Greets a person. Use when the user names a person.",
    schema: z.object({ name: z.string().describe("The person") }),
    category: "read",
    consequenceLevel: "low",
    requiresConfirmation: false,
    execute: async ({ name }) => data("hello " + name),
  };
`;

const aptixClass = `export class GreetPersonTool {
  static ToolName = "greet_person";
  static ToolUsageMetadata = "greet_person: greets a person. Use it in tests.";
  static GetSchema() {
    const parameters = { type: "object", properties: {}, required: [], additionalProperties: false };
    const description = "Greets a person. Use when the user asks for a greeting.";
    return { type: "function", name: "greet_person", description, parameters };
  }
  get Name() { return "greet_person"; }
  get IsToolFullyExecutedOnServer() { return true; }
  async ExecuteAsync(text) {
    const [Successful, Result, problem] = text.trim() === "" ? [false, null, "no arguments"] : [true, "{}", null];
    return { Successful, Result, Errors: [], Warnings: [], ErrorMessage: problem };
  }
}`;

test.each([
  { words: ["module", "validate", "greeter", "--type", "tool"] },
  { words: ["validate", "greeter"] },
])(
  "AMP-25: $words says that a good module is compliant, a line a profile, and ends with 0",
  async ({ words }) => {
    const { here: run } = await workspace({
      "greeter/package.json": packageJson(),
      "greeter/index.js": greeter("Greets by name."),
    });
    const { code, stdout } = await run(words);

    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^✔ core: \d+ checks, compliant\n✔ amplifier: \d+ checks, compliant\ngreet_person: \d+ checks, 0 errors, 0 warnings\n$/,
    );
  },
);

test("AMP-25, AMP-N56: each finding has its rule, where, why and how to fix it; an error ends with 1", async () => {
  const { here: run } = await workspace({
    "greeter/package.json": packageJson(),
    "greeter/index.js": greeter("Greets by name.\u202e", "coordinator"),
  });
  const { code, stdout } = await run(["validate", "greeter"]);

  expect(code).toBe(1);
  expect(stdout).toContain("✖ core");
  expect(stdout).toContain("✖ amplifier");
  expect(stdout.trimEnd().split("\n").at(-1)).toMatch(
    /^greet_person: \d+ checks, [1-9]\d* errors?, \d+ warnings?$/,
  );
  expect(stdout).toContain(
    "error mount_signature at mount\n    it takes fewer than two parameters\n    why: ",
  );
  expect(stdout).toContain("error text_hidden at tools.greet_person.description");
  expect(stdout).toContain("\\u{202e}");
  expect(stdout.trimEnd().split("\n").at(-1)).toMatch(
    /^greet_person: \d+ checks, [1-9]\d* errors?, \d+ warnings?$/,
  );
});

test("AMP-N56: warnings do not fail: the command ends with 0, and the last line counts checks, errors and warnings", async () => {
  const { here: run } = await workspace({
    "greeter/package.json": packageJson(),
    "greeter/index.js": greeter(""),
  });
  const { code, stdout } = await run(["validate", "greeter"]);

  expect(code).toBe(0);
  expect(stdout).toMatch(/^✔ core: \d+ checks, compliant\n✔ amplifier: \d+ checks, compliant/);
  expect(stdout).toContain("warning tool_description at ");
  expect(stdout.trimEnd().split("\n").at(-1)).toMatch(/^greet_person: \d+ checks, 0 errors, 1 warning$/);
});

test("as JSON: one verdict a profile, and findings with stable rule ids", async () => {
  const { here: run } = await workspace({
    "greeter/package.json": packageJson(),
    "greeter/index.js": greeter(""),
  });
  const { code, json } = await run(["module", "validate", "greeter", "--type", "tool", "--json"]);

  expect(code).toBe(0);
  expect(json()).toMatchObject({
    passed: true,
    errors: 0,
    warnings: 1,
    verdicts: [
      { profile: "core", passed: true },
      { profile: "amplifier", passed: true },
    ],
    findings: [{ rule: "tool_description", severity: "warning", profile: "amplifier" }],
  });
});

test("only the profiles that are asked for have a verdict", async () => {
  const { here: run } = await workspace({
    "greeter/package.json": packageJson(),
    "greeter/index.js": greeter(""),
  });
  const { json } = await run(["validate", "greeter", "--profile", "core", "--json"]);

  expect(json()).toMatchObject({ verdicts: [{ profile: "core" }], findings: [] });
});

test("a manifest that is not true is found, and so is a definition that another process sees otherwise", async () => {
  const { here: run } = await workspace({
    "greeter/package.json": packageJson({
      toolmount: { tools: [{ name: "greet_person", description: "Another." }] },
    }),
    "greeter/index.js": greeter("Greets by name.").replace(
      '"Greets by name."',
      '"Greets as process " + process.pid',
    ),
  });
  const { json } = await run(["validate", "greeter", "--json"]);
  const { findings } = json() as { findings: { rule: string }[] };

  expect([...new Set(findings.map(({ rule }) => rule))].toSorted()).toEqual([
    "definition_stable",
    "manifest_true",
  ]);
});

test.each([
  ["a file that only exports a tool", "export.ts"],
  ["a synchronous mount", "sync.ts"],
  ["an Aptix class", "aptix.js"],
  ["a Tool-Forge definition", "forge.ts"],
])("validate mounts %s, as the loader does, here and in a fresh process", async (_, file) => {
  const { here: run } = await workspace({
    "export.ts": `${definition}export const tool = defineTool(greeting);\n`,
    "sync.ts": `${definition}export function mount(c) { c.mount("tools", defineTool(greeting)); }\n`,
    "forge.ts": `${definition}export const tool = {
      ...greeting,
      version: "1.0.0",
      status: "active",
      execute: async (_, context) =>
        context?.abortSignal?.aborted ? { error: "Request was cancelled" } : { data: "hello" },
    };\n`,
    "aptix.js": aptixClass,
  });
  const { json } = await run(["validate", file, "--json"]);

  const { tools, verdicts } = json() as { tools: string[]; verdicts: object[] };
  expect(tools).toEqual(["greet_person"]);
  expect(verdicts[0]).toMatchObject({ profile: "core", passed: true });
});

test("validate of a file that exports no tool says what it exports", async () => {
  const { here: run } = await workspace({ "none.ts": "export const greeting = 'hello';\n" });
  const { code, json } = await run(["validate", "none.ts", "--json"]);

  expect(code).toBe(1);
  expect(json()).toMatchObject({
    findings: [{ rule: "mount_exists", problem: "there is neither a mount nor a tool; it exports greeting" }],
  });
});

test("a single file is validated, and a module that cannot be imported is a finding", async () => {
  const { here: run } = await workspace({
    "one.ts": oneTool({
      name: "greet_person",
      schema: "name: z.string()",
      body: "return data(params.name);",
    }),
    "broken.ts": "throw new Error('not today');",
  });
  const one = await run(["validate", "one.ts", "--json"]);
  const broken = await run(["validate", "broken.ts", "--json"]);

  expect([one.code, one.json()["tools"]]).toEqual([0, ["greet_person"]]);
  expect(broken.code).toBe(1);
  expect(broken.json()).toMatchObject({ findings: [{ rule: "module_importable" }] });
});

test.each([
  { words: ["validate", "nowhere"], said: "SOURCE_NOT_FOUND" },
  { words: ["validate", ".", "--type", "hook"], said: "USAGE_INVALID" },
  { words: ["validate", ".", "--profile", "mine"], said: "USAGE_INVALID" },
])("$words is wrong usage: $said", async ({ words, said }) => {
  const { here: run } = await workspace({});
  const { code, stdout } = await run([...words, "--json"]);

  expect(code).not.toBe(0);
  expect(stdout).toContain(said);
});

test.each([
  {
    title: "ends the process when it is imported",
    text: "process.exit(0);",
    rule: "module_importable",
    where: "module",
  },
  {
    title: "ends the process when it is mounted",
    text: "export async function mount(coordinator, config) { process.exit(0); }",
    rule: "protocol_compliance",
    where: "mount",
  },
  {
    title: "ends the process when it is called",
    text: greeter("Greets by name.").replace('"Hello, "', "process.exit(0)"),
    rule: "execute_never_throws",
    where: "tools.greet_person.execute",
  },
])("a module that $title is a finding: $rule", async ({ text, rule, where }) => {
  const { run } = await workspace({ "ends.js": text });
  const { code, json } = await run(["validate", "ends.js", "--json"]);

  expect(code).toBe(1);
  expect(json()).toMatchObject({ passed: false, errors: 1, verdicts: [{ profile: "core", passed: false }] });
  expect(json()["findings"]).toMatchObject([
    {
      rule,
      where,
      problem: expect.stringMatching(
        /^it ended the process before the work was done \(exit 0, by process\.exit at \/\S+\/ends\.js:\d+:\d+\)$/,
      ) as string,
    },
  ]);
});

test.each([
  {
    title: "mount",
    text: "export async function mount(coordinator, config) { for (;;); }",
    rule: "protocol_compliance",
    where: "mount",
  },
  {
    title: "execute",
    text: greeter("Greets by name.").replace('"Hello, "', "(() => { for (;;); })()"),
    rule: "execute_ends",
    where: "tools.greet_person.execute",
  },
])(
  "an endless loop in $title is a finding, and the command comes to its end",
  async ({ text, rule, where }) => {
    const { here: run } = await workspace({ "loops.js": text });
    const { code, json } = await run(["validate", "loops.js", "--json"]);

    expect(code).toBe(1);
    expect(json()["findings"]).toMatchObject([
      { rule, where, problem: "it blocked the thread for more than 10000 ms" },
    ]);
  },
);

test.each([
  { title: "thrown late", late: 'setImmediate(() => { throw new TypeError("too late"); })' },
  { title: "rejected unseen", late: 'Promise.reject(new TypeError("too late"))' },
])("what is $title is a finding, and the check continues", async ({ late }) => {
  const { run } = await workspace({
    "late.js": greeter("Greets by name.\u202e").replace('"Hello, "', `(${late}, "Hello, ")`),
  });
  const { code, json, stderr } = await run(["validate", "late.js", "--json"]);
  const { findings } = json() as { findings: { rule: string; where: string; problem: string }[] };

  expect(code).toBe(1);
  expect(new Set(findings.map(({ rule }) => rule))).toEqual(new Set(["text_hidden", "execute_never_throws"]));
  expect(findings.find(({ rule }) => rule === "execute_never_throws")).toMatchObject({
    where: "tools.greet_person.execute",
    problem: expect.stringContaining("TypeError too late") as string,
  });
  expect(stderr).toBe("");
});

test("a tool's own code runs in a trial, without an example from its author: what it throws is found", async () => {
  const { here: run } = await workspace({
    "throws.ts": oneTool({
      name: "greet_person",
      schema: "name: z.string()",
      body: "throw new TypeError('x');",
    }).replace('"side_effect"', '"read"'),
  });
  const { code, json } = await run(["validate", "throws.ts", "--json"]);

  expect(code).toBe(1);
  expect(json()["findings"]).toContainEqual(expect.objectContaining({ rule: "execute_never_throws" }));
});

test("a package.json that is not JSON is reported as that", async () => {
  const { here: run } = await workspace({
    "broken/package.json": "{",
    "broken/index.js": greeter("Greets."),
  });
  const { code, stdout } = await run(["validate", "broken"]);

  expect(code).toBe(1);
  expect(stdout).toContain("MODULE_IMPORT_FAILED");
  expect(stdout).toMatch(/broken\/package\.json is not JSON/);
});

test("what a module prints goes to stderr, so that the JSON stays JSON", async () => {
  const { run } = await workspace({
    "greeter/package.json": packageJson(),
    "greeter/index.js": `console.log("at import"); process.stdout.write("raw");${greeter("Greets by name.")}`,
  });
  const { code, json, stderr } = await run(["validate", "greeter", "--json"]);

  expect(code).toBe(0);
  expect(json()).toMatchObject({ passed: true });
  expect(stderr).toContain("at import");
  expect(stderr).toContain("raw");
});
