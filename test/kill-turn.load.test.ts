import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { expect, test } from "vitest";
import type { OneFile } from "../packages/store/test/one-file.ts";
import { finish, inFolder, serveModel, turnProgram } from "./support/interrupted-turn.ts";

// Each is a process of its own; elsewhere than in CI fewer do.
const isWhole = process.env["CI"] !== undefined || process.env["TOOLMOUNT_LONG"] === "1";
const kills = isWhole ? 200 : 24;

/** Where a turn is killed: exactly at its n-th step, or soon after, when this process has heard of it. */
interface Point {
  readonly step: number;
  readonly exact: boolean;
}

/** Runs or resumes a turn in its own process and kills it. Returns what the process printed before. */
async function runKilled(
  act: "run" | "resume",
  words: readonly string[],
  { step, exact }: Point,
  { file, env }: OneFile,
): Promise<{ said: readonly string[]; killed: boolean }> {
  const child = spawn(process.execPath, [file, act, ...words, exact ? String(step) : "0"], {
    stdio: ["ignore", "pipe", "inherit"],
    env,
  });
  const lines: string[] = [];
  const closed = once(child, "close") as Promise<[number | null, string | null]>;
  for await (const line of createInterface({ input: child.stdout })) {
    lines.push(line);
    if (lines.length === step && !exact) child.kill("SIGKILL");
  }
  const [code, signal] = await closed;
  if (signal === null && code !== 0) throw new Error(`a turn's process ended by itself with ${code}`);
  return { said: lines, killed: signal === "SIGKILL" };
}

const phases = ["recording", "asking the model", "during a call", "between calls", "after the turn"] as const;
type Phase = (typeof phases)[number];

/** What the turn was at when it last said something. */
function phaseOf(lines: readonly string[]): Phase {
  const last = lines.at(-1) ?? "";
  if (last === "ended" || last === "recorded end") return "after the turn";
  if (last.startsWith("recording")) return "recording";
  if (last.startsWith("calling") || last.startsWith("acted")) return "during a call";
  const isAtCalls = last.startsWith("called") || /^recorded (answer|started|output)/.test(last);
  return isAtCalls ? "between calls" : "asking the model";
}

test(`APTIX-22: a turn of five calls, killed at ${kills} points, ends the same, each effect once or reported as unknown`, async ({
  annotate,
}) => {
  const baseUrl = await serveModel();
  const program = await turnProgram();
  const never: Point = { step: Number.POSITIVE_INFINITY, exact: false };
  const { steps, whole } = await inFolder(async (paths) => {
    const life = await runKilled("run", [paths.database, baseUrl, paths.effects], never, program);
    expect(life.killed).toBe(false);
    return { steps: life.said.length, whole: (await finish(paths, baseUrl, null)).items };
  });

  const ends: string[] = [];
  const struck: Phase[] = [];
  const both: boolean[] = [];
  const killOne = (at: number) =>
    inFolder(async (paths) => {
      const words = [paths.database, baseUrl, paths.effects];
      // Every step in its turn, exactly and a little later.
      const share = Math.floor(at / 2) / (kills / 2 - 1);
      const point = { step: 1 + Math.round(share * (steps - 1)), exact: at % 2 === 0 };
      const { said: lines, killed } = await runKilled("run", words, point, program);
      if (killed) struck.push(phaseOf(lines));
      if (at % 8 === 0) {
        const second = { step: 1 + ((at * 7) % steps), exact: true };
        both.push((await runKilled("resume", words, second, program)).killed);
      }
      ends.push((await finish(paths, baseUrl, whole)).end);
    });
  const next = Array.from({ length: kills }, (_, at) => at).values();
  const worker = async () => {
    for (const at of next) await killOne(at);
  };
  await Promise.all([worker(), worker(), worker()]);

  const count = <Word>(words: readonly Word[], word: Word) => words.filter((one) => one === word).length;
  const shares = phases.map((phase) => `${phase} ${count(struck, phase)}`).join(", ");
  await annotate(
    `${struck.length} of ${kills} processes killed (${shares}), ${count(both, true)} a second time while they resumed; ${count(ends, "nothing")} before the turn was there, ${count(ends, "resumed")} resumed whole, ${count(ends, "unknown")} with calls reported as unknown, ${count(ends, "over")} over already`,
  );
  expect(ends).toHaveLength(kills);
  expect(struck.length).toBeGreaterThan(kills * 0.9);
  // Two hundred hit every step of the turn exactly once, and so each phase; fewer leave steps out.
  if (isWhole) for (const phase of phases) expect(count(struck, phase), phase).toBeGreaterThan(0);
  expect(count(ends, "resumed")).toBeGreaterThan(kills / 10);
  expect(count(ends, "unknown")).toBeGreaterThan(kills / 10);
  expect(count(both, true)).toBeGreaterThan(0);
});
