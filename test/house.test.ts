import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { exceptions, shortFiles, tables } from "./house-table.ts";
import { inspectHouse } from "./support/house.ts";
import { findUnreadTypes } from "./support/unread-types.ts";

const core = { "@toolmount/core": "workspace:^" };

test("every manifest, import, file size and folder of this repository follows test/house-table.ts", async () => {
  expect(
    await inspectHouse(join(import.meta.dirname, ".."), [...tables, ...shortFiles, ...exceptions]),
  ).toEqual([]);
});

test("the map in CONTRIBUTING.md names every package, and no other", async () => {
  const root = join(import.meta.dirname, "..");
  const map = await readFile(join(root, "CONTRIBUTING.md"), "utf8");
  const folders = await readdir(join(root, "packages"));

  const named = [...map.matchAll(/^\| `packages\/([\w-]+)` +\|/gm)].map(([, name]) => name);

  expect(new Set(named)).toEqual(new Set(folders));
});

test("packages of toolmount share at most 20 values of core that have no room of their own", async () => {
  const internals = await import("@toolmount/core/internal");

  expect(Object.keys(internals).length).toBeLessThanOrEqual(20);
});

test("no source file exports a type that no other file names", async () => {
  expect(await findUnreadTypes(join(import.meta.dirname, ".."))).toEqual([]);
});

test("a type that is exported for no other file is found", async () => {
  const root = await plant({
    "tools/notes/src/note.ts": "export type Read = string;\nexport interface Unread {}\ninterface Own {}",
    "tools/notes/src/read.ts": 'import type { Read } from "./note.ts";',
    "tools/notes/src/other.ts": "// Unread is a word here.",
  });

  expect(await findUnreadTypes(root)).toEqual(["tools/notes/src/note.ts: Unread"]);
});

test("a repository that follows the table has no problem", async () => {
  expect(await inspectHouse(await plant({}), [])).toEqual([]);
});

