import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { rows } from "../src/rows.ts";
import { plantedFaults } from "./planted.ts";
import { hostsOf, hostTrial, planted } from "./support/run.ts";

test("forty rows have names, sentences and a way to be tried", () => {
  expect(rows).toHaveLength(40);
  expect(new Set(rows.map(({ name }) => name)).size).toBe(40);
  expect(rows.filter(({ thread }) => thread !== undefined && !/^[\w.-]+\/[\w.-]+#\d+$/.test(thread))).toEqual(
    [],
  );
});

test("a host that keeps its promises holds every row that it can be tried in", async () => {
  const ended = await hostTrial(["--host", planted, "--json"]);
  const [host] = hostsOf(ended);

  expect(host!.results.filter(({ verdict }) => verdict === "broken")).toEqual([]);
  expect(host!.results.filter(({ verdict }) => verdict === "–").map(({ row }) => row)).toEqual([
    "dies-after-effect",
    "dies-before-effect",
    "alive-after-death",
  ]);
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
  [["--host", planted, "--rows", "41"], 'there is no row "41"; --list prints them'],
  [["--host", planted, "--rows", "wait"], 'there is no row "wait"; --list prints them'],
  [["--hosts"], "Unknown option '--hosts'"],
])("%j is refused in one line", async (words, problem) => {
  const { code, stderr } = await hostTrial(words);

  expect([code, stderr.split("\n")[0]]).toEqual([2, expect.stringContaining(problem)]);
});

test("a file that exports no host, and one that ends at its start, are refused with their words", async () => {
  const { code, stderr } = await hostTrial(["--host", join(import.meta.dirname, "planted.ts")]);

  expect(code).toBe(2);
  expect(stderr).toMatch(/planted\.ts exports no host as "adapter"/);
});
