import { describe, expect, test } from "vitest";
import { findPlan, planFileNames } from "../../src/plan/find-plan.ts";
import { readPlan } from "../../src/plan/read-plan.ts";
import { readBases, readParts } from "../../src/plan/read-parts.ts";
import { parsePlan } from "../../src/plan/parse-yaml.ts";
import { createPlanText } from "../../src/diagnostics/source-text.ts";
import type { Problem } from "../../src/index.ts";
import { installed, workspace } from "../workspace.ts";

const shown = (problems: readonly Problem[]) =>
  problems.map(({ line, column, message }) => `${line}:${column} ${message}`);

/** What is wrong with the parts of a plan, without the folder that it is in. */
async function problemsOf(plan: string, files: Record<string, string> = {}, overlays: string[] = []) {
  const { folder } = await workspace({ ...files, "plan.yaml": plan });
  const { problems } = await readParts("plan.yaml", { cwd: folder, overlays });
  return shown(problems).map((text) => text.replaceAll(`${folder}/`, ""));
}

describe("what a plan extends", () => {
  const needed = "extends is a path such as ./base.yaml, a package, or a list of them, without variables";
  test.each<[string, readonly string[], Record<string, string>?]>([
    ["extends: 7", [`1:10 ${needed}`]],
    ["extends: ' '", [`1:10 ${needed}`]],
    ["extends: ./${X}.yaml", [`1:10 ${needed}`]],
    ["extends: [./b.yaml, 7]", [`1:21 ${needed}`], { "b.yaml": "name: b" }],
    ["extends: x/../y", ['1:10 "x/../y" is neither a path nor a package; a path begins with ./ or ../']],
    [
      "extends: https://a.example/x",
      ['1:10 "https://a.example/x" is neither a path nor a package; a path begins with ./ or ../'],
    ],
    ["extends: ./plan.yaml", ["1:10 the plans extend each other in a circle: plan.yaml → plan.yaml"]],
    [
      "extends: ./b.yaml",
      ["1:10 the plans extend each other in a circle: plan.yaml → b.yaml → plan.yaml"],
      { "b.yaml": "extends: ./plan.yaml" },
    ],
    ["extends: ~", []],
    ["extends: []", []],
  ])("%j: %j", async (plan, problems, files = {}) => {
    expect(await problemsOf(plan, files)).toEqual(problems);
  });

  test("is at most 128 files, with the plan", async () => {
    const files = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, at) => [`b${at}.yaml`, `name: b${at}`]));
    const plan = (count: number) =>
      `extends: [${Array.from({ length: count }, (_, at) => `./b${at}.yaml`).join(", ")}]`;

    expect(await problemsOf(plan(127), files(127))).toEqual([]);
    expect(await problemsOf(plan(128), files(128))).toEqual([
      expect.stringMatching(/ a plan has at most 128 files$/),
    ]);
  });

  test("is a file of a package, with or without its ending", async () => {
    const { folder, path } = await workspace({
      ...installed("@acme/plans", "export {};"),
      "node_modules/@acme/plans/mount-plan.yaml": "name: main",
      "node_modules/@acme/plans/strict.yml": "name: strict",
      "node_modules/@acme/plans/deep/more.yaml": "name: more",
    });
    const read = async (item: unknown) => {
      const { parts, problems } = await readBases({ extends: item as never }, folder);
      return problems.length > 0
        ? problems.map(({ code, hint, details }) => [code, details!["tried"], hint])
        : parts.map(
            ({ role, value, file }) =>
              `${role} ${JSON.stringify(value["name"])} ${file?.replace(path(""), "") ?? "-"}`,
          );
    };

    expect(await read("@acme/plans")).toEqual([
      expect.stringMatching(/^base "main" .*mount-plan\.yaml$/),
      "plan undefined -",
    ]);
    expect((await read("@acme/plans/strict"))[0]).toMatch(/^base "strict" .*strict\.yml$/);
    expect((await read("@acme/plans/deep/more.yaml"))[0]).toMatch(/^base "more" /);
    expect(await read("@acme/gone")).toEqual([
      [
        "SOURCE_NOT_FOUND",
        ["@acme/gone"],
        "install the package that has this plan, or write the path of a file",
      ],
    ]);
    expect(await read("@acme/plans/lost")).toEqual([
      [
        "SOURCE_NOT_FOUND",
        Array(planFileNames.length).fill(expect.stringMatching(/@acme\/plans\/lost$/)),
        undefined,
      ],
    ]);
  });
});