test.each([
  {
    title: "an upward import",
    plant: { "packages/core/src/index.ts": 'import { openHost } from "@toolmount/loader";' },
    problem: "packages/core/src/index.ts:1: may not import @toolmount/loader",
  },
  {
    title: "an upward import of a type",
    plant: {
      "packages/core/src/host/create-host.ts": '\nexport type Plan = import("@toolmount/loader").Plan;',
    },
    problem: "packages/core/src/host/create-host.ts:2: may not import @toolmount/loader",
  },
  {
    title: "an upward import made when it is needed",
    plant: {
      "packages/core/src/host/create-host.ts": 'export const open = () => import("@toolmount/loader");',
    },
    problem: "packages/core/src/host/create-host.ts:1: may not import @toolmount/loader",
  },
  {
    title: "an upward re-export beside the package's own folder",
    plant: { "packages/core/src/index.ts": 'export * from "../../loader/src/index.ts";' },
    problem: "packages/core/src/index.ts:1: leaves its package to import ../../loader/src/index.ts",
  },
  {
    title: "a library that is not in the table",
    plant: {
      "packages/loader/package.json": manifest("@toolmount/loader", {
        dependencies: { ...core, lodash: "catalog:" },
      }),
    },
    problem: "packages/loader/package.json: may not depend on lodash",
  },
  {
    title: "an import that the manifest does not list",
    plant: { "packages/loader/src/index.ts": 'import { parse } from "yaml";' },
    problem: "packages/loader/src/index.ts:1: does not list among its dependencies yaml",
  },
  {
    title: "a package that is not in the table",
    plant: { "packages/extra/package.json": manifest("@toolmount/extra") },
    problem: "packages/extra/package.json: @toolmount/extra is not in the table of packages",
  },
  {
    title: "a tool that imports a tool",
    plant: { "tools/notes/src/index.ts": 'import { mount } from "@toolmount/tool-bash";' },
    problem: "tools/notes/src/index.ts:1: may not import @toolmount/tool-bash",
  },
  {
    title: "a tool with a core of its own",
    plant: {
      "tools/notes/package.json": manifest("@toolmount/tool-notes", {
        dependencies: core,
      }),
    },
    problem: "tools/notes/package.json: has @toolmount/core as a dependency, not as a peer",
  },
  {
    title: "a version outside the catalog",
    plant: {
      "tools/notes/package.json": manifest("@toolmount/tool-notes", {
        peerDependencies: core,
        dependencies: { zod: "^4.0.0" },
      }),
    },
    problem: "tools/notes/package.json: names a version of zod: ^4.0.0",
  },
  {
    title: "a package without one of the scripts",
    plant: {
      "tools/notes/package.json": manifest("@toolmount/tool-notes", {
        peerDependencies: core,
        scripts: { build: "", types: "", test: "" },
      }),
    },
    problem: "tools/notes/package.json: has no script named pack:check",
  },
  {
    title: "a package without a test file, whose script fails in a pull request",
    plant: { "tools/bare/package.json": manifest("@toolmount/tool-bare", { peerDependencies: core }) },
    problem: "tools/bare/package.json: has a script named test, and no test file",
  },
  {
    title: "a package that the solution does not know",
    plant: { "tools/notes/tsconfig.json": "{}" },
    problem: "tsconfig.json: does not reference tools/notes",
  },
  {
    title: "an import of a computed name",
    plant: { "packages/core/src/host/create-host.ts": "export const load = (name: string) => import(name);" },
    problem: "packages/core/src/host/create-host.ts:1: imports a computed name: name",
  },
  {
    title: "the environment read",
    plant: { "packages/loader/src/index.ts": "export const home = () => process.env.HOME;" },
    problem: "packages/loader/src/index.ts:1: may not read process.env",
  },
  {
    title: "the environment imported",
    plant: { "packages/loader/src/index.ts": 'import { env } from "node:process";' },
    problem: "packages/loader/src/index.ts:1: may not read process",
  },
  {
    title: "the clock read",
    plant: { "packages/loader/src/index.ts": "export const now = () => new Date();" },
    problem: "packages/loader/src/index.ts:1: may not read new Date()",
  },
  {
    title: "a write to the console",
    plant: { "tools/notes/src/index.ts": 'console.log("hello");' },
    problem: "tools/notes/src/index.ts:1: may not read console",
  },
  {
    title: "a declaration that Node 22 cannot parse",
    plant: { "tools/notes/src/index.ts": "export async function use() {\n  await using one = open();\n}" },
    problem: "tools/notes/src/index.ts:2: Node 22 cannot parse await using",
  },
  {
    title: "a file of helpers",
    plant: { "packages/core/src/utils.ts": "export const one = 1;" },
    problem: "packages/core/src/utils.ts: is named utils.ts, not for one idea",
  },
  {
    title: "a folder of types",
    plant: { "tools/notes/src/types/note.ts": "export type Note = string;" },
    problem: "tools/notes/src/types/note.ts: is in a folder of types, not beside the code that uses them",
  },
  {
    title: "a second barrel",
    plant: { "tools/notes/src/run/index.ts": 'export * from "../index.ts";' },
    problem: "tools/notes/src/run/index.ts: only re-exports, and no entry of exports names it",
  },
  {
    title: "an import from a folder that is above its own",
    plant: { "packages/core/src/json/json.ts": '\nimport { Host } from "../host/host.ts";' },
    problem: "packages/core/src/json/json.ts:2: json is below host, so it may not import ../host/host.ts",
  },
  {
    title: "a type import from a folder that is above its own",
    plant: { "packages/core/src/call/find.ts": 'import type { Host } from "../host/host.ts";' },
    problem: "packages/core/src/call/find.ts:1: call is below host, so it may not import ../host/host.ts",
  },
  {
    title: "an import between folders of one rank",
    plant: {
      "packages/core/src/text/glob.ts": 'export type Permit = import("../scheduling/permit.ts").Permit;',
    },
    problem:
      "packages/core/src/text/glob.ts:1: text is not above scheduling, so it may not import ../scheduling/permit.ts",
  },
  {
    title: "an import of a file above all folders",
    plant: { "packages/core/src/host/host.ts": 'import { one } from "../one.ts";' },
    problem: "packages/core/src/host/host.ts:1: host is below src, so it may not import ../one.ts",
  },
  {
    title: "a folder that the order does not name",
    plant: { "packages/core/src/misc/one.ts": "export const one = 1;" },
    problem: "packages/core/src/misc/one.ts: is in misc, which the order of folders does not name",
  },
  {
    title: "a hop of a call that takes more than 300 lines",
    plant: { "packages/core/src/call/long.ts": "export const one = 1;\n".repeat(301) },
    problem: "packages/core/src/call/long.ts: has 301 lines, more than 300",
  },
  {
    title: "a file of more than 250 lines",
    plant: { "tools/notes/src/long.ts": "export const one = 1;\n".repeat(251) },
    problem: "tools/notes/src/long.ts: has 251 lines, more than 250",
  },
  {
    title: "a function of more than 60 lines",
    plant: { "tools/notes/src/long.ts": `\nexport function long() {${"\n".repeat(60)}}\n` },
    problem: "tools/notes/src/long.ts:2: holds a function longer than 60 lines: 61",
  },
  {
    title: "a folder of more than 22 files",
    plant: Object.fromEntries(
      Array.from({ length: 23 }, (_, at) => [`tools/notes/src/many/file-${at}.ts`, "export const one = 1;"]),
    ),
    problem: "tools/notes/src/many: holds 23 files, more than 22",
  },
  {
    title: "a short file with one reader",
    plant: {
      "tools/notes/src/index.ts": 'import { one } from "@toolmount/core";\nimport { two } from "./two.ts";',
      "tools/notes/src/two.ts": "export const two = 2;",
    },
    problem:
      "tools/notes/src/two.ts: has 1 lines, and only tools/notes/src/index.ts imports it, where it fits",
  },
])("$title is found", async ({ plant: files, problem }) => {
  expect(await inspectHouse(await plant(files), [])).toEqual([problem]);
});

