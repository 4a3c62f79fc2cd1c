import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { ToolOutcome } from "@toolmount/core";
import { openStore } from "@toolmount/store";
import { expect, test } from "vitest";
import { nodeFlags } from "../support/program.ts";
import { programOf } from "./programs.ts";

/** Seeds of the programs. `TOOLMOUNT_LONG=1`: two hundred of 50 calls; `TOOLMOUNT_PROGRAMS=41-80`: some of these. */
const [first, last] = seedsOf(process.env["TOOLMOUNT_PROGRAMS"] ?? process.env["TOOLMOUNT_LONG"]);
const isLong = last > 1;
/** Calls of each program; elsewhere than in a long run fewer. */
const calls = isLong ? 50 : 15;

function seedsOf(chosen = "0"): readonly [number, number] {
  const [, from = "1", to = chosen === "1" ? "200" : "1"] = /^(\d+)-(\d+)$/.exec(chosen) ?? [];
  return [Number(from), Number(to)];
}

const child = join(import.meta.dirname, "child.ts");

interface Logged {
  readonly n: number;
  readonly code: string;
  readonly seen: number;
}

/** Runs the program in a process of its own. Null when it was killed. */
async function live(folder: string, seed: number): Promise<ToolOutcome | null> {
  const life = spawn(process.execPath, [...nodeFlags, child, folder, String(seed)], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, NODE_COMPILE_CACHE: join(tmpdir(), "toolmount-program-kill") },
  });
  const said = text(life.stdout);
  const [code, signal] = (await once(life, "close")) as [number | null, string | null];
  if (signal === "SIGKILL") return null;
  expect(code).toBe(0);
  return JSON.parse(await said) as ToolOutcome;
}

async function killUntilItEnds(folder: string, seed: number): Promise<ToolOutcome> {
  for (;;) {
    const outcome = await live(folder, seed);
    if (outcome !== null) return outcome;
  }
}

async function playOne(seed: number) {
  const folder = await mkdtemp(join(tmpdir(), "toolmount-program-"));
  const linesOf = (file: string) => readFileSync(join(folder, file), "utf8").split("\n").filter(Boolean);
  try {
    await writeFile(join(folder, "program.ts"), programOf(seed, calls));
    for (const file of ["effects.txt", "killed.txt"]) await writeFile(join(folder, file), "");
    const outcome = await killUntilItEnds(folder, seed);
    const effects = linesOf("effects.txt").map(Number);
    const counts = check(outcome, effects);
    const undecided = await withoutDecision(folder, effects);
    const killed = linesOf("killed.txt");
    // Each call died once. One that had begun in a life that died at another call is reported as unknown, and runs no more.
    expect([...counts.sure].filter((call) => !killed.includes(call))).toEqual([]);
    expect(new Set(killed).size).toBe(killed.length);
    expect(undecided).toEqual([]);
    return { calls: counts.made, unknown: counts.unknown.size, kills: killed.length };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Effects for which the audit has no start of a call, which is written when the call was decided and before it runs. */
async function withoutDecision(folder: string, effects: readonly number[]): Promise<readonly number[]> {
  const store = await openStore(`sqlite:${folder}/state.db`, { audit: "durable" });
  const records = await store.audit!.read();
  await store.close();
  const decided = records.flatMap(({ entry }) =>
    entry.kind === "start" && entry.tool === "note" ? [(entry["arguments"] as { n: number }).n] : [],
  );
  return effects.filter((n) => !decided.includes(n));
}

/** Each effect once; each call of it either has an outcome and its effect, or is reported as unknown. */
function check(outcome: ToolOutcome, effects: readonly number[]) {
  expect(outcome.result.error).toBeUndefined();
  expect(outcome.result.warnings).toBeUndefined();
  const log = (outcome.result.data as { result: readonly Partial<Logged>[] }).result;
  const notes = log.filter((one): one is Logged => one.code !== undefined);
  const times = (n: number) => effects.filter((one) => one === n).length;
  const made = (n: number) => notes.filter((one) => one.n === n);
  for (const { n, code } of notes) {
    expect(["ok", "OUTCOME_UNKNOWN"]).toContain(code);
    const sure = made(n).filter((one) => one.code === "ok").length;
    expect(times(n)).toBeGreaterThanOrEqual(sure);
    expect(times(n)).toBeLessThanOrEqual(made(n).length);
  }
  for (const n of effects) expect(made(n).length, `${n} is in the log`).toBeGreaterThan(0);
  const unknown = notes.filter(({ code }) => code !== "ok").map(({ n }) => `note ${n}`);
  const sure = log.map(({ n, code, seen = 0 }) =>
    code === undefined ? `look ${Math.sqrt(seen)}` : code === "ok" ? `note ${n}` : null,
  );
  return {
    made: log.length,
    unknown: new Set(unknown),
    sure: new Set(sure.filter((call) => call !== null)),
  };
}

test(
  `programs ${first} to ${last} of ${calls} calls, killed at each call once, end with each effect once or reported as unknown`,
  { ...(isLong && { timeout: 86_400_000 }) },
  async ({ annotate }) => {
    const played: Awaited<ReturnType<typeof playOne>>[] = [];
    const sum = (of: (one: (typeof played)[number]) => number) =>
      played.reduce((all, one) => all + of(one), 0);
    const summary = () =>
      `${sum(({ kills }) => kills)} kills of ${played.length} programs with ${sum((one) => one.calls)} calls; ${sum(({ unknown }) => unknown)} reported as unknown`;
    const seeds = Array.from({ length: last - first + 1 }, (_, at) => first + at);
    const playAll = async () => {
      for (let seed = seeds.shift(); seed !== undefined; seed = seeds.shift()) {
        played.push(await playOne(seed));
        if (isLong) process.stdout.write(`${seed}: ${summary()}\n`);
      }
    };
    await Promise.all(Array.from({ length: isLong ? availableParallelism() : 1 }, playAll));
    await annotate(summary());
    expect(sum(({ kills }) => kills)).toBeGreaterThan((calls / 2) * played.length);
    expect(sum(({ unknown }) => unknown)).toBeGreaterThan(0);
  },
);
