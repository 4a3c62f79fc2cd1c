import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { TextDocument } from "vscode-languageserver-textdocument";
import { getLanguageService, type Position } from "yaml-language-server";
import { expect, test } from "vitest";
import { root, workspace } from "../support/workspace.ts";

const file = join(root, "packages/cli/schema/mount-plan.schema.json");

let editors = 0;

/** The language server that editors run, reading the schema that the first line of the plan names. */
function openEditor(text: string, schema?: string) {
  // A name of its own: the server keeps what it parsed by name and version.
  const uri = `file:///plans/plan-${++editors}.yaml`;
  const service = getLanguageService({
    schemaRequestService: async (asked) => {
      if (!asked.endsWith("/mount-plan.schema.json")) throw new Error(`asked for ${asked}`);
      return schema ?? readFile(file, "utf8");
    },
    workspaceContext: { resolveRelativePath: (path, resource) => new URL(path, resource).href },
  });
  service.configure({ validate: true, completion: true, hover: true, schemas: [], customTags: [] });
  const document = TextDocument.create(
    uri,
    "yaml",
    1,
    `# yaml-language-server: $schema=./mount-plan.schema.json\n${text}`,
  );
  return {
    problems: async () =>
      (await service.doValidation(document, false)).map(
        ({ message, range: { start } }) => `${start.line}:${start.character} ${JSON.stringify(message)}`,
      ),
    complete: async (position: Position) =>
      (await service.doComplete(document, position, false)).items.map(({ label }) => label),
    hover: async (position: Position) => JSON.stringify(await service.doHover(document, position)),
  };
}

test("an editor finds nothing wrong with the plans that we bring", async () => {
  const folder = join(root, "mount-plans");
  const plans = (await readdir(folder, { recursive: true })).filter((name) => /^[^n].*\.yaml$/.test(name));
  expect(plans.length).toBeGreaterThan(8);
  for (const name of plans) {
    const text = await readFile(join(folder, name), "utf8");
    expect([name, await openEditor(text).problems()]).toEqual([name, []]);
  }
});

test.each([
  ["an unknown key", "version: 1\ntolls: []\n", "2:0 ", "tolls"],
  ["a wrong value", "policy: { level: lax }\n", "1:17 ", "autonomous"],
  [
    "a wrong config of a module",
    "tools:\n  - module: filesystem\n    config: { read_before_write: maybe }\n",
    "3:33 ",
    "boolean",
  ],
  [
    "a config's unknown key",
    "tools:\n  - module: '@toolmount/tool-filesystem'\n    config: { working_dri: . }\n",
    "3:14 ",
    "working_dri",
  ],
  ["a limit of the wrong type", "tools:\n  - { module: x, limits: { timeout: soon } }\n", "2:36 ", "integer"],
  ["a rule's wrong answer", "policy:\n  rules:\n    - { match: {}, answer: perhaps }\n", "3:27 ", "allow"],
])("an editor reports %s at its place", async (_, text, place, message) => {
  const problems = await openEditor(text).problems();

  expect(problems.filter((problem) => problem.startsWith(place)).join("\n")).toContain(message);
});

test("an editor completes keys of the plan, of an entry, of a policy, and of a module's config", async () => {
  const { complete } = openEditor(`version: 1
policy:
  level: standard
  
tools:
  - module: filesystem
    
    config:
      working_dir: .
      
`);

  expect(await complete({ line: 4, character: 2 })).toEqual(
    expect.arrayContaining(["limits", "rules", "budgets"]),
  );
  expect(await complete({ line: 7, character: 4 })).toEqual(
    expect.arrayContaining(["prefix", "tools", "required"]),
  );
  expect(await complete({ line: 10, character: 6 })).toEqual(
    expect.arrayContaining(["allowed_read_paths", "read_before_write"]),
  );
});

test("an editor completes values, and says what a key is", async () => {
  const { complete, hover } = openEditor(
    "policy:\n  level: \ntools:\n  - module: filesystem\n    prefix: x\n",
  );

  expect(await complete({ line: 2, character: 9 })).toEqual(expect.arrayContaining(["standard", "paranoid"]));
  expect(await hover({ line: 5, character: 6 })).toContain("Added before the names of it");
});

test("the schema of one plan knows the configs of its own modules", async () => {
  const { here: run } = await workspace({
    "plan.yaml": "tools: [{ module: ./mine }]\n",
    "mine/package.json": JSON.stringify({
      name: "@acme/mine",
      exports: "./index.js",
      toolmount: {
        mounts: ["tools"],
        static: true,
        tools: [],
        config: { type: "object", properties: { depth: { type: "integer" } } },
      },
    }),
    "mine/index.js": "throw new Error('this module ran')",
  });
  const { code, stdout } = await run(["schema", "plan.yaml"]);

  expect(code).toBe(0);
  expect(stdout).toContain('"depth"');
});

test("the schema of a plan whose modules have no config is one that an editor reads", async () => {
  const plan = "version: 1\ntools: [{ module: ./mine.ts }]\n";
  const { here: run } = await workspace({ "plan.yaml": plan, "mine.ts": "export const a = 1;" });
  const { code, stdout } = await run(["schema", "plan.yaml"]);

  expect(code).toBe(0);
  expect(await openEditor(plan, stdout).problems()).toEqual([]);
  expect(await openEditor("tolls: []\n", stdout).problems()).toHaveLength(1);
});
