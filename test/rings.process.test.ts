import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";

const root = join(import.meta.dirname, "..");
const { reachedTests } = await import(join(root, "scripts/affected.mjs"));

/** Writes test files into a folder of the first ring, which is gone after the test. */
async function planted(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await mkdtemp(join(root, "tools/hello-world/test/ring-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);
  return folder;
}

/** Runs Node on the repository, and returns what it prints. */
async function said(words: readonly string[]): Promise<string> {
  const child = spawn(process.execPath, words, { cwd: root, stdio: ["ignore", "pipe", "pipe"] });
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return out + err;
}

/** Runs test files as the first ring, by the project's own configuration, and returns what Vitest reports. */
async function quickRing(files: Readonly<Record<string, string>>): Promise<string> {
  return said([
    join(root, "node_modules/vitest/vitest.mjs"),
    "run",
    "--project",
    "quick",
    await planted(files),
  ]);
}

/** Runs test files as `npm test` does, and returns what a person sees; the counts are its last line. */
async function shown(files: Readonly<Record<string, string>>, options: object = {}): Promise<string> {
  const folder = await planted(files);
  const program = `
    const { forgive, passesAgain, runRing } = await import("./scripts/rings.mjs");
    const { Table } = await import("./scripts/table.mjs");
    const seen = await runRing("quick", ${JSON.stringify({ files: [folder], log: join(folder, "log"), ...options })});
    if (await passesAgain("quick", seen)) forgive(seen, true);
    const table = new Table();
    table.add("quick", 1, seen);
    table.print();
    console.log(JSON.stringify({ passed: seen.passed, failed: seen.failed, files: seen.files.length }));`;
  return (await said(["--input-type=module", "--eval", program])).replaceAll(relative(root, folder), "ring");
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
    const report = await quickRing({ "starts.test.ts": beginning + imports + body });

    expect(report).toContain(`but this one called ${name}: rename it to *.process.test.ts`);
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

test("a failure is shown at once with the line that runs it again, and what tests print is kept out", async () => {
  const report = await shown({
    "a.test.ts": `import { expect, test } from "vitest";\ntest("adds (two)", () => { console.log("noise"); expect(1 + 1).toBe(3); });\n`,
    "b.test.ts": `${beginning}test("passes", () => { process.stdout.write("noise"); });\n`,
  });

  expect(report).toContain("✗ ring/a.test.ts › adds (two)\n    expected 2 to be 3");
  expect(report).toContain(String.raw`again: npm test -- ring/a.test.ts -t 'adds \(two\)'`);
  expect(report).not.toContain("noise");
  expect(report).toMatch(/\{"passed":1,"failed":1,"files":2\}\n$/);
});

test("a process of the tests that is killed is one failure, and the other files still run", async () => {
  const report = await shown({
    "a.test.ts": `${beginning}test("dies", () => { process.kill(process.pid, "SIGKILL"); });\n`,
    "b.test.ts": `${beginning}test("passes", () => {});\n`,
  });

  expect(report).toMatch(/✗ .*(?:outside any test|the run|a\.test\.ts)/);
  expect(JSON.parse(report.trim().split("\n").at(-1)!)).toMatchObject({ passed: 1, failed: 1 });
});

test("a test that never gives its process back is one failure with its file, and the other files still run", async () => {
  const report = await shown(
    {
      "a.test.ts": `${beginning}test("loops", () => { for (;;); });\n`,
      "b.test.ts": `${beginning}test("passes", () => {});\n`,
      "c.test.ts": `${beginning}test("passes", () => {});\n`,
    },
    { silenceMs: 15_000 },
  );

  expect(report).toMatch(/✗ ring\/a\.test\.ts\n {4}it hangs: /);
  expect(report).toContain("again: npm test -- ring/a.test.ts");
  expect(report).toMatch(/\{"passed":2,"failed":1,"files":2\}\n$/);
});

test("of many failures, as on a full disk, a hundred of each run are shown and the others are counted", async () => {
  const body = `for (let at = 0; at < 150; at++) test(String(at), () => { throw new Error("the disk is full"); });\n`;
  const report = await shown({ "a.test.ts": beginning + body });

  expect(report.split("    the disk is full\n")).toHaveLength(201);
  expect(report.split("\nand 50 more failures\n")).toHaveLength(3);
});

test("a file that cannot be loaded is one failure", async () => {
  const report = await shown({ "a.test.ts": 'import "./gone.ts";\n' });

  expect(report).toContain("✗ ring/a.test.ts\n    Cannot find module");
  expect(report).toMatch(/\{"passed":0,"failed":1,"files":1\}\n$/);
});

test("a test that fails once and then passes alone stops no change, and is named at the end", async () => {
  const first = 'import { existsSync, writeFileSync } from "node:fs";\n';
  const body = `test("the first time", () => { const been = import.meta.dirname + "/been"; if (existsSync(been)) return; writeFileSync(been, ""); throw new Error("not yet"); });\n`;
  const report = await shown({ "a.test.ts": beginning + first + body });

  expect(report).toContain("✗ ring/a.test.ts › the first time\n    not yet");
  expect(report).toMatch(
    /then passed alone: .*\n {2}✗ ring\/a\.test\.ts › the first time\n {4}again: npm test/,
  );
  expect(report).toMatch(/\{"passed":1,"failed":0,"files":1\}\n$/);
});

test("a test that fails twice is named at the end, too", async () => {
  const report = await shown({
    "a.test.ts": `${beginning}test("fails", () => { throw new Error("no"); });\n`,
  });

  expect(report).toMatch(/\nfailed\n {2}✗ ring\/a\.test\.ts › fails\n/);
  expect(report).toMatch(/\{"passed":0,"failed":1,"files":1\}\n$/);
});

test.each([
  [
    "a program that is not on PATH",
    { programs: () => undefined },
    /bwrap .*tests of .*scripts\/system-packages\.sh/,
  ],
  ["a full disk", { free: () => 0 }, /only 0 MB are free in /],
  ["little memory", { memory: () => 1e9 }, /only 1000 MB of memory are free/],
])("what the machine lacks is one line before the tests: %s", async (_what, machine, line) => {
  const { lacks } = await import(join(root, "scripts/machine.mjs"));
  const whole = { programs: () => "/usr/bin/x", free: () => 9e9, memory: () => 9e9 };

  expect(lacks(whole)).toEqual([]);
  expect(lacks({ ...whole, ...machine })[0]).toMatch(line);
});
