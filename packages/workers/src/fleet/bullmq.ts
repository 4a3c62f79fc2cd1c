import type { FleetDelivery, Logger } from "@toolmount/core";
import { createPostgresBackend, Queue, runMigrations, Worker, type JobsOptions } from "bullmq";
import type { Redis } from "ioredis";
import type { Engine, Receiver } from "./engine.ts";

/** Opens BullMQ on Redis or Postgres, by the URL. */
export async function openBullmq(url: string, logger: Logger): Promise<Engine> {
  const connect = url.startsWith("redis") ? await connectRedis(url, logger) : await connectPostgres(url);
  return new BullmqEngine(connect, logger);
}

/** What this engine needs of a queue and a worker of BullMQ, whichever their database. */
interface EngineQueue {
  add(name: string, data: object, options: JobsOptions): Promise<unknown>;
  obliterate(options: { force: boolean }): Promise<void>;
  close(): Promise<void>;
  on(event: "error", listener: (error: Error) => void): unknown;
}

interface EngineWorker {
  waitUntilReady(): Promise<unknown>;
  close(): Promise<void>;
  on(event: "error", listener: (error: Error) => void): unknown;
}

/** Makes queues and workers on one kind of database. */
interface Connector {
  queue(name: string): EngineQueue;
  worker(name: string, concurrency: number, run: (runId: string) => Promise<void>): EngineWorker;
  close(): Promise<void>;
}

/** Milliseconds of BullMQ's own lock, which only frees a place in the queue: the ledger has the lease that counts. */
const lockMs = 5_000;

/** `maxStalledCount: 0`: BullMQ never delivers a job again by itself. */
const workerOptions = (concurrency: number) => ({
  concurrency,
  lockDuration: lockMs,
  stalledInterval: lockMs,
  maxStalledCount: 0,
  removeOnComplete: { count: 0 },
  removeOnFail: { count: 0 },
});

async function connectRedis(url: string, logger: Logger): Promise<Connector> {
  const { Redis: RedisClient } = await import("ioredis");
  const connection: Redis = new RedisClient(url, { maxRetriesPerRequest: null, lazyConnect: true });
  connection.on("error", (err) => logger.debug({ err }, "the connection of a fleet to Redis failed"));
  return {
    queue: (name) => new Queue(name, { connection, skipMetasUpdate: true }),
    worker: (name, concurrency, run) =>
      new Worker(name, ({ name: runId }) => run(runId), { connection, ...workerOptions(concurrency) }),
    close: async () => connection.disconnect(),
  };
}

async function connectPostgres(url: string): Promise<Connector> {
  await migrate(url);
  const connection = (max: number) => ({ connectionString: url, max, keepAlive: true });
  return {
    queue: (name) =>
      new Queue(name, { connection: connection(2), skipMetasUpdate: true }, createPostgresBackend),
    worker: (name, concurrency, run) =>
      new Worker(
        name,
        ({ name: runId }: { name: string }) => run(runId),
        { connection: connection(4), ...workerOptions(concurrency) },
        createPostgresBackend,
      ),
    close: async () => undefined,
  };
}

/** BullMQ creates its tables only when asked to, in one transaction of one connection. */
async function migrate(url: string): Promise<void> {
  const { Client } = await import("pg");
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  client.on("error", () => undefined);
  await client.connect();
  try {
    await runMigrations(client);
  } finally {
    await client.end();
  }
}

class BullmqEngine implements Engine {
  readonly #connect: Connector;
  readonly #logger: Logger;
  readonly #queues = new Map<string, EngineQueue>();

  constructor(connect: Connector, logger: Logger) {
    this.#connect = connect;
    this.#logger = logger;
  }

  async send(group: string, { runId, queue, attempt, nested, rank }: FleetDelivery): Promise<void> {
    // One id for each attempt: a delivery that is still in the queue is not added again.
    const jobId = `${runId}.${attempt}`;
    const priority = Math.min(rank, maxPriority);
    await this.#queue(queueName(queue, group, nested)).add(
      runId,
      {},
      { jobId, removeOnComplete: true, removeOnFail: true, ...(priority > 0 && { priority }) },
    );
  }

  async receive(
    queue: string,
    group: string,
    concurrency: number,
    take: (runId: string) => Promise<void>,
  ): Promise<Receiver> {
    const workers = [false, true].map((nested) => {
      const name = queueName(queue, group, nested);
      const worker = this.#connect.worker(name, nested ? maxNested : concurrency, take);
      worker.on("error", (err) => this.#logger.debug({ err }, "the engine of a fleet failed"));
      return worker;
    });
    await Promise.all(workers.map((worker) => worker.waitUntilReady()));
    return {
      async close() {
        await Promise.all(workers.map((worker) => worker.close()));
      },
    };
  }

  async remove(queue: string, group: string): Promise<void> {
    for (const nested of [false, true]) {
      const name = queueName(queue, group, nested);
      await this.#queue(name).obliterate({ force: true });
      await this.#queues.get(name)?.close();
      this.#queues.delete(name);
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#queues.values()].map((queue) => queue.close()));
    await this.#connect.close();
  }

  #queue(name: string): EngineQueue {
    const known = this.#queues.get(name);
    if (known !== undefined) return known;
    const queue = this.#connect.queue(name);
    queue.on("error", (err) => this.#logger.debug({ err }, "the engine of a fleet failed"));
    this.#queues.set(name, queue);
    return queue;
  }
}

/** Largest priority that BullMQ knows. Source: `priority` of its `DefaultJobOptions`. */
const maxPriority = 2_097_151;

/** Calls by tools that one worker runs at the same time. */
const maxNested = 1_000;

function queueName(queue: string, group: string, nested: boolean): string {
  return `toolmount-${queue}-${group}${nested ? "-nested" : ""}`;
}
