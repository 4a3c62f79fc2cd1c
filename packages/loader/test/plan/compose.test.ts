import { silentLogger } from "@toolmount/core";
import fc from "fast-check";
import { expect, test } from "vitest";
import { stringify } from "yaml";
import { mergeParts } from "../../src/plan/merge-parts.ts";
import { openHost, type Problem } from "../../src/index.ts";
import type { PlanPart } from "../../src/plan/read-parts.ts";
import { loadPlan } from "../../src/mount/load-plan.ts";
import { parsePlan } from "../../src/plan/parse-yaml.ts";
import { findHistory, findPosition } from "../../src/diagnostics/positions.ts";
import { createPlanText } from "../../src/diagnostics/source-text.ts";
import { installed, moduleSource, toolFile, workspace } from "../workspace.ts";

const quiet = { logger: silentLogger };

async function load(files: Record<string, string>, overlays: string[] = [], env = {}) {
  const { folder, path } = await workspace(files);
  const loaded = await loadPlan(path("plan.yaml"), { ...quiet, cwd: folder, env, overlays });
  const at = (...where: (string | number)[]) => {
    const position = findPosition(loaded.map, where);
    return position && `${position.file.slice(folder.length + 1)}:${position.line}`;
  };
  const history = (...where: (string | number)[]) =>
    findHistory(loaded.map, where).map(({ file, line }) => `${file.slice(folder.length + 1)}:${line}`);
  return { ...loaded, at, history, value: loaded.opened.written };
}

async function problemsOf(
  files: Record<string, string>,
  overlays: string[] = [],
): Promise<readonly Problem[]> {
  const { path } = await workspace(files);
  const error: unknown = await openHost(path("plan.yaml"), { ...quiet, env: {}, overlays }).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  return (error as { details: { problems: readonly Problem[] } }).details.problems;
}

const parted = {
  "base.yaml": `version: 1
name: base
policy:
  level: standard
  limits: { timeout: 1000, concurrent: 4 }
tools:
  - module: notes
    config: { root: ./a, deep: { x: 1, y: 2 }, list: [1, 2] }
  - { module: web, id: net, config: { depth: 1 } }
`,
  "plan.yaml": `extends: ./base.yaml
name: mine
tools:
  - id: net
    config: { depth: 2 }
  - module: more
`,
  "plan.production.yaml": `policy: { limits: { timeout: 9 } }
tools:
  - module: notes
    config: { deep: { y: 3 }, list: [9] }
`,
};

test("AMP-N12: parts make one plan: maps are merged, lists replaced, entries matched by their id", async () => {
  const { value, at, history, opened } = await load(parted, ["production"]);

  expect(value).toEqual({
    version: 1,
    name: "mine",
    policy: { level: "standard", limits: { timeout: 9, concurrent: 4 } },
    tools: [
      { module: "notes", config: { root: "./a", deep: { x: 1, y: 3 }, list: [9] } },
      { module: "web", id: "net", config: { depth: 2 } },
      { module: "more" },
    ],
  });
  expect(opened.files.map((file) => file.split("/").at(-1))).toEqual([
    "base.yaml",
    "plan.yaml",
    "plan.production.yaml",
  ]);
  expect(at("name")).toBe("plan.yaml:2");
  expect(at("policy", "limits", "timeout")).toBe("plan.production.yaml:1");
  expect(at("policy", "limits", "concurrent")).toBe("base.yaml:5");
  expect(at("tools", 0, "config", "deep", "x")).toBe("base.yaml:8");
  expect(at("tools", 0, "config", "list", 0)).toBe("plan.production.yaml:4");
  expect(at("tools", 1, "config", "depth")).toBe("plan.yaml:5");
  expect(at("tools", 2, "module")).toBe("plan.yaml:6");
  expect(history("tools", 0, "config", "deep", "y")).toEqual(["plan.production.yaml:4", "base.yaml:8"]);
});

