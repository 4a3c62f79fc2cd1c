import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Queue } from "bullmq";
import { Client } from "pg";
import { expect, onTestFinished, test } from "vitest";
import { openLedger } from "@toolmount/store";
import { startPostgres, startRedis, type RedisServer } from "./servers.ts";

/** How often something is killed; TOOLMOUNT_LOAD=full kills as often as the issue asks. */
const rounds = process.env["TOOLMOUNT_LOAD"] === "full" ? 500 : 4;
const leaseMs = 600;

const victims = ["worker", "host", "engine", "stop engine", "worker", "host", "worker", "worker"] as const;

interface Member {
  readonly child: ChildProcess;
  readonly role: "worker" | "host";
}

/** Workers and hosts in processes of their own, over one database and one Redis. */
class Fleet {
  readonly folder = mkdtempSync(join(tmpdir(), "toolmount-kill-fleet-"));
  readonly members: Member[] = [];
  outcomes = 0;
  #started = 0;
  #wake = () => {};
  readonly database: string;
  readonly engine: string;

  constructor(database: string, engine: string) {
    this.database = database;
    this.engine = engine;
  }

  start(role: Member["role"]): void {
    const program = fileURLToPath(new URL(`${role}-process.ts`, import.meta.url));
    const words = [this.database, this.engine, String(leaseMs), this.folder, String(this.#started++)];
    const child = spawn(process.execPath, ["--conditions=@toolmount/source", program, ...words], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const member = { child, role };
    this.members.push(member);
    createInterface({ input: child.stdout }).on("line", (line) => {
      if (line === "outcome") this.outcomes++;
      this.#wake();
    });
    child.once("exit", () => {
      const at = this.members.indexOf(member);
      if (at === -1) return;
      // It ended by itself, for example because it started while the database was away.
      this.members.splice(at, 1);
      this.start(role);
    });
  }

  async kill(role: Member["role"]): Promise<void> {
    const of = this.members.filter((member) => member.role === role);
    const victim = of[Math.floor(Math.random() * of.length)]!;
    this.members.splice(this.members.indexOf(victim), 1);
    const ended = once(victim.child, "exit");
    victim.child.kill("SIGKILL");
    await ended;
    this.start(role);
  }

  /** Waits until hosts have so many more outcomes. */
  async progress(more: number): Promise<void> {
    const target = this.outcomes + more;
    while (this.outcomes < target) await new Promise<void>((resolve) => (this.#wake = resolve));
  }

  async end(role: Member["role"]): Promise<void> {
    const of = this.members.filter((member) => member.role === role);
    for (const member of of) this.members.splice(this.members.indexOf(member), 1);
    await Promise.all(
      of.map(async ({ child }) => {
        const ended = once(child, "exit");
        child.kill("SIGTERM");
        await ended;
      }),
    );
  }

  killAll(): void {
    for (const { child } of this.members.splice(0)) child.kill("SIGKILL");
    rmSync(this.folder, { recursive: true, force: true });
  }
}

test(`after ${rounds} kills of workers, hosts and Redis each call has one outcome, and no effect happened twice`, async ({
  annotate,
}) => {
  const postgres = await startPostgres();
  let redis: RedisServer = await startRedis();
  const port = Number(new URL(redis.url).port);
  const fleet = new Fleet(await postgres.database("kill"), redis.url);
  onTestFinished(async () => {
    fleet.killAll();
    await redis.stop();
    await postgres.stop();
  });
  const ledger = await openLedger(fleet.database);
  for (const role of ["worker", "worker", "worker", "worker", "host", "host"] as const) fleet.start(role);
  await fleet.progress(20);

  for (let round = 0; round < rounds; round++) {
    const victim = victims[round % victims.length]!;
    if (victim === "engine") {
      await redis.stop();
      redis = await startRedis(port);
    } else if (victim === "stop engine") {
      redis.process.kill("SIGSTOP");
      await setTimeout(2 * leaseMs);
      redis.process.kill("SIGCONT");
    } else await fleet.kill(victim);
    await fleet.progress(1 + Math.floor(Math.random() * 8));
  }

  await fleet.end("host");
  for (;;) {
    const { waiting, running } = await ledger.depth("main");
    if (waiting + running === 0) break;
  }
  const left = await jobsLeft(redis.url);
  await fleet.end("worker");
  expect(left).toBe(0);
  await annotate(await judge(fleet));
  await ledger.close();
});

interface Outcome {
  readonly runId: string;
  readonly tool: string;
  readonly status: string;
  readonly code: string;
}

/** Compares what hosts saw, what tools did and what the ledger has. Resolves to the counts, for people. */
async function judge({ folder, database }: Fleet): Promise<string> {
  const outcomes = readdirSync(folder)
    .filter((name) => name.startsWith("outcomes-"))
    .flatMap((name) => linesOf(join(folder, name)))
    .map((line): Outcome => {
      const [runId = "", tool = "", status = "", code = ""] = line.split(" ");
      return { runId, tool, status, code };
    });
  const runs = countBy([...linesOf(join(folder, "effect"))]);
  const repeats = countBy([...linesOf(join(folder, "repeatable"))]);

  expect(new Set(outcomes.map(({ runId }) => runId)).size).toBe(outcomes.length);
  expect([...runs.values()].filter((count) => count > 1)).toEqual([]);
  for (const outcome of outcomes) {
    const { runId, tool, status, code } = outcome;
    const effects = (tool === "effect" ? runs : repeats).get(runId) ?? 0;
    if (status === "ok") expect({ ...outcome, effects: effects > 0 }).toMatchObject({ effects: true });
    else if (code === "UNAVAILABLE") expect({ ...outcome, effects }).toMatchObject({ effects: 0 });
    else expect(outcome).toMatchObject({ tool: "effect", status: "unknown", code: "OUTCOME_UNKNOWN" });
  }

  // Calls whose host was killed: each ended, too, and a host that lived has collected its own.
  const rows = await rowsOf(database);
  const known = new Map(outcomes.map((outcome) => [outcome.runId, outcome]));
  for (const { run_id: runId, state, kind, tool } of rows) {
    expect(state).toBe("ended");
    if (kind === "lost") expect(tool).toBe("effect");
    const outcome = known.get(runId);
    if (outcome !== undefined) expect(outcome.status === "unknown").toBe(kind === "lost");
  }
  const count = (status: string) => outcomes.filter((outcome) => outcome.status === status).length;
  const text = `${outcomes.length} outcomes: ${count("ok")} ok, ${count("unknown")} unknown, ${count("failed")} unavailable; ${rows.length} ends of killed hosts; ${[...repeats.values()].filter((times) => times > 1).length} idempotent calls ran again`;
  return text;
}

function linesOf(file: string): readonly string[] {
  return existsSync(file) ? readFileSync(file, "utf8").split("\n").filter(Boolean) : [];
}

function countBy(list: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const text of list) counts.set(text, (counts.get(text) ?? 0) + 1);
  return counts;
}

interface LedgerRow {
  readonly run_id: string;
  readonly state: string;
  readonly tool: string;
  readonly kind: string;
}

async function rowsOf(database: string): Promise<readonly LedgerRow[]> {
  const client = new Client({ connectionString: database });
  await client.connect();
  const sql = "select run_id, state, tool, ending::json ->> 'kind' as kind from toolmount_fleet_calls";
  const { rows } = await client.query<LedgerRow>(sql);
  await client.end();
  return rows;
}

/** Jobs in every queue of BullMQ, once the locks of killed workers have passed. */
async function jobsLeft(url: string): Promise<number> {
  const { Redis } = await import("ioredis");
  const redis = new Redis(url);
  const names = new Set((await redis.keys("bull:*")).map((key) => key.split(":")[1]!));
  let left = 1;
  for (let tries = 0; left > 0 && tries < 200; tries++) {
    left = 0;
    for (const name of names) {
      const queue = new Queue(name, { connection: { url } });
      const counts = await queue.getJobCounts(
        "active",
        "waiting",
        "prioritized",
        "delayed",
        "failed",
        "completed",
      );
      left += Object.values(counts).reduce((sum, count) => sum + count, 0);
      await queue.close();
    }
    if (left > 0) await setTimeout(100);
  }
  redis.disconnect();
  return left;
}
