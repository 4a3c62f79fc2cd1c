import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stdout } from "node:process";
import { createInterface } from "node:readline";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Queue } from "bullmq";
import { Redis } from "ioredis";
import { Client } from "pg";
import { expect, onTestFinished, test } from "vitest";
import { openLedger } from "@toolmount/store";
import type { PostgresServer } from "../../../store/test/postgres.ts";
import { findTruth, linesOf, type Ended } from "./truth.ts";
import { startPostgres, startRedis, type RedisServer } from "./servers.ts";

/** How often something is killed; TOOLMOUNT_LOAD=full kills as often as the issue asks. */
const isFull = process.env["TOOLMOUNT_LOAD"] === "full";
const rounds = isFull ? 500 : 5;
const leaseMs = 600;

/** Longer than every lease: BullMQ's own lock is 5 s. */
const longStopMs = 6_000;

/** `npm test` builds first: built programs start in less than half of the time. */
const flags = process.env["TOOLMOUNT_TEST_BUILT"] === "1" ? [] : ["--conditions=@toolmount/source"];

type Victim = "worker" | "host" | "redis" | "stop redis" | "postgres" | "stop postgres" | "stop for long";

const engines: Readonly<Record<"redis" | "postgres", readonly Victim[]>> = {
  redis: ["worker", "redis", "host", "stop redis", "postgres", "worker", "host", "worker"],
  postgres: ["worker", "postgres", "host", "stop postgres", "worker", "worker", "host", "worker"],
};

/** What a round kills. Of the full count, one stop in 50 rounds is longer than every lease. */
function victimOf(list: readonly Victim[], round: number): Victim {
  return round % 50 === 49 ? "stop for long" : list[round % list.length]!;
}

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
    const child = spawn(process.execPath, [...flags, program, ...words], {
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

test.each(["redis", "postgres"] as const)(
  `over %s, after ${rounds} kills of workers, hosts and servers each call has one outcome, and no effect happened twice`,
  isFull ? { timeout: 7_200_000 } : {},
  async (engine) => {
    const servers = await Servers.start(engine);
    const fleet = new Fleet(servers.database, servers.engine);
    onTestFinished(async () => {
      fleet.killAll();
      await servers.stop();
    });
    for (const role of ["worker", "worker", "worker", "worker", "host", "host"] as const) fleet.start(role);
    await fleet.progress(20);

    for (let round = 0; round < rounds; round++) {
      const victim = victimOf(engines[engine], round);
      if (victim === "worker" || victim === "host") await fleet.kill(victim);
      else await servers.disturb(victim);
      await fleet.progress(1 + Math.floor(Math.random() * 8));
      if (isFull && round % 25 === 24)
        stdout.write(`${engine}: ${round + 1} kills, ${fleet.outcomes} outcomes\n`);
    }

    await fleet.end("host");
    await callsEnd(fleet.database);
    expect(await servers.jobsLeft()).toBe(0);
    await fleet.end("worker");
    stdout.write(`${engine}: ${await judge(fleet)}\n`);
  },
);

/** A Postgres with the ledger, and a Redis where it is the engine. */
class Servers {
  readonly database: string;
  readonly engine: string;
  readonly #postgres: PostgresServer;
  #redis: RedisServer | undefined;

  private constructor(postgres: PostgresServer, redis: RedisServer | undefined, database: string) {
    this.#postgres = postgres;
    this.#redis = redis;
    this.database = database;
    this.engine = redis?.url ?? "-";
  }

  static async start(engine: "redis" | "postgres"): Promise<Servers> {
    const postgres = await startPostgres();
    const redis = engine === "redis" ? await startRedis() : undefined;
    return new Servers(postgres, redis, await postgres.database("kill"));
  }

  async disturb(victim: Exclude<Victim, "worker" | "host">): Promise<void> {
    if (victim === "postgres") return this.#postgres.crash();
    if (victim === "redis") {
      const { url } = this.#redis!;
      await this.#redis!.stop();
      this.#redis = await startRedis(Number(new URL(url).port));
      return;
    }
    const signal = (name: "SIGSTOP" | "SIGCONT") =>
      this.#redis === undefined || victim === "stop postgres"
        ? this.#postgres.signal(name)
        : void this.#redis.process.kill(name);
    signal("SIGSTOP");
    await setTimeout(victim === "stop for long" ? longStopMs : 2 * leaseMs);
    signal("SIGCONT");
  }

  /** Jobs in the queues of BullMQ, once the locks of killed workers have passed. */
  async jobsLeft(): Promise<number> {
    for (let tries = 0; ; tries++) {
      const left =
        this.#redis === undefined ? await jobsInPostgres(this.database) : await jobsInRedis(this.#redis.url);
      if (left === 0 || tries === 600) return left;
      await setTimeout(100);
    }
  }

  async stop(): Promise<void> {
    await this.#redis?.stop();
    await this.#postgres.stop();
  }
}

/** Waits until no call waits or runs. */
async function callsEnd(database: string): Promise<void> {
  const ledger = await openLedger(database);
  for (;;) {
    const { waiting, running } = await ledger.depth("main");
    if (waiting + running === 0) break;
    await setTimeout(50);
  }
  await ledger.close();
}

/** Compares what hosts saw, what tools did and what the ledger has. Resolves to the counts, for people. */
async function judge({ folder, database }: Fleet): Promise<string> {
  const outcomes = readdirSync(folder)
    .filter((name) => name.startsWith("outcomes-"))
    .flatMap((name) => linesOf(join(folder, name)))
    .map((line): Ended => {
      const [runId = "", tool = "", status = "", code = ""] = line.split(" ");
      return { runId, tool, status, code };
    });
  const { ends, repeated } = await findTruth(outcomes, folder, database);
  const count = (status: string) => outcomes.filter((outcome) => outcome.status === status).length;
  return `${outcomes.length} outcomes: ${count("ok")} ok, ${count("unknown")} unknown, ${count("failed")} unavailable; ${ends} ends of killed hosts; ${repeated} idempotent calls ran again`;
}

async function jobsInPostgres(database: string): Promise<number> {
  const client = new Client({ connectionString: database });
  await client.connect();
  const { rows } = await client.query<{ jobs: number }>("select count(*)::int as jobs from bullmq.job");
  await client.end();
  return rows[0]!.jobs;
}

async function jobsInRedis(url: string): Promise<number> {
  const redis = new Redis(url);
  const names = new Set((await redis.keys("bull:*")).map((key) => key.split(":")[1]!));
  redis.disconnect();
  let left = 0;
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
  return left;
}