test.each(["tools", "hooks", "providers"])(
  "entries of %s in two parts are matched by their id",
  async (section) => {
    const { value } = await load({
      "base.yaml": `${section}: [{ module: a, config: { x: 1 } }, { module: b }]\n`,
      "plan.yaml": `extends: ./base.yaml\n${section}: [{ module: a, config: { y: 2 } }]\n`,
    });

    expect(value[section]).toEqual([{ module: "a", config: { x: 1, y: 2 } }, { module: "b" }]);
  },
);

test("the same plan without its overlay has other values", async () => {
  expect((await load(parted)).value).toMatchObject({ policy: { limits: { timeout: 1000 } } });
});

test("bases come in the order written, what they extend before them, and a base that is reached twice once", async () => {
  const say = (name: string, base?: string) =>
    `${base === undefined ? "" : `extends: ${base}\n`}x-${name}: 1\nx-last: ${name}\n`;
  const { value, opened } = await load({
    "root.yaml": say("root"),
    "a.yaml": say("a", "./root.yaml"),
    "b.yaml": say("b", "./root.yaml"),
    "plan.yaml": "extends: [./a.yaml, ./b.yaml]\ntools: []\n",
  });

  expect(opened.files.map((file) => file.split("/").at(-1))).toEqual([
    "root.yaml",
    "a.yaml",
    "b.yaml",
    "plan.yaml",
  ]);
  expect(value).toEqual({ "x-root": 1, "x-a": 1, "x-b": 1, "x-last": "b", tools: [] });
});

test("an entry of a base can be removed, and an entry that names another module inherits no source", async () => {
  const { value, at } = await load({
    "base.yaml":
      "tools:\n  - { module: a }\n  - { module: b, source: npm:b }\n  - { module: c, config: { x: 1 } }\n",
    "plan.yaml": "extends: ./base.yaml\ntools:\n  - { module: a, remove: true }\n  - { id: b, module: bb }\n",
  });

  expect(value["tools"]).toEqual([
    { module: "bb", id: "b" },
    { module: "c", config: { x: 1 } },
  ]);
  expect(at("tools", 0, "module")).toBe("plan.yaml:4");
  expect(at("tools", 1, "config", "x")).toBe("base.yaml:4");
});

test("a base is a file of a package; what it names is found from there, and what its modules read from the plan's folder", async () => {
  const { path } = await workspace({
    ...installed("@acme/plans", "export {};", { exports: { "./x": "./x.js" } }),
    "node_modules/@acme/plans/mount-plan.yaml":
      "tools:\n  - module: ./beside.js\n    source: ./beside.js\n  - module: notes\n",
    "node_modules/@acme/plans/strict.yaml":
      "extends: ./mount-plan.yaml\ntools: [{ module: notes, remove: true }]\n",
    "node_modules/@acme/plans/beside.js": moduleSource(
      "beside",
      "coordinator.logger.info(coordinator.getCapability('session.working_dir'));",
    ),
    ...Object.fromEntries(
      Object.entries(installed("@toolmount/tool-notes", moduleSource("note"))).map(([name, text]) => [
        `node_modules/@acme/plans/${name}`,
        text,
      ]),
    ),
    "plan.yaml": "extends: '@acme/plans'\n",
    "strict.yaml": "extends: '@acme/plans/strict'\n",
  });
  const names = async (file: string) => {
    await using host = await openHost(path(file), quiet);
    return host.tools().map(({ name }) => name);
  };

  expect(await names("plan.yaml")).toEqual(["beside", "note"]);
  expect(await names("strict.yaml")).toEqual(["beside"]);
});

