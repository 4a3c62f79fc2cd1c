import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { ToolOutcome } from "@toolmount/core";
import { expect, test } from "vitest";
import { numbers, programOf } from "./programs.ts";
import { places, type Place } from "./world.ts";

/** Programs; each is killed until it ends. `TOOLMOUNT_LONG=1`: two hundred of 50 calls. */
const programs = process.env["TOOLMOUNT_LONG"] === "1" ? 200 : 1;
/** Calls of each program; elsewhere than in a long run fewer. */
const calls = programs > 1 ? 50 : 15;
const child = join(import.meta.dirname, "child.ts");

interface Logged {
  readonly n: number;
  readonly code: string;
}

/** Runs the program in a process of its own. Null when it was killed. */
async function live(folder: string, place: Place | "never", count: number): Promise<ToolOutcome | null> {
  const life = spawn(process.execPath, ["-C", "@toolmount/source", child, folder, place, String(count)], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, NODE_COMPILE_CACHE: join(tmpdir(), "toolmount-program-kill") },
  });
  const said = text(life.stdout);
  const [code, signal] = (await once(life, "close")) as [number | null, string | null];
  if (signal === "SIGKILL") return null;
  expect(code).toBe(0);
  return JSON.parse(await said) as ToolOutcome;
}

/** Kills a program again and again, at places that its seed chooses, until it ends. */
async function killUntilItEnds(folder: string, seed: number) {
  const next = numbers(seed + 7);
  for (let kills = 0; ; kills++) {
    const place = places[next(places.length)]!;
    const outcome = await live(folder, place, next(10) === 0 ? 3 : 1);
    if (outcome !== null) return { outcome, kills };
  }
}

async function playOne(seed: number) {
  const folder = await mkdtemp(join(tmpdir(), "toolmount-program-"));
  try {
    await writeFile(join(folder, "program.ts"), programOf(seed, calls));
    await writeFile(join(folder, "effects.txt"), "");
    const { outcome, kills } = await killUntilItEnds(folder, seed);
    const effects = readFileSync(join(folder, "effects.txt"), "utf8").split("\n").filter(Boolean).map(Number);
    return { ...check(outcome, effects), kills };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
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
  return { made: log.length, unknown: notes.filter(({ code }) => code !== "ok").length };
}

test(`${programs} programs of ${calls} calls, killed at call after call, end with each effect once or reported as unknown`, async ({
  annotate,
}) => {
  const played: Awaited<ReturnType<typeof playOne>>[] = [];
  for (let seed = 1; seed <= programs; seed++) played.push(await playOne(seed));
  const sum = (of: (one: (typeof played)[number]) => number) => played.reduce((all, one) => all + of(one), 0);
  await annotate(
    `${sum(({ kills }) => kills)} kills of ${played.length} programs with ${sum(({ made }) => made)} calls; ${sum(({ unknown }) => unknown)} reported as unknown`,
  );
  expect(sum(({ kills }) => kills)).toBeGreaterThan((calls / 5) * programs);
  expect(sum(({ unknown }) => unknown)).toBeGreaterThan(0);
});