test.each([
  {
    title: "core's one file",
    path: "packages/core/src/import/import-module.ts",
    code: "export const load = (name: string) => import(name);",
  },
  {
    title: "the command",
    path: "packages/cli/src/main.ts",
    code: "console.log(process.env.HOME, process.cwd(), Date.now());",
  },
  {
    title: "a literal import",
    path: "packages/loader/src/lazy.ts",
    code: 'export const load = () => import("./index.ts");',
  },
])("$title may do what it is for", async ({ path, code }) => {
  expect(await inspectHouse(await plant({ [path]: code }), [])).toEqual([]);
});

test("an exception is accepted while it is needed, and is a problem afterwards", async () => {
  const accepted = [{ path: "tools/notes/src/long.ts", because: "a table" }];
  const long = await plant({ "tools/notes/src/long.ts": "export const one = 1;\n".repeat(251) });
  const short = await plant({ "tools/notes/src/long.ts": "export const one = 1;" });

  expect(await inspectHouse(long, accepted)).toEqual([]);
  expect(await inspectHouse(short, accepted)).toEqual([
    "test/house-table.ts: delete the exception for tools/notes/src/long.ts, it is not needed",
  ]);
});

/** Lays out a small house in a folder of its own, with `files` added to it or replaced in it. */
async function plant(files: Record<string, string>): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), "toolmount-house-"));
  onTestFinished(() => rm(root, { recursive: true }));
  const house = {
    "tsconfig.json": "{}",
    "packages/core/package.json": manifest("@toolmount/core"),
    "packages/core/src/index.ts": 'export { one } from "./one.ts";',
    "packages/core/src/one.ts": 'import { join } from "node:path";',
    "packages/loader/package.json": manifest("@toolmount/loader", { dependencies: core }),
    "packages/loader/src/index.ts": 'import { one } from "@toolmount/core";',
    "packages/cli/package.json": manifest("toolmount", { dependencies: core }),
    "tools/notes/package.json": manifest("@toolmount/tool-notes", { peerDependencies: core }),
    "tools/notes/src/index.ts": 'import { one } from "@toolmount/core";',
    ...Object.fromEntries(
      ["packages/core", "packages/loader", "packages/cli", "tools/notes"].map((folder) => [
        `${folder}/test/one.test.ts`,
        "",
      ]),
    ),
    ...files,
  };
  for (const [path, text] of Object.entries(house)) {
    await mkdir(join(root, dirname(path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
  return root;
}

function manifest(name: string, rest: object = {}): string {
  const scripts = { build: "tsc -b", types: "tsc -b test", test: "vitest run", "pack:check": "publint" };
  const exports = { ".": { "@toolmount/source": "./src/index.ts" } };
  return JSON.stringify({ name, exports, scripts, ...rest });
}
