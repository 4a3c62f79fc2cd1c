import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { json } from "node:stream/consumers";
import { isToolmountError } from "@toolmount/core";
import { openStore } from "@toolmount/store";
import { expect, onTestFinished, test } from "vitest";
import { bundleProgram, type OneFile } from "../packages/store/test/one-file.ts";
import { callCount, createTurnWorld } from "./support/turn-world.ts";

// Each is a process of its own; elsewhere than in CI fewer do.
const isWhole = process.env["CI"] !== undefined || process.env["TOOLMOUNT_LONG"] === "1";
const kills = isWhole ? 200 : 24;

const callsOf = (...numbers: number[]) =>
  numbers.map((n) => ({
    type: "function_call",
    id: `fc_${n}`,
    call_id: `c${n}`,
    name: "act",
    arguments: JSON.stringify({ n }),
  }));
const said = [{ type: "message", role: "assistant", content: [{ type: "output_text", text: "all done" }] }];

/** A server that answers by how many outputs it is sent: three calls, two more, then a text. */
async function serveModel(): Promise<string> {
  const server = createServer(async (request, answer) => {
    const { input } = (await json(request)) as { input: readonly { type: string }[] };
    const answered = input.filter(({ type }) => type === "function_call_output").length;
    const output = answered === 0 ? callsOf(1, 2, 3) : answered === 3 ? callsOf(4, 5) : said;
    answer.writeHead(200, { "content-type": "application/json" });
    answer.end(JSON.stringify({ id: "r", status: "completed", output }));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}

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

function isUnknown(item: Readonly<Record<string, unknown>> | undefined): boolean {
  return typeof item?.["output"] === "string" && item["output"].includes("OUTCOME_UNKNOWN");
}

async function inFolder<Value>(
  act: (paths: { database: string; effects: string }) => Promise<Value>,
): Promise<Value> {
  const folder = await mkdtemp(join(tmpdir(), "toolmount-kill-"));
  try {
    const paths = { database: join(folder, "state.db"), effects: join(folder, "effects.txt") };
    await writeFile(paths.effects, "");
    return await act(paths);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Resumes the turn in this process, and checks the effects and the reports. */
async function finish(
  { database, effects }: { database: string; effects: string },
  baseUrl: string,
  whole: readonly object[] | null,
) {
  const store = await openStore(`sqlite:${database}`);
  const { host, reasoner } = createTurnWorld(store, baseUrl, effects);
  try {
    const turn = await reasoner.resume(host, { sessionId: "s" }).catch((error: unknown) => {
      if (isToolmountError(error) && ["SESSION_NOT_FOUND", "SESSION_CONFLICT"].includes(error.code))
        return null;
      throw error;
    });
    const done = readFileSync(effects, "utf8").split("\n").filter(Boolean);
    const shown = await reasoner.show("s").catch(() => null);
    if (shown === null || shown.turns === 0) {
      expect([turn, done]).toEqual([null, []]);
      return { end: "nothing" as const, items: [] };
    }
    if (turn !== null)
      expect(turn).toMatchObject({ status: "done", text: "all done", calls: callCount, iterations: 3 });
    const { items } = shown;
    expect(shown).toMatchObject({ status: "done", turns: 1, waiting: [], usage: { requests: 3 } });
    let unknown = 0;
    for (const [at, { type, call_id: id, output }] of items.entries()) {
      if (type !== "function_call_output") continue;
      const n = (id as string).slice(1);
      const times = done.filter((line) => line === n).length;
      if ((output as string).includes("OUTCOME_UNKNOWN")) {
        unknown++;
        expect(times, `call ${n}`).toBeLessThanOrEqual(1);
        expect({ ...items[at], output: "" }).toEqual({ ...whole?.[at], output: "" });
      } else {
        expect([output, times]).toEqual([`acted ${n}`, 1]);
      }
    }
    // Except for calls reported as unknown, it equals the turn that was not killed.
    const isTold = (_: unknown, at: number) => !isUnknown(items[at]);
    if (whole !== null) expect(items.filter(isTold)).toEqual(whole.filter(isTold));
    return {
      end: turn === null ? ("over" as const) : unknown > 0 ? ("unknown" as const) : ("resumed" as const),
      items,
    };
  } finally {
    await host.close();
    await store.close();
  }
}

test(`APTIX-22: a turn of five calls, killed at ${kills} points, ends the same, each effect once or reported as unknown`, async ({
  annotate,
}) => {
  const baseUrl = await serveModel();
  const program = await bundleProgram(join(import.meta.dirname, "support/turn-process.ts"), {
    pg: "pg",
    "@ai-sdk/anthropic": import.meta.resolve("@ai-sdk/anthropic"),
    "@ai-sdk/google": import.meta.resolve("@ai-sdk/google"),
  });
  onTestFinished(program.remove);
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
