import { silentLogger } from "@toolmount/core";
import { expect, test } from "vitest";
import { openHost, type Problem } from "../../src/index.ts";
import { installed, moduleSource, toolFile, workspace } from "../workspace.ts";

async function problemsOf(files: Record<string, string>, env = {}): Promise<readonly Problem[]> {
  const { path } = await workspace(files);
  const error: unknown = await openHost(path("plan.yaml"), { logger: silentLogger, env }).then(
    (host) => host.close(),
    (thrown: unknown) => thrown,
  );
  const { code, details } = error as { code: string; details: { problems: readonly Problem[] } };
  expect(code).toBe("PLAN_INVALID");
  return details.problems;
}

test("AMP-N21: a plan that names a missing package says where in the plan, what was tried, and what to do", async () => {
  const problems = await problemsOf({ "plan.yaml": 'tools:\n  - module: "@acme/gone"\n' });

  expect(problems).toMatchObject([
    {
      code: "SOURCE_NOT_FOUND",
      details: { source: "@acme/gone", tried: ["@acme/gone"] },
      line: 2,
      column: 13,
      hint: expect.stringContaining("install the package that you trust"),
      frame: ["  1 | tools:", '> 2 |   - module: "@acme/gone"', "    |             ^"].join("\n"),
    },
  ]);
});

test("AMP-N13: every problem of a plan is reported together, in its order, before any module runs", async () => {
  const problems = await problemsOf({
    "bad.mjs": "throw new Error('this module ran')",
    "plan.yaml": `version: 1
nmae: mine
extends: ./base.yaml
policy: { limits: { timeout: -1 } }
tools:
  - modul: web
  - module: ./bad.mjs
    requird: false
  - module: ./bad.mjs
  - module: gone
  - module: data:text/javascript,1
  - module: web
    config: { key: "\${NOT_SET}" }
`,
  });

  expect(problems.map(({ code, line, column }) => `${line}:${column} ${code}`)).toEqual([
    "2:1 PLAN_KEY_UNKNOWN",
    "3:10 PLAN_NOT_FOUND",
    "4:30 PLAN_VALUE_INVALID",
    "6:5 PLAN_VALUE_INVALID",
    "6:5 PLAN_KEY_UNKNOWN",
    "8:5 PLAN_KEY_UNKNOWN",
    "10:13 SOURCE_NOT_FOUND",
    "11:13 SOURCE_REFUSED",
    "12:13 SOURCE_NOT_FOUND",
    "13:21 VARIABLE_MISSING",
  ]);
  expect(problems[0]?.message).toContain('did you mean "name"?');
  expect(problems[5]?.message).toContain('did you mean "required"?');
});

test("AMP-N21: a package that is there and cannot be entered is another error than one that is not there", async () => {
  const problems = await problemsOf({
    ...installed("@acme/unbuilt", "", { exports: "./dist/index.js" }),
    ...installed("@acme/broken", "export const x = ;"),
    ...installed("@acme/throws", "throw new Error('no licence')"),
    ...installed("@acme/lacks", "import '@acme/missing'"),
    "plan.yaml":
      'tools: [{ module: "@acme/unbuilt" }, { module: "@acme/broken" }, { module: "@acme/throws" }, { module: "@acme/lacks" }]',
  });

  expect(problems.map(({ code }) => code)).toEqual(Array(4).fill("MODULE_IMPORT_FAILED"));
  expect(problems[2]?.message).toContain("no licence");
});

test("the message of the error is the whole report, as a compiler prints it", async () => {
  const { path } = await workspace({ "plan.yaml": "toolz: []\n" });
  const report = `PLAN_KEY_UNKNOWN: unknown key "toolz"; did you mean "tools"?
  at ${path("plan.yaml")}:1:1 (toolz)
  > 1 | toolz: []
      | ^`;

  await expect(openHost(path("plan.yaml"), { logger: silentLogger })).rejects.toMatchObject({
    message: expect.stringContaining(`the mount plan has a problem\n\n${report}\n`) as string,
    details: { count: 1, report },
  });
});

test("C33: with a version, an unknown key anywhere is a problem; keys that begin with x- are not", async () => {
  const problems = await problemsOf({
    "a.ts": toolFile("a"),
    "plan.yaml": `version: 1
x-note: mine
colour: red
tools:
  - module: ./a.ts
    x-note: mine
    colour: red
    tools: { a: { as: b, x-note: mine, colour: red } }
`,
  });

  expect(problems.map(({ path, code }) => [path, code])).toEqual([
    ["colour", "PLAN_KEY_UNKNOWN"],
    ["tools[0].colour", "PLAN_KEY_UNKNOWN"],
    ["tools[0].tools.a.colour", "PLAN_KEY_UNKNOWN"],
  ]);
});

test("C33, AMP-N13: in an Amplifier plan an unknown section causes a warning that names it; a name near a known one is a problem", async () => {
  const warnings: unknown[] = [];
  const messages: unknown[] = [];
  const warn = (fields: object, message?: string) => void (warnings.push(fields) && messages.push(message));
  const logger = { ...silentLogger, warn };
  const host = await openHost({ tools: [], colours: { a: 1 }, agents: { anything: [1] } }, { logger });
  await host.close();

  expect(warnings).toMatchObject([{ section: "colours" }]);
  expect(messages).toEqual(['the plan has an unknown section "colours"']);
  await expect(openHost({ toolls: [] }, { logger })).rejects.toMatchObject({ code: "PLAN_INVALID" });
});

