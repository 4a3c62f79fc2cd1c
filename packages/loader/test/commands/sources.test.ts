import { silentLogger } from "@toolmount/core";
import { expect, test } from "vitest";
import {
  readMcpServers,
  readPlanSources,
  tryEntries,
  type NewEntry,
  type TryOptions,
} from "../../src/commands/index.ts";
import { installed, moduleSource, workspace } from "../workspace.ts";

const quiet = { logger: silentLogger };

test("the servers of a plan are read with their settings, and where the plan keeps state", async () => {
  const { path, folder } = await workspace({
    "plan.yaml": `state: sqlite:./state.db
tools:
  - { module: files, source: { mcp: { command: [npx, "\${SERVER}"] } } }
  - { module: other, id: second, prefix: my_, source: { mcp: { url: "http://a.example" } } }
  - { module: notes }
`,
    "plain.yaml": "state: memory",
  });

  expect(await readMcpServers(path("plan.yaml"), { ...quiet, env: { SERVER: "files" } })).toEqual({
    folder,
    state: "sqlite:./state.db",
    servers: [
      { id: "files", settings: { name: "files", command: ["npx", "files"] } },
      { id: "second", settings: { name: "second", prefix: "my_", url: "http://a.example" } },
    ],
  });
  expect(await readMcpServers(path("plain.yaml"), quiet)).toEqual({ folder, state: undefined, servers: [] });
});

test("the packages and repositories of a plan are listed, and found as they are installed", async () => {
  const { path } = await workspace({
    ...installed("@toolmount/tool-notes", moduleSource("read_note")),
    "one.js": moduleSource("one"),
    "plan.yaml": `tools:
  - { module: notes }
  - { module: far, source: "npm:far@^1", required: false }
  - { module: repo, source: "git+https://git.example/acme/repo" }
  - { module: ./one.js }
  - { module: server, source: { mcp: { command: [npx] } } }
`,
  });
  const { sources, store, problems, env } = await readPlanSources(path("plan.yaml"), {
    ...quiet,
    env: { A: "b" },
  });

  expect([store, problems, env]).toEqual([path(".toolmount/modules"), [], { A: "b" }]);
  expect(sources.map(({ id, required, source }) => [id, required, source.kind])).toEqual([
    ["notes", true, "package"],
    ["far", false, "fetched"],
    ["repo", true, "fetched"],
  ]);
  expect(await sources[0]?.find()).toMatchObject({ name: "@toolmount/tool-notes", version: "1.2.3" });
  await expect(sources[1]?.find()).rejects.toMatchObject({ code: "SOURCE_NOT_FOUND" });
});

const tried = async (entries: readonly NewEntry[], options: Partial<TryOptions> = {}) => {
  const { folder } = await workspace({
    ...installed("@toolmount/tool-notes", moduleSource("read_note"), {
      toolmount: { mounts: ["tools"], tools: [{ name: "read_note", description: "Reads." }] },
    }),
    "one.js": moduleSource("one"),
    "broken.js": "throw new Error('this module ran')",
  });
  return tryEntries(entries, { ...quiet, cwd: folder, env: {}, section: "tools", load: false, ...options });
};

test("an entry is tried without running its module, as far as a manifest goes", async () => {
  expect(await tried([{ module: "notes" }, { module: "./broken.js" }])).toEqual({
    problems: [],
    missing: [],
    unknown: ["./broken.js"],
    mountable: [],
    runs: new Map(),
  });
  expect((await tried([{ module: "gone" }])).problems).toMatchObject([{ code: "SOURCE_NOT_FOUND" }]);
});

test("an entry whose module is imported says what went wrong in it", async () => {
  expect(await tried([{ module: "./one.js" }], { load: true })).toMatchObject({ problems: [], unknown: [] });
  expect((await tried([{ module: "./broken.js" }], { load: true })).problems).toMatchObject([
    { code: "MODULE_IMPORT_FAILED" },
  ]);
});

test("a variable that is not set yet is missing, and nothing is imported until then", async () => {
  const entries = [{ module: "./broken.js", config: { key: "${NOT_SET}" } }];
  const { problems, missing, unknown } = await tried(entries, { load: true });

  expect([problems, unknown]).toEqual([[], []]);
  expect(missing).toMatchObject([{ code: "VARIABLE_MISSING" }]);
});

test("an entry behind a border shows its tools only there, and is not imported", async () => {
  const entries = [
    { module: "./broken.js", run: { in: "process", border: "permission" } },
    { module: "notes" },
  ];
  const options = { extensions: { "@toolmount/workers": { mount: () => null } } };
  const runs = new Map([["./broken.js", { in: "process", border: "permission" }]]);

  expect(await tried(entries, options)).toMatchObject({ unknown: ["./broken.js"], runs, mountable: [] });
  expect(await tried(entries, { ...options, load: true })).toMatchObject({
    problems: [],
    unknown: [],
    runs,
    mountable: [entries[0]],
  });
});