test.each<[string, string, Record<string, string>, string]>([
  ["a file that is not there", "extends: ./gone.yaml", {}, "1:10 PLAN_NOT_FOUND"],
  ["a package that is not there", "extends: '@acme/gone'", {}, "1:10 SOURCE_NOT_FOUND"],
  ["itself", "extends: ./plan.yaml", {}, "1:10 PLAN_VALUE_INVALID"],
  ["what extends it", "extends: ./b.yaml", { "b.yaml": "\nextends: ./plan.yaml" }, "2:10 PLAN_VALUE_INVALID"],
  ["a variable", "extends: ./${X}.yaml", {}, "1:10 PLAN_VALUE_INVALID"],
  ["a URL", "extends: https://example.com/x.yaml", {}, "1:10 PLAN_VALUE_INVALID"],
  ["a way out of a package", "extends: x/../../y.yaml", {}, "1:10 PLAN_VALUE_INVALID"],
  ["a number", "extends: 7", {}, "1:10 PLAN_VALUE_INVALID"],
  ["no plan", "extends: ./b.yaml", { "b.yaml": "- a" }, "1:1 PLAN_SYNTAX"],
  ["a file with invalid syntax", "extends: ./b.yaml", { "b.yaml": "a: [" }, "1:4 PLAN_SYNTAX"],
])("a plan that extends %s is refused at the place of the problem", async (_, text, files, problem) => {
  const [first, ...others] = await problemsOf({ ...files, "plan.yaml": `${text}\ntools: []\n` });

  expect(others).toEqual([]);
  expect(`${first?.line}:${first?.column} ${first?.code}`).toBe(problem);
});

test("an unused override is reported at its place, with a near name", async () => {
  const problems = await problemsOf(
    {
      "plan.yaml": "tools: []\nhooks: []\n",
      "plan.ci.yaml":
        "tools:\n  - { id: fiels, config: {} }\n  - { module: gone, remove: true }\nhooks: [{ id: x }]\n",
    },
    ["ci"],
  );

  expect(problems.map(({ line, message }) => [line, message])).toEqual([
    [2, expect.stringContaining('no plan below has an entry "fiels" to change') as string],
    [3, expect.stringContaining('no plan below has an entry "gone" to change') as string],
    [4, expect.stringContaining('no plan below has an entry "x" to change') as string],
  ]);
});

test("a missing overlay, and an overlay that extends a plan, are reported", async () => {
  expect(await problemsOf({ "plan.yaml": "tools: []" }, ["gone"])).toMatchObject([
    { code: "PLAN_NOT_FOUND" },
  ]);
  expect(
    await problemsOf({ "plan.yaml": "tools: []", "plan.x.yaml": "tools: []\nextends: ./y.yaml\n" }, ["x"]),
  ).toMatchObject([{ code: "PLAN_VALUE_INVALID", line: 2 }]);
  await expect(load({ "plan.yaml": "tools: []" }, ["../x"])).rejects.toMatchObject({
    code: "OPTION_INVALID",
  });
});

test("FORGE-N31: keys such as __proto__ are refused in every plan", async () => {
  const [problem] = await problemsOf({
    "plan.yaml": "extends: ./b.yaml\ntools: []\n",
    "b.yaml": "policy: { __proto__: { polluted: 1 } }",
  });

  expect(problem).toMatchObject({ code: "PLAN_SYNTAX", line: 1, column: 11 });
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
});

test("the text of a file is a value, starts at the file that names it, and is masked in every message", async () => {
  const files = {
    "secret.txt": "s3cret-of-mine\n",
    "sub/secret.txt": "another-one",
    "sub/base.yaml": "x-base: '${file:secret.txt}'\n",
    "plan.yaml":
      "extends: ./sub/base.yaml\ntools: [{ module: ./t.ts, config: { key: 'a ${file:./secret.txt} b' } }]\n",
    "t.ts": toolFile("t"),
  };
  const { modules, mask, opened } = await load(files);

  expect(modules[0]?.config).toEqual({ key: "a s3cret-of-mine b" });
  expect(opened.written).toMatchObject({ "x-base": "${file:secret.txt}" });
  expect(mask("it was s3cret-of-mine and another-one")).toBe(
    "it was ${file:./secret.txt} and ${file:secret.txt}",
  );
});

