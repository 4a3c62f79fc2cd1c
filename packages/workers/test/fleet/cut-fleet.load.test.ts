import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stdout } from "node:process";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startCutter, type Cut } from "../../../store/test/cutter.ts";
import type { SharedPostgres } from "../../../store/test/postgres.ts";
import { fleetHost, fleetPlace, worker } from "./fleet-world.ts";
import { sharedPostgres, startRedis, type RedisServer } from "./servers.ts";
import { findTruth, type Ended } from "./truth.ts";

/** Every message of a run with TOOLMOUNT_LONG=1; else so many for each side and kind of cut, spread over the run. */
const isLong = process.env["TOOLMOUNT_LONG"] === "1";
const points = 3;

const leaseMs = 600;

let postgres: SharedPostgres;
let redis: RedisServer;
let folder: string;
let databases = 0;

beforeAll(async () => {
  postgres = await sharedPostgres();
  redis = await startRedis();
  folder = mkdtempSync(join(tmpdir(), "toolmount-cut-fleet-"));
});

afterAll(async () => {
  await redis.stop();
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Six calls of a host on a worker; the connection of one of them to the ledger ends at a message. */
async function runCut(side: "host" | "worker", kind: Cut, message: number) {
  const database = await postgres.database(`fleet${++databases}`);
  const cutter = await startCutter(database, kind, message);
  const place = (of: string) => fleetPlace(of === side ? cutter.url : database, redis.url, leaseMs);
  const notes = mkdtempSync(join(folder, "notes-"));
  const outcomes: Ended[] = [];
  // A worker whose ledger fails at its start does not start; the command tries again.
  const start = () => worker(place("worker"), { concurrency: 4 });
  const running = await start().catch(start);
  const host = await fleetHost(place("host"), { limits: { timeoutMs: 120_000, graceMs: 60_000 } });
  const call = async (tool: string) => {
    const { runId, status, result } = await host.call({
      name: tool,
      arguments: { file: join(notes, tool), ms: 10 },
    });
    outcomes.push({ runId, tool, status, code: result.code ?? "-" });
  };
  for (const pair of [
    ["effect", "repeatable"],
    ["effect", "effect"],
    ["repeatable", "effect"],
  ])
    await Promise.all(pair.map(call));
  await host.close();
  await running[Symbol.asyncDispose]();
  cutter.close();
  expect(outcomes).toHaveLength(6);
  await findTruth(outcomes, notes, database);
  return { seen: cutter.seen(), ok: outcomes.filter(({ status }) => status === "ok").length };
}

test.each([
  ["host", "unsent"],
  ["host", "unanswered"],
  ["worker", "unsent"],
  ["worker", "unanswered"],
] as const)(
  "the ledger's connection of a %s that ends at the n-th message, %s: each call has one true outcome",
  isLong ? { timeout: 3_600_000 } : {},
  async (side, kind) => {
    const { seen, ok: all } = await runCut(side, kind, Number.POSITIVE_INFINITY);
    expect(all).toBe(6);
    const count = isLong ? seen : points;
    let ok = 0;
    for (let at = 0; at < count; at++) {
      const message = 1 + Math.round((at * (seen - 1)) / (count - 1));
      const run = await runCut(side, kind, message).catch((error: unknown) => {
        throw new Error(`message ${message} of about ${seen}`, { cause: error });
      });
      ok += run.ok;
    }
    stdout.write(
      `ledger, ${side}, ${kind}: ${count} cuts at about ${seen} messages, ${ok} of ${count * 6} ok\n`,
    );
  },
);
