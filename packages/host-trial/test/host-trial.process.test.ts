import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { rows } from "../src/rows.ts";
import { plantedFaults } from "./planted/faults.ts";
import { hostsOf, hostTrial, planted } from "./support/run.ts";

test("rows have names of their own, and threads that are addresses", () => {
  expect(rows).toHaveLength(56);
  expect(new Set(rows.map(({ name }) => name)).size).toBe(56);
  expect(rows.filter(({ thread }) => thread !== undefined && !/^[\w.-]+\/[\w.-]+#\d+$/.test(thread))).toEqual(
    [],
  );
});

test("a host that keeps its promises holds every row that it can be tried in", async () => {
  const ended = await hostTrial(["--host", planted, "--json"]);
  const [host] = hostsOf(ended);

  expect(host!.results.filter(({ verdict }) => verdict === "broken")).toEqual([]);
  expect(host!.results.filter(({ verdict }) => verdict === "–")).toEqual([]);
  expect(ended.code).toBe(0);
});

describe("a planted fault is caught by the row that names it, each time", () => {
  test.each(plantedFaults)("%s", async (fault) => {
    const ended = await hostTrial(["--host", planted, "--rows", fault, "--json"], fault);

    expect(hostsOf(ended)[0]!.results).toEqual([
      { row: fault, verdict: "broken", problem: expect.any(String), again: 4 },
    ]);
    expect(ended.code).toBe(1);
  });
});

test("for people it prints a line for each row, and one page with the table and how rows broke", async () => {
  const folder = await mkdtemp(join(tmpdir(), "host-trial-report-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const page = join(folder, "report.html");
  const { stdout } = await hostTrial(["--host", planted, "--rows", "1,edited", "--html", page], "edited");
  const html = await readFile(page, "utf8");

  expect(stdout).toMatch(/^✔ waits\n✖ edited: after the amount was changed to 1: pay ran with/);
  expect(stdout).toContain("planted: edited 1: 1 held, 1 broken, 0 not tried");
  expect(html).toContain('<td class="broken">broken</td>');
  expect(html).toContain("again 4 of 4");
});

test.each([
  [[], "name a host: --host ./adapter.ts"],
  [["--host", "./gone.ts"], "there is no adapter at ./gone.ts"],
  [["--host", planted, "--rows", "57"], 'there is no row "57"; --list prints them'],
  [["--host", planted, "--rows", "wait"], 'there is no row "wait"; --list prints them'],
  [["--hosts"], "Unknown option '--hosts'"],
])("%j is refused in one line", async (words, problem) => {
  const { code, stderr } = await hostTrial(words);

  expect([code, stderr.split("\n")[0]]).toEqual([2, expect.stringContaining(problem)]);
});

test.each([
  ["export const other = 1;", 'TypeError: it exports no host as "adapter"'],
  ["export const adapter = { name: 'x' };", "the adapter has to have a name, a version, and the list can"],
  [
    "export const adapter = { name: 'x', version: '1', can: [] };",
    "the adapter has to have the function start",
  ],
  ["import 'not-there';", "Cannot find package 'not-there'"],
  ["process.exit(3);", "ended at its start"],
])("the adapter %j is refused with its words", async (text, problem) => {
  const { code, stderr } = await hostTrial(["--host", await adapterFile(text)]);

  expect([code, stderr]).toEqual([2, expect.stringContaining(problem)]);
});

test.each([
  ["start: () => { throw new Error('no disk') }", "no disk"],
  ["start: async () => ({ say: async () => ({}) })", "say of the adapter returned no turn"],
  ["start: async () => ({ say: async () => process.exit(0) })", ""],
])("a host that does %j breaks its rows, and the command ends", async (start, problem) => {
  const file = await adapterFile(`export const adapter = { name: "x", version: "1", can: [], ${start} };`);
  const ended = await hostTrial(["--host", file, "--rows", "waits", "--json"]);

  expect(hostsOf(ended)[0]!.results).toEqual([
    { row: "waits", verdict: "broken", problem: expect.stringContaining(problem), again: 4 },
  ]);
});

test("the adapter of the README asks, and runs what is approved", async () => {
  const page = await readFile(join(import.meta.dirname, "../README.md"), "utf8");
  const [, text = ""] = /```ts shown\n([^]+?)```/.exec(page) ?? [];
  const some = "waits,approved-once,denied-never,forged-id,answer-twice,two-processes";
  const [host] = hostsOf(
    await hostTrial(["--host", await adapterFile(text, "mts"), "--rows", some, "--json"]),
  );

  expect(host!.results.map(({ verdict }) => verdict)).toEqual(["held", "held", "held", "held", "held", "–"]);
});

/** A file with this text, gone after the test. */
async function adapterFile(text: string, ending = "mjs"): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "host-trial-adapter-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, `adapter.${ending}`);
  await writeFile(file, text);
  return file;
}