test.each([
  ["tools: false", "tools"],
  ["tools: [7]", "tools[0]"],
  ["tools: [{ module: 7.5 }]", "tools[0].module"],
  ['tools: [{ module: "" }]', "tools[0].module"],
  ["tools: [{}]", "tools[0].module"],
  ["tools: [{ module: a, config: 1 }]", "tools[0].config"],
  ["tools: [{ module: a, required: yes }]", "tools[0].required"],
  ["tools: [{ module: a, source: [x] }]", "tools[0].source"],
  ["tools: [{ module: a, limits: { timeout: 2147483648 } }]", "tools[0].limits.timeout"],
  ["tools: [{ module: a, limits: { timeout: 1.5 } }]", "tools[0].limits.timeout"],
  ["tools: [{ module: a, run: { in: cloud } }]", "tools[0].run.in"],
  ["version: 2\ntools: []", "version"],
])("AMP-N7: %s is refused at %s", async (text, path) => {
  const problems = await problemsOf({ "plan.yaml": text });

  expect(problems).toContainEqual(expect.objectContaining({ code: "PLAN_VALUE_INVALID", path }));
});

test("an empty section, and an empty config, are the same as missing ones", async () => {
  const host = await openHost(
    { tools: [{ module: "m", config: null }], hooks: null },
    { logger: silentLogger, extensions: { m: { mount: () => null } } },
  );

  expect(host.status().entries).toMatchObject([{ state: "degraded" }]);
  await host.close();
});

test("C4: two tools of one name are refused, with both owners and both lines", async () => {
  const problems = await problemsOf({
    "a.ts": toolFile("same"),
    "b.ts": toolFile("Same"),
    "plan.yaml": "tools:\n  - module: ./a.ts\n  - module: ./b.ts\n",
  });

  expect(problems).toMatchObject([{ code: "TOOL_DUPLICATE", line: 3 }]);
  expect(problems[0]?.message).toMatch(/\.\/b\.ts.*\.\/a\.ts \(.*plan\.yaml:2:13\)/);
});

test("no problem holds the value of a variable, not even in what a module says", async () => {
  const problems = await problemsOf(
    {
      "says.mjs": moduleSource("x", "throw new Error('cannot log in with ' + config.key)"),
      "plan.yaml": 'tools: [{ module: ./says.mjs, config: { key: "${KEY}" } }]',
    },
    { KEY: "hunter2-secret" },
  );

  expect(problems[0]?.message).toContain("cannot log in with ${KEY}");
  expect(JSON.stringify(problems)).not.toContain("hunter2");
});

test("a plan of 20,000 mistakes is answered with the first hundred", async () => {
  const problems = await problemsOf({
    "plan.yaml": `version: 1\n${Array.from({ length: 20_000 }, (_, index) => `k${index}: 1\n`).join("")}`,
  });

  expect(problems).toHaveLength(100);
});

test("a plan with a version and an empty tools section is refused", async () => {
  const problems = await problemsOf({ "plan.yaml": "version: 1\ntools:\n" });

  expect(problems).toMatchObject([
    {
      code: "PLAN_VALUE_INVALID",
      line: 2,
      message: "tools is empty; write a list of entries, or remove the key",
    },
  ]);
});

test("the report of a hostile plan has at most about 20,000 characters, and says how many problems it leaves out", async () => {
  const long = "x".repeat(200);
  const text = `version: 1\n${Array.from({ length: 500 }, (_, index) => `${long}${index}: ${long}\n`).join("")}`;
  const { path } = await workspace({ "plan.yaml": text });
  const error = (await openHost(path("plan.yaml"), { logger: silentLogger }).catch(
    (thrown: unknown) => thrown,
  )) as {
    readonly message: string;
    readonly details: { readonly problems: readonly Problem[] };
  };

  expect(error.message.length).toBeLessThan(21_000);
  expect(error.message).toMatch(/and \d+ more\s*$/);
  expect(JSON.stringify(error.details.problems).length).toBeLessThan(150_000);
});

test.each([
  ["version: 1\ntools:\n  - ./tool.ts\n", "3:5", 'an entry is a map; write "module: ./tool.ts"'],
  ["version: 1\ntools:\n  a: 1\n", "3:3", 'this is a list of entries, each of which begins with "- module:"'],
  [
    "version: 1\ntools:\n  - module: m\n    limits: { timeout: 5s }\n",
    "4:24",
    "limits.timeout: a timeout is a whole number of milliseconds, such as 5000",
  ],
])("%j is refused at %s: %s", async (text, at, message) => {
  const problems = await problemsOf({ "plan.yaml": text });

  expect(problems.map(({ line, column, message: said }) => [`${line}:${column}`, said])).toContainEqual([
    at,
    expect.stringContaining(message),
  ]);
});
