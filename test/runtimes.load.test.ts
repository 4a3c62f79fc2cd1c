import { execFile } from "node:child_process";
import {
  copyFile,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rm,
  symlink,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { rolldown } from "rolldown";
import { exec } from "./support/exec.ts";
import { startRegistry } from "./support/registry.ts";
import { npmEnvironment } from "./support/release.ts";

const root = join(import.meta.dirname, "..");

/** The versions that docs/reference/platforms.md names. */
const versions = { bun: "1.4.5", deno: "2.9.6", workerd: "1.20261117.1" };

let runtimes: string;
const program = (name: keyof typeof versions) => join(runtimes, "node_modules/.bin", name);

/** How each runtime starts a program, and which checks it fails, as docs/reference/platforms.md says. */
const programs = [
  { name: "Node", words: () => [process.execPath], fails: [] },
  {
    name: "Bun",
    words: () => [program("bun"), "run"],
    fails: ["a module beside the plan, and a reload", "a tool in a process of its own"],
  },
  {
    name: "Deno",
    words: () => [program("deno"), "run", "-A", "--node-modules-dir=manual"],
    fails: ["a tool in a process of its own"],
  },
];

let folder: string;
beforeAll(async () => {
  runtimes = await installRuntimes();
  folder = await realpath(await mkdtemp(join(tmpdir(), "toolmount-runtimes-")));
  await mkdir(join(folder, "node_modules/@toolmount"), { recursive: true });
  const dependencies: Record<string, string> = { zod: "*" };
  for (const group of ["packages", "tools"])
    for (const name of await readdir(join(root, group))) {
      const own = join(root, group, name);
      const manifest = await readFile(join(own, "package.json"), "utf8").catch(() => "{}");
      const { name: id = "" } = JSON.parse(manifest) as { name?: string };
      if (!id.startsWith("@toolmount/")) continue;
      dependencies[id] = "*";
      await symlink(own, join(folder, "node_modules", id));
    }
  await symlink(join(root, "packages/core/node_modules/zod"), join(folder, "node_modules/zod"));
  await writeFile(join(folder, "package.json"), JSON.stringify({ type: "module", dependencies }));
  for (const file of await readdir(join(root, "test/runtimes")))
    await copyFile(join(root, "test/runtimes", file), join(folder, file));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

interface Check {
  readonly name: string;
  readonly problem: string | null;
}

/** What the checks printed, one JSON object a line, between lines of logs. */
function checksOf(text: string): readonly Check[] {
  const lines = text.split("\n").filter((line) => line.startsWith('{"name":'));
  return lines.map((line) => JSON.parse(line) as Check);
}

const failed = (checks: readonly Check[]) => checks.filter(({ problem }) => problem !== null);

async function installRuntimes(): Promise<string> {
  const { url } = await startRegistry(afterAll);
  const place = await mkdtemp(join(tmpdir(), "toolmount-runtimes-"));
  afterAll(() => rm(place, { recursive: true, force: true }));
  await writeFile(join(place, "package.json"), JSON.stringify({ dependencies: versions }));
  await exec("npm", ["install", "--ignore-scripts"], { cwd: place, env: npmEnvironment(url, place) });
  // Bun's package places its program by a script, which this npm does not run unasked.
  await exec(process.execPath, ["install.js"], { cwd: join(place, "node_modules/bun") });
  return place;
}

describe.each(programs)("$name", ({ words: wordsOf, fails }) => {
  test("runs core, the loader and the tools, but for what the page of platforms names", async () => {
    const run = promisify(execFile);
    const [file = "", ...words] = wordsOf();
    const { stdout } = await run(file, [...words, "run.mjs", "./core.mjs", "./loader.mjs"], { cwd: folder });
    const checks = checksOf(stdout);
    expect(checks).toHaveLength(15);
    expect(
      failed(checks).map(({ name }) => name),
      JSON.stringify(failed(checks)),
    ).toEqual(fails);
  });
});

/** It has no files: what it runs is one module. */
describe("workerd", () => {
  test("runs core, in one module with Zod", async () => {
    const bundle = await rolldown({
      input: join(folder, "worker.mjs"),
      platform: "node",
      external: [/^node:/],
    });
    await bundle.write({ file: join(folder, "worker.js"), format: "esm", codeSplitting: false });
    await bundle.close();
    await writeFile(
      join(folder, "config.capnp"),
      `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (services = [(name = "main", worker = .main)]);
const main :Workerd.Worker = (
  modules = [(name = "worker", esModule = embed "worker.js")],
  compatibilityDate = "2026-11-01",
);
`,
    );
    const run = promisify(execFile);
    const { stdout, stderr } = await run(program("workerd"), ["test", "config.capnp"], { cwd: folder });
    const checks = checksOf(`${stdout}\n${stderr}`);
    expect(checks).toHaveLength(7);
    expect(failed(checks)).toEqual([]);
  });
});

test("the page of platforms names the versions that were tried", async () => {
  const page = await readFile(join(root, "docs/reference/platforms.md"), "utf8");
  const { bun, deno, workerd } = versions;
  const day = workerd.replace(/^1\.(\d{4})(\d\d)(\d\d)\..*/, "$1-$2-$3");

  expect(page).toContain(`| Bun ${bun} `);
  expect(page).toContain(`| Deno ${deno} `);
  expect(page).toContain(`| workerd ${day} `);
});

test.each([
  ["Bun", () => [program("bun")]],
  ["Deno", () => [program("deno"), "run", "-A", "--node-modules-dir=manual"]],
] as const)("in %s the command says that it needs Node", async (name, wordsOf) => {
  const [file = "", ...words] = wordsOf();
  const run = promisify(execFile)(file, [...words, join(root, "packages/cli/bin/toolmount.js"), "list"]);
  const { code, stderr } = (await run.catch((error: unknown) => error)) as { code: number; stderr: string };

  expect(code).toBe(1);
  expect(stderr).toContain(`toolmount needs Node 22.19 or later; this is ${name} `);
});
