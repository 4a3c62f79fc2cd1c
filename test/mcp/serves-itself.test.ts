import { readdirSync, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { run, toolmount } from "./support/command.ts";
import { folderOf } from "./support/world.ts";

/** A plan that mounts another one as `toolmount connect` writes it into the list of a client. */
function planThatServes(path: string): string {
  const [command, ...args] = toolmount;
  const mcp = { command, args: [...args, "serve", path, "--stdio"] };
  return JSON.stringify({ version: 1, tools: [{ module: "again", source: { mcp } }] });
}

/** Processes of this machine whose command line has a text. Linux only. */
function processesOf(text: string): string[] {
  return readdirSync("/proc").flatMap((pid) => {
    if (!/^\d+$/.test(pid)) return [];
    try {
      const line = readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
      return line.includes(text) ? [`${pid} ${line}`] : [];
    } catch {
      return []; // it has ended
    }
  });
}

test.each([["list"], ["check"]])(
  "%s of a plan that serves itself names the entry, and leaves no process",
  async (name) => {
    const folder = await folderOf();
    const file = join(folder, "plan.json");
    await writeFile(file, planThatServes(file));

    const { code, stdout, stderr } = await run([name, file], { cwd: folder });

    expect(code).not.toBe(0);
    expect(stdout + stderr).toMatch(/PLAN_SERVES_ITSELF/);
    expect(stdout + stderr).toMatch(/plan\.json:1:\d+/);
    expect(processesOf(folder)).toEqual([]);
  },
);

test("two plans that serve each other are not mounted, and leave no process", async () => {
  const folder = await folderOf();
  const [one, two] = [join(folder, "one.json"), join(folder, "two.json")];
  await writeFile(one, planThatServes(two));
  await writeFile(two, planThatServes(one));

  const { code, stdout, stderr } = await run(["list", one], { cwd: folder });

  expect(code).not.toBe(0);
  expect(stdout + stderr).toMatch(/PLAN_SERVES_ITSELF|module "again" failed to mount/);
  expect(processesOf(folder)).toEqual([]);
});

test("a plan may serve another plan", async () => {
  const folder = await folderOf();
  const [outer, inner] = [join(folder, "outer.json"), join(folder, "inner.json")];
  await writeFile(outer, planThatServes(inner));
  await writeFile(inner, JSON.stringify({ version: 1, tools: [] }));

  const { code, stderr } = await run(["list", outer], { cwd: folder });

  expect([code, stderr]).toEqual([0, ""]);
  expect(processesOf(folder)).toEqual([]);
});
