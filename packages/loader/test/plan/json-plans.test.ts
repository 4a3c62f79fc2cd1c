import { silentLogger } from "@toolmount/core";
import { expect, test } from "vitest";
import { loadPlan } from "../../src/mount/load-plan.ts";
import { parsePlan } from "../../src/plan/parse-yaml.ts";
import { createPlanText } from "../../src/diagnostics/source-text.ts";
import { findPosition } from "../../src/diagnostics/positions.ts";
import { workspace } from "../workspace.ts";

const parse = (file: string, text: string) => parsePlan(createPlanText(file, text));

const deny = `"policy": { "deny": ["write_file"] }`;
const denied = { version: 1, policy: { deny: ["write_file"] } };

/** Where a person may write a comment. */
const commented: readonly string[] = [
  `// mine\n{ "version": 1, ${deny} }`,
  `{ // mine\n "version": 1,\n // never write\n ${deny} }`,
  `{ "version": 1, // mine\n ${deny} // end\n}`,
  `{ /* mine */ "version": 1, /* a\n * b */ ${deny} } /* end */`,
  `{ "version": /* one */ 1, ${deny.replace(":", "/**/:")} }\n// end`,
  `\t{\n\t\t// tabs\n\t\t"version": 1,\n\t\t${deny},\n\t}\r\n`,
  `{"version":1,${deny.replace('"]', '",]')},}`,
  `{ "version": 1,//x"\n ${deny} }`,
  `{ "version": 1,/*"*/${deny}/*"*/ }`,
];

test.each([
  "plan.json",
  "plan.jsonc",
  "PLAN.JSON",
  ".toolmountrc",
  ".config/toolmountrc",
  ".toolmountrc.json",
])("a comment in %s removes no part of the plan", (file) => {
  for (const text of commented) expect(parse(file, text), text).toMatchObject({ ok: true, value: denied });
});

test.each(["plan.yaml", ".toolmountrc.yaml", "plan", "/dev/stdin"])(
  "a comment of JSON in %s, which is YAML, is an error with its place",
  (file) => {
    for (const text of commented.slice(0, 6)) {
      expect(parse(file, text), text).toMatchObject({ ok: false });
    }
    expect(parse(file, `{ // mine\n "version": 1, ${deny} }`)).toMatchObject({
      problems: [{ code: "PLAN_SYNTAX", line: 1, column: 3 }],
    });
  },
);

test.each([
  ['{ "version": 1, # mine\n "tools": [] }', "1:17", '"#" cannot stand here'],
  ["{ version: 1 }", "1:3", '"version:" cannot stand here'],
  ["{ 'version': 1 }", "1:3", "keys and texts are in double quotes"],
  ['{ "version": 1, /* never ends\n "tools": [] }', "1:17", '"/*" cannot stand here'],
  ['{ "version": 1', "1:15", "the file ends before the last bracket is closed"],
  ["version: 1\n", "1:1", '"version:" cannot stand here'],
  ['{ "version": 1,, "tools": [] }', "1:16", "cannot stand here"],
  ['{ "version": 1 } { "policy": {} }', "1:18", "cannot stand here"],
  ['{ "a": 1, "a": 2 }', "1:11", "is there twice"],
])("a .json file that is not JSON is an error at its place: %j", (text, place, problem) => {
  const parsed = parse("plan.json", text);
  const problems = parsed.ok ? [] : parsed.problems;

  expect(problems.map(({ line, column }) => `${line}:${column}`)).toEqual([place]);
  expect(problems[0]?.message).toContain(problem);
});

test.each(['// mine "policy"', "/* x */ policy", 'x"policy', 'a: { b: { x" : 1 } }', "tools: [{ //x: 1 }]"])(
  "a key with a quote or a comment of JSON in it is an error in YAML: %s",
  (key) => {
    const text = key.includes(":") ? key : `version: 1\n${key}: { deny: [write_file] }\n`;
    expect(parse("plan.yaml", text)).toMatchObject({ ok: false, problems: [{ code: "PLAN_SYNTAX" }] });
  },
);

test("values of a JSON plan with comments have their places", () => {
  const parsed = parse("plan.json", '{ // one\n  /* two */ "tools": [\n    { "module": "a" } ] }');

  if (!parsed.ok) throw new Error("it did not parse");
  expect(findPosition(parsed.map, ["tools", 0, "module"])).toMatchObject({ line: 3, column: 17 });
});

test("a text with // or a comma before a bracket in it stays as it is", () => {
  const value = { name: 'https://a/*b*/ // ,] "x" \\', tools: [] };

  expect(parse("plan.json", JSON.stringify(value))).toMatchObject({ ok: true, value });
});

test.each([
  ["tools: []\nzzzzzz: { deny: [x] }\n", ["zzzzzz"]],
  ["tools: []\npolicies: { deny: [x] }\n", ["policies"]],
  ["version: 1\nzzzzzz: 1\n", ["zzzzzz"]],
  ["session: { orchestrator: x }\nzzzzzz: 1\n", []],
])("an unknown section is an error in every plan but one of Amplifier: %j", async (text, paths) => {
  const { path, folder } = await workspace({ "plan.yaml": text });
  const { problems } = await loadPlan(path("plan.yaml"), { cwd: folder, env: {}, logger: silentLogger });

  expect(problems.filter(({ code }) => code === "PLAN_KEY_UNKNOWN").map((problem) => problem.path)).toEqual(
    paths,
  );
});
