import { spawn, spawnSync } from "node:child_process";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";

/** Runs the program in an empty folder, as `npm create toolmount` does. It starts the built command. */
async function create(words: readonly string[]) {
  const cwd = await mkdtemp(join(tmpdir(), "toolmount-create-"));
  onTestFinished(() => rm(cwd, { recursive: true }));
  const main = join(import.meta.dirname, "../src/main.ts");
  const child = spawn(process.execPath, [main, ...words], { cwd, stdio: ["ignore", "pipe", "pipe"] });
  const code = new Promise<number | null>((resolve, reject) =>
    child.on("error", reject).on("close", resolve),
  );
  const [status, stdout, stderr] = await Promise.all([code, text(child.stdout), text(child.stderr)]);
  return { code: status, output: stdout + stderr, files: () => readdir(join(cwd, "my-tools")) };
}

test("npm create toolmount my-tools writes a plan and a first tool", async () => {
  const { code, output, files } = await create(["my-tools", "--yes"]);

  expect([code, output]).toEqual([0, expect.stringContaining("mount-plan.yaml")]);
  expect(await files()).toEqual(expect.arrayContaining(["mount-plan.yaml", "package.json", "tools"]));
});

test("it ends as the command does: an unknown option is wrong usage", async () => {
  const { code, output } = await create(["my-tools", "--no-such-option"]);

  expect([code, output]).toEqual([2, expect.stringContaining("--no-such-option")]);
});

test("on a Node that is too old it says which one it needs", async () => {
  const cwd = await mkdtemp(join(tmpdir(), "toolmount-create-"));
  onTestFinished(() => rm(cwd, { recursive: true }));
  const old = join(cwd, "old.cjs");
  const versions = `{ value: { ...process.versions, node: "18.20.8" } }`;
  await writeFile(old, `Object.defineProperty(process, "versions", ${versions});`);
  const bin = join(import.meta.dirname, "../bin/create-toolmount.js");
  const { status, stderr } = spawnSync(process.execPath, ["-r", old, bin, "my-tools"], { encoding: "utf8" });

  expect([status, stderr]).toEqual([1, "toolmount needs Node 22.19 or later; this is Node 18.20.8\n"]);
});