describe("an overlay", () => {
  test("cannot extend a plan, and has to be there", async () => {
    expect(await problemsOf("tools: []", { "plan.x.yaml": "name: x\nextends: ./y.yaml" }, ["x"])).toEqual([
      "2:1 an overlay cannot extend a plan; write extends in the plan",
    ]);
    expect(await problemsOf("tools: []", {}, ["gone"])).toEqual([expect.stringContaining("plan.gone.yaml")]);
  });

  test.each(["", "../x", "a b", "x".repeat(65)])("is not called %j", async (name) => {
    const { folder } = await workspace({ "plan.yaml": "tools: []" });
    await expect(readParts("plan.yaml", { cwd: folder, overlays: [name] })).rejects.toMatchObject({
      code: "OPTION_INVALID",
      details: { option: "overlays", problem: "the name of an overlay has 1 to 64 letters, digits, _ and -" },
    });
  });

  test("of 64 letters lies over the plan", async () => {
    const name = "x".repeat(64);
    const { folder } = await workspace({ "plan.yaml": "name: a", [`plan.${name}.yaml`]: "name: b" });
    const { parts } = await readParts("plan.yaml", { cwd: folder, overlays: [name] });
    expect(parts.map(({ role, value }) => [role, value["name"]])).toEqual([
      ["plan", "a"],
      ["overlay", "b"],
    ]);
  });
});

test.each<[string, string]>([
  ["", '1:1 a plan is a map with the key "tools", but this is empty'],
  ["# a plan\n", '1:1 a plan is a map with the key "tools", but this is empty'],
  ["- a\n", '1:1 a plan is a map with the key "tools", but this is a list'],
  ["text", '1:1 a plan is a map with the key "tools", but this is a string'],
  ["7", '1:1 a plan is a map with the key "tools", but this is a number'],
  ["~", '1:1 a plan is a map with the key "tools", but this is empty'],
  ["a: 1\n---\nb: 2\n", "2:1 a plan is one YAML document; this file has several"],
  ["a: \0", "1:4 a plan is a text file; this file contains a zero byte"],
  ["a: 1\nb: 2\na: 3\n", '3:1 the key "a" is there twice; remove one of them'],
  ["a: { <<: { b: 1 } }", "1:6 merge keys (<<) are not allowed; repeat the values"],
  [
    "constructor: 1",
    '1:1 the key "constructor" is not allowed: in JavaScript it names a part of every object',
  ],
  ["? [a]\n: b\n", "1:3 a key must be a plain text"],
  [
    "a: &x [1]\nb: *x\n",
    "2:4 the alias *x is not allowed: an alias can repeat a single value, not a map or a list",
  ],
  ["a: *.md\n", '1:4 a value that begins with * is an alias in YAML; put the text in quotes: "*.md"'],
  ["a: !!set { b }\n", "1:10 the tag tag:yaml.org,2002:set is not allowed; a plan contains plain data"],
  ["a: 9007199254740993\n", "1:4 JSON cannot hold this number exactly; put it in quotes"],
  [`a: ${"[".repeat(33)}${"]".repeat(33)}`, "1:36 maps and lists nest deeper than 32 levels"],
])("the plan %j is refused: %s", (text, problem) => {
  const parsed = parsePlan(createPlanText("plan.yaml", text));
  expect(parsed.ok ? [] : shown(parsed.problems)).toEqual([problem]);
});

test("a plan's file is UTF-8, and there", async () => {
  const { path, folder } = await workspace({
    "plan.yaml": "name: é",
    "long.yaml": `a: "${"x".repeat(262_144)}"`,
  });
  const { writeFile } = await import("node:fs/promises");
  await writeFile(path("bytes.yaml"), Buffer.from([0xff, 0xfe]));
  const problems = async (name: string) => {
    const read = await readPlan(path(name));
    return read.ok ? read.value : shown(read.problems);
  };

  expect(await problems("plan.yaml")).toEqual({ name: "é" });
  expect(await problems("bytes.yaml")).toEqual([
    "1:1 the plan is not UTF-8; save it as UTF-8 (older PowerShell writes UTF-16 with >)",
  ]);
  expect(await problems("long.yaml")).toEqual(["1:1 the plan is larger than 262144 bytes"]);
  await expect(readPlan(path("gone.yaml"))).rejects.toMatchObject({
    code: "PLAN_NOT_FOUND",
    details: { path: path("gone.yaml") },
  });
  await expect(findPlan("gone.yaml", folder)).rejects.toMatchObject({ details: { path: path("gone.yaml") } });
});