test.each<[string, Record<string, string>, string]>([
  ["gone.txt", {}, "the file does not exist"],
  ["sub", { "sub/x": "" }, "it is not a file"],
  ["/dev/zero", {}, "it is not a file"],
  ["long.txt", { "long.txt": "x".repeat(70_000) }, "it has more than 65536 bytes"],
])("${file:%s} without a value is reported at its place", async (name, files, problem) => {
  const problems = await problemsOf({ ...files, "plan.yaml": `tools: []\nname: "\${file:${name}}"\n` });

  expect(problems).toMatchObject([
    { code: "PLAN_VALUE_INVALID", line: 2, message: expect.stringContaining(problem) as string },
  ]);
});

/** Small plans of the same keys and ids, so that parts meet. */
const plans = fc.record(
  {
    name: fc.constantFrom("a", "b"),
    policy: fc.dictionary(
      fc.constantFrom("x", "y"),
      fc.oneof(fc.integer(), fc.array(fc.integer(), { maxLength: 2 })),
    ),
    tools: fc.uniqueArray(
      fc.record({
        module: fc.constantFrom("m", "n", "o"),
        config: fc.dictionary(fc.constantFrom("p", "q"), fc.oneof(fc.integer(), fc.constant({ r: 1 }))),
      }),
      { selector: ({ module }) => module, maxLength: 3 },
    ),
  },
  { requiredKeys: [] },
);

test("each merged value is that of the highest plan, and its place is there", () => {
  fc.assert(
    fc.property(fc.array(plans, { minLength: 1, maxLength: 4 }), (documents) => {
      const parts = documents.map((document, index): PlanPart => {
        const file = `${index}.yaml`;
        const parsed = parsePlan(
          createPlanText(file, stringify({ ...document, "x-own": index }, { aliasDuplicateObjects: false })),
        );
        if (!parsed.ok) throw new Error("it did not parse");
        return { role: "base", file, folder: "/", value: parsed.value, map: parsed.map };
      });
      const { value, map, problems } = mergeParts({ parts, problems: [] });
      const fileOf = (...path: (string | number)[]) => findPosition(map, path)?.file;
      const last = (has: (document: (typeof documents)[number]) => boolean) => documents.findLastIndex(has);

      expect(problems).toEqual([]);
      expect(value["x-own"]).toBe(documents.length - 1);
      for (const [key, inner] of Object.entries((value["policy"] ?? {}) as Record<string, unknown>)) {
        const at = last(({ policy }) => policy !== undefined && key in policy);
        expect([inner, fileOf("policy", key)]).toEqual([documents[at]?.policy?.[key], `${at}.yaml`]);
      }
      const tools = (value["tools"] ?? []) as { module: string; config: Record<string, unknown> }[];
      expect(new Set(tools.map(({ module }) => module)).size).toBe(tools.length);
      for (const [index, { module, config }] of tools.entries())
        for (const key of Object.keys(config)) {
          const entry = ({ tools: list }: (typeof documents)[number]) =>
            list?.find((one) => one.module === module);
          const at = last((document) => key in (entry(document)?.config ?? {}));
          expect([config[key], fileOf("tools", index, "config", key)]).toEqual([
            entry(documents[at]!)?.config[key],
            expect.stringMatching(/^\d\.yaml$/),
          ]);
        }
    }),
  );
});

test("a plan merged over itself stays the same", () => {
  fc.assert(
    fc.property(plans, (document) => {
      const parsed = parsePlan(
        createPlanText("p.yaml", stringify({ ...document, "x-own": 1 }, { aliasDuplicateObjects: false })),
      );
      if (!parsed.ok) throw new Error("it did not parse");
      const part: PlanPart = {
        role: "plan",
        file: "p.yaml",
        folder: "/",
        value: parsed.value,
        map: parsed.map,
      };

      expect(mergeParts({ parts: [part, part], problems: [] }).value).toEqual(parsed.value);
    }),
  );
});
