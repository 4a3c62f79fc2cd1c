import { once, EventEmitter } from "node:events";
import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { silentLogger } from "@toolmount/core";
import { openHost } from "@toolmount/loader";
import { expect, onTestFinished, test } from "vitest";
import { watchPlan } from "../../src/host/watch-plan.ts";
import { oneTool, planOf, workspace } from "../support/workspace.ts";

const tool = (name: string) => oneTool({ name, schema: "", body: "return data({ name: tool.name });" });

/** A host whose plan is watched; `line` is the next line that the watch says. */
async function watched(files: Readonly<Record<string, string>>) {
  const { folder } = await workspace(files);
  const plan = Object.keys(files).find((path) => path.endsWith("plan.yaml"))!;
  const host = await openHost(join(folder, plan), { logger: silentLogger });
  const lines: string[] = [];
  const said = new EventEmitter();
  const stop = await watchPlan(host, (line) => {
    lines.push(line);
    said.emit("line");
  });
  onTestFinished(async () => {
    await stop();
    await host.close();
  });
  const line = async () => {
    if (lines.length === 0) await once(said, "line");
    return lines.shift();
  };
  // In one step, so that the watch sees all of them at once.
  const write = (written: Readonly<Record<string, string>>) => {
    for (const [path, text] of Object.entries(written)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
  };
  const names = () => host.tools().map(({ name }) => name);
  return { folder, host, line, lines, write, names, stop };
}

test("each change of the plan is a line with what became of it", async () => {
  const { line, write, names } = await watched({ "plan.yaml": planOf("./a.ts"), "a.ts": tool("a") });

  write({ "b.ts": tool("b"), "plan.yaml": planOf("./a.ts", "./b.ts") });
  expect(await line()).toBe("↻ b.ts and 1 other file: reloaded, generation 2: ./b.ts mounted, 1 kept");
  write({ "plan.yaml": "version: 1\ntools:\n  - modul: ./a.ts\n" });
  expect(await line()).toBe(
    '✖ plan.yaml: not reloaded, the tools are as before: "module" is missing at plan.yaml:3',
  );
  expect(names()).toEqual(["a", "b"]);
  write({ "plan.yaml": planOf("./b.ts") });
  expect(await line()).toBe("↻ plan.yaml: reloaded, generation 3: ./a.ts removed, 1 kept");
  expect(names()).toEqual(["b"]);
});

test("files that belong to no module or plan change nothing", async () => {
  const { line, write, lines } = await watched({
    "plan.yaml": planOf("./inner/a.ts"),
    "inner/a.ts": tool("a"),
    "inner/deep/words.md": "",
    "inner/node_modules/x/index.js": "",
    "inner/.git/config.json": "",
    ".toolmount/state.json": "{}",
  });

  write({
    "plan.yaml~": "",
    "inner/a.ts.swp": "",
    ".toolmount/state.json": "[]",
    "inner/node_modules/x/index.js": "1",
    "inner/.git/config.json": "{}",
  });
  write({ "inner/deep/words.md": "new" });
  expect(await line()).toBe("↻ inner/deep/words.md: reloaded, generation 2: 1 kept");
  expect(lines).toEqual([]);
});

test("a module whose folder is replaced is mounted again, and watched again", async () => {
  const { folder, line, write, names } = await watched({
    "plan.yaml": planOf("./inner/a.ts"),
    "inner/a.ts": tool("a"),
  });

  rmSync(join(folder, "inner"), { recursive: true });
  expect(await line()).toBe(
    `✖ inner/a.ts: not reloaded, the tools are as before: module "./inner/a.ts" was not found; tried ${join(folder, "inner/a.ts")} at plan.yaml:3`,
  );
  write({ "inner/a.ts": tool("b") });
  expect(await line()).toBe("↻ inner: reloaded, generation 2: ./inner/a.ts mounted, 0 kept");
  write({ "inner/a.ts": tool("c") });
  expect(await line()).toBe("↻ inner/a.ts: reloaded, generation 3: ./inner/a.ts mounted, 0 kept");
  expect(names()).toEqual(["c"]);
});

test("a module far below a folder that is gone is found when all of it is there again", async () => {
  const { folder, line, write, names } = await watched({
    "plan.yaml": planOf("./far/below/a.ts"),
    "far/below/a.ts": tool("a"),
  });

  rmSync(join(folder, "far"), { recursive: true });
  expect(await line()).toMatch(/^✖ far\/below\/a\.ts: not reloaded, /);
  write({ "far/below/a.ts": tool("b"), "far/readme.txt": "" });
  expect(await line()).toMatch(
    /^↻ far(?:\/below)?: reloaded, generation 2: \.\/far\/below\/a\.ts mounted, 0 kept$/,
  );
  expect(names()).toEqual(["b"]);
});

test("while a folder is gone, sources beside it are of no account", async () => {
  const { folder, line, lines, write } = await watched({
    "plans/plan.yaml": planOf("../lib/tools/a.ts"),
    "lib/tools/a.ts": tool("a"),
    "lib/other.ts": "",
  });

  rmSync(join(folder, "lib/tools"), { recursive: true });
  expect(await line()).toMatch(/^✖ \.\.\/lib\/tools\/a\.ts: not reloaded, /);
  // Its folder has to be watched by now: what comes back is noticed there.
  write({ "lib/other.ts": "1", "lib/more/b.ts": "2" });
  write({ "lib/tools/a.ts": tool("b") });
  expect(await line()).toBe("↻ ../lib/tools: reloaded, generation 2: ../lib/tools/a.ts mounted, 0 kept");
  expect(lines).toEqual([]);
});

test("a folder that another one takes the place of is watched as the new one", async () => {
  const { folder, line, write, names } = await watched({
    "plan.yaml": planOf("./inner/a.ts"),
    "inner/a.ts": tool("a"),
    "next/a.ts": tool("b"),
  });

  renameSync(join(folder, "inner"), join(folder, "before"));
  renameSync(join(folder, "next"), join(folder, "inner"));
  expect(await line()).toBe("↻ inner: reloaded, generation 2: ./inner/a.ts mounted, 0 kept");
  write({ "before/a.ts": tool("x"), "inner/a.ts": tool("c") });
  expect(await line()).toBe("↻ inner/a.ts: reloaded, generation 3: ./inner/a.ts mounted, 0 kept");
  expect(names()).toEqual(["c"]);
});

test("a folder that leads to a module's, and that another one takes the place of, is watched as the new one", async () => {
  const { folder, line, write, names } = await watched({
    "plan.yaml": planOf("./far/below/a.ts"),
    "far/below/a.ts": tool("a"),
    "next/below/a.ts": tool("b"),
  });

  renameSync(join(folder, "far"), join(folder, "before"));
  renameSync(join(folder, "next"), join(folder, "far"));
  expect(await line()).toBe("↻ far: reloaded, generation 2: ./far/below/a.ts mounted, 0 kept");
  write({ "before/below/a.ts": tool("x"), "far/below/a.ts": tool("c") });
  expect(await line()).toBe("↻ far/below/a.ts: reloaded, generation 3: ./far/below/a.ts mounted, 0 kept");
  expect(names()).toEqual(["c"]);
});

test("a folder with a folder of the same name in it stays watched", async () => {
  const { folder, line, write } = await watched({
    "plan.yaml": planOf("./inner/a.ts"),
    "inner/a.ts": tool("a"),
  });

  mkdirSync(join(folder, "inner/inner"));
  expect(await line()).toBe("↻ inner: reloaded, generation 2: 1 kept");
  write({ "inner/inner/words.md": "new" });
  expect(await line()).toBe("↻ inner/inner/words.md: reloaded, generation 3: 1 kept");
  write({ "inner/a.ts": tool("b") });
  expect(await line()).toBe("↻ inner/a.ts: reloaded, generation 4: ./inner/a.ts mounted, 0 kept");
});

test("after its end the watch says nothing", async () => {
  const { write, lines, stop, host } = await watched({ "plan.yaml": planOf("./a.ts"), "a.ts": tool("a") });
  await stop();
  const other = Promise.withResolvers<string>();
  const stopOther = await watchPlan(host, other.resolve);
  onTestFinished(stopOther);

  write({ "a.ts": tool("b") });
  expect(await other.promise).toBe("↻ a.ts: reloaded, generation 2: ./a.ts mounted, 0 kept");
  expect(lines).toEqual([]);
});
