import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { say } from "../support/exchange.ts";
import { startModel } from "../support/scripted-model.ts";
import { oneTool, planOf, workspace } from "../support/workspace.ts";

const noop = oneTool({ name: "noop", schema: "n: z.unknown()", body: "return data(1);" });
const lists = (levels: number) => "[".repeat(levels) + "]".repeat(levels);
const depths = [4_000, 100_000];

/** What a command said is for people: a code, and neither a stack nor the word of a fault of ours. */
function expectCalm({ code, stdout, stderr }: { code: number | null; stdout: string; stderr: string }): void {
  const said = stdout + stderr;
  expect(code, said.slice(0, 2_000)).not.toBeNull();
  expect(said).not.toMatch(/INTERNAL|Maximum call stack|\n\s+at .*\.[jt]s:\d+/);
}

test.each(depths)("arguments of %i levels on the command line are refused, in each form", async (levels) => {
  const { run } = await workspace({ "noop.ts": noop, "plan.yaml": planOf("./noop.ts") });
  const deep = lists(Math.min(levels, 30_000)); // the system limits the length of a word
  for (const words of [[`{"n":${deep}}`], [`n=${deep}`], [`n:=${deep}`]]) {
    const ended = await run(["call", "plan.yaml", "noop", ...words, "--json"]);
    expectCalm(ended);
    if (ended.code !== 0) expect(ended.stdout).toMatch(/INVALID_ARGUMENTS|USAGE_INVALID/);
  }
});

test.each(depths)("arguments of %i levels on standard input are refused", async (levels) => {
  const { run } = await workspace({ "noop.ts": noop, "plan.yaml": planOf("./noop.ts") });
  const ended = await run(["call", "plan.yaml", "noop", "-", "--json"], { input: `{"n":${lists(levels)}}` });
  expectCalm(ended);
  expect(ended.code).not.toBe(0);
});

test.each(depths.flatMap((levels) => ["check", "list", "print"].map((word) => [levels, word] as const)))(
  "a plan of %i levels is refused by %s",
  async (levels, word) => {
    const plan = `version: 1\ntools:\n  - module: ./noop.ts\n    config: ${lists(levels)}\n`;
    const { run } = await workspace({ "noop.ts": noop, "plan.yaml": plan });
    const ended = await run([word, "plan.yaml"]);
    expectCalm(ended);
    expect(ended.code).toBe(78);
  },
);

test.each(depths)("a tape with a call of %i levels is refused", async (levels) => {
  const { run, folder } = await workspace({ "noop.ts": noop, "plan.yaml": planOf("./noop.ts") });
  await run(["call", "plan.yaml", "noop", "n=1", "--record", "calls.tape"]);
  const call = `{"order":1,"tool":"noop","definition":null,"arguments":{"n":${lists(levels)}},"decision":"allow","ran":true,"result":{"data":1}}`;
  await writeFile(join(folder, "deep.tape"), `{"toolmount":"tape","version":1}\n${call}\n`);
  const ended = await run(["call", "plan.yaml", "noop", "n=1", "--replay", "deep.tape"]);
  expectCalm(ended);
  expect(ended.code).not.toBe(0);
});

test.each(depths)("a lock of %i levels is refused", async (levels) => {
  const { run, read, write } = await workspace({ "noop.ts": noop, "plan.yaml": planOf("./noop.ts") });
  expect((await run(["lock", "plan.yaml"])).code).toBe(0);
  const lock = JSON.parse(await read("plan.lock.json")) as { tools: object };
  const text = JSON.stringify({ ...lock, tools: "HERE" }).replace('"HERE"', `{"noop":${lists(levels)}}`);
  await write("plan.lock.json", text);
  const ended = await run(["list", "plan.yaml"]);
  expectCalm(ended);
  expect(ended.code).not.toBe(0);
});

test("a session whose log has a value of thousands of levels is refused, and the others are there", async () => {
  const model = await startModel({ hello: [[say("hi")]] });
  const { run, folder } = await workspace({
    "noop.ts": noop,
    "mount-plan.yaml": `version: 1\nstate: sqlite:./state.db\nagent: { model: m, baseUrl: ${model}, apiKey: none }\ntools:\n  - module: ./noop.ts\n`,
  });
  for (const session of ["good", "bad"])
    expect((await run(["run", "hello", "--session", session])).code).toBe(0);
  const database = new DatabaseSync(join(folder, "state.db"));
  const deep = `{"kind":"note","items":[{"type":"message","role":"user","content":"x","extra":${lists(100_000)}}]}`;
  database.prepare("update session_entries set body = ? where session_id = 'bad' and sequence = 2").run(deep);
  database.close();

  const list = await run(["sessions", "list", "--json"]);
  expectCalm(list);
  expect(list.stdout).toContain('"good"');
  for (const words of [
    ["sessions", "show", "bad"],
    ["sessions", "show", "bad", "--json"],
    ["run", "hello", "--session", "bad"],
  ]) {
    const ended = await run(words);
    expectCalm(ended);
    expect(ended.stdout + ended.stderr).toContain("SESSION_UNREADABLE");
  }
  expect((await run(["sessions", "show", "good"])).code).toBe(0);
});

test.each(depths)("a list of servers of %i levels is refused by import", async (levels) => {
  const list = `{"mcpServers":{"one":${lists(levels)}}}`;
  const { run } = await workspace({ "list.json": list, "plan.yaml": "tools: []\n" });
  const ended = await run(["import", "list.json", "plan.yaml"]);
  expectCalm(ended);
  expect(ended.code).not.toBe(0);
});
