import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";

const root = join(import.meta.dirname, "..");
const { reachedTests } = await import(join(root, "scripts/affected.mjs"));

/** Runs test files of a folder as the first ring, by the project's own configuration, and returns what the run reports. */
async function quickRing(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await mkdtemp(join(root, "tools/hello-world/test/ring-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);
  const words = [join(root, "node_modules/vitest/vitest.mjs"), "run", "--project", "quick", folder];
  const child = spawn(process.execPath, words, { cwd: root, stdio: ["ignore", "pipe", "pipe"] });
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return out + err;
}

const beginning = 'import { test } from "vitest";\n';

test.each([
  ["a process", 'import { spawn } from "node:child_process";\n', 'spawn("true")', "spawn"],
  [
    "a process that it waits for",
    'import { execFileSync } from "node:child_process";\n',
    'execFileSync("true")',
    "execFileSync",
  ],
  [
    "a thread",
    'import { Worker } from "node:worker_threads";\n',
    'new Worker("", { eval: true })',
    "new Worker",
  ],
  ["a server", 'import { createServer } from "node:http";\n', "createServer().listen(0)", "listen"],
])(
  "a file of the first ring that starts %s is red, also when its tests catch the error",
  async (_what, imports, code, name) => {
    const body = `test("starts it", () => { try { ${code}; } catch {} });\n`;
    const said = await quickRing({ "starts.test.ts": beginning + imports + body });

    expect(said).toContain(`but this one called ${name}: rename it to *.process.test.ts`);
  },
);

test("a file of the first ring that starts nothing is green", async () => {
  expect(await quickRing({ "plain.test.ts": `${beginning}test("adds", () => {});\n` })).toMatch(/1 passed/);
});

test("a change reaches the tests of what it changes and of its users, and no others", () => {
  const todo: string[] = reachedTests(["tools/todo/src/todo.ts"]);

  expect(todo).toContain("tools/todo/test/todo.test.ts");
  expect(todo).toContain("tools/todo/test/contract.process.test.ts");
  expect(todo).not.toContain("packages/core/test/call/find.test.ts");
  expect(todo.length).toBeLessThan(60);
});

test("a change of the versions reaches every test, in an order that the seed gives", () => {
  const one: string[] = reachedTests(["pnpm-lock.yaml"], "one");

  expect(one).not.toEqual(reachedTests(["pnpm-lock.yaml"], "two"));
  expect(one.toSorted()).toEqual(reachedTests(["pnpm-lock.yaml"], "two").toSorted());
});
