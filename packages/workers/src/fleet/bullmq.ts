import type { FleetDelivery, FleetEngine, FleetReceiver, Logger } from "@toolmount/core";
import { createPostgresBackend, Queue, runMigrations, Worker, type JobsOptions } from "bullmq";
import type { Redis } from "ioredis";
import { z } from "zod";
import { Intake, type IntakeOptions, type Sent } from "./intake.ts";
import { Together } from "./together.ts";

/** Opens BullMQ on Redis or Postgres, depending on the URL. */
export async function openBullmq(url: string, logger: Logger): Promise<FleetEngine> {
  const connect = url.startsWith("redis") ? await connectRedis(url, logger) : await connectPostgres(url);
  return new BullmqEngine(connect, logger);
}

/** Those methods of BullMQ's queues and workers that this engine uses, with any database. */
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

/** Makes queues and workers with one kind of database. */
interface Connector {
  queue(name: string): EngineQueue;
  worker(name: string, fetchers: number, receive: (data: unknown) => Promise<void>): EngineWorker;
  /** Rejects if the database cannot be reached. */
  requireReachable(): Promise<void>;
  close(): Promise<void>;
}

/** Milliseconds of BullMQ's own lock, which only frees a place in the queue; the lease that counts is in the ledger. */
const lockMs = 5_000;

/** Options for workers. With `maxStalledCount: 0`, BullMQ never delivers a job again by itself. */
const workerOptions = (fetchers: number) => ({
  concurrency: fetchers,
  lockDuration: lockMs,
  stalledInterval: lockMs,
  maxStalledCount: 0,
  removeOnComplete: { count: 0 },
  removeOnFail: { count: 0 },
});

async function connectRedis(url: string, logger: Logger): Promise<Connector> {
  const { Redis: RedisClient } = await import("ioredis");
  const connection: Redis = new RedisClient(url, { maxRetriesPerRequest: null, lazyConnect: true });
  let last: unknown;
  connection.on("error", (err) => {
    last = err;
    logger.debug({ err }, "the connection of a fleet to Redis failed");
  });
  return {
    async requireReachable() {
      // The connection is lazy: without this, a host would connect only when it first sends a call.
      if (connection.status !== "wait") return;
      await connection.connect().catch((error: unknown) => {
        throw last ?? error;
      });
    },
    queue: (name) => new Queue(name, { connection, skipMetasUpdate: true }),
    worker: (name, fetchers, receive) =>
      new Worker(name, ({ data }) => receive(data), { connection, ...workerOptions(fetchers) }),
    close: async () => connection.disconnect(),
  };
}

async function connectPostgres(url: string): Promise<Connector> {
  await migrate(url);
  // A delivery that is lost in a crash of Postgres is sent again, so no delivery waits for the disk.
  const options = "-c synchronous_commit=off";
  const connection = (max: number) => ({ connectionString: url, max, keepAlive: true, options });
  return {
    queue: (name) =>
      new Queue(name, { connection: connection(2), skipMetasUpdate: true }, createPostgresBackend),
    worker: (name, fetchers, receive) =>
      new Worker(
        name,
        ({ data }: { data: unknown }) => receive(data),
        { connection: connection(4), ...workerOptions(fetchers) },
        createPostgresBackend,
      ),
    // `migrate` has reached the database already.
    requireReachable: async () => undefined,
    close: async () => undefined,
  };
}

/** Creates the tables of BullMQ, which does this only when asked to, in one transaction of one connection. */
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

class BullmqEngine implements FleetEngine {
  readonly #connect: Connector;
  readonly #logger: Logger;
  readonly #queues = new Map<string, EngineQueue>();
  readonly #outboxes = new Map<string, Together<Outgoing, void>>();

  constructor(connect: Connector, logger: Logger) {
    this.#connect = connect;
    this.#logger = logger;
  }

  async send(group: string, delivery: FleetDelivery, workers = 1): Promise<void> {
    const name = queueName(delivery.queue, group, delivery.nested);
    let outbox = this.#outboxes.get(name);
    if (outbox === undefined) {
      outbox = new Together((calls) => this.#sendAll(name, calls));
      this.#outboxes.set(name, outbox);
    }
    await outbox.add({ ...delivery, workers });
  }

  async receive(
    queue: string,
    group: string,
    concurrency: number,
    take: IntakeOptions["take"],
  ): Promise<FleetReceiver> {
    await this.#connect.requireReachable();
    const open = [false, true].map((nested) => {
      const name = queueName(queue, group, nested);
      const sendBack = (calls: readonly Sent[]) => this.#add(name, calls);
      const intake = new Intake({ concurrency: nested ? maxNested : concurrency, take, sendBack });
      const receive = async (data: unknown) => intake.receive(job.parse(data).calls);
      const worker = this.#connect.worker(name, intake.fetchers, receive);
      worker.on("error", (err) => this.#logger.debug({ err }, "the engine of a fleet failed"));
      return { worker, intake };
    });
    await Promise.all(open.map(({ worker }) => worker.waitUntilReady()));
    return {
      async close() {
        await Promise.all(open.flatMap(({ worker, intake }) => [worker.close(), intake.close()]));
      },
    };
  }

  async remove(queue: string, group: string): Promise<void> {
    for (const nested of [false, true]) {
      const name = queueName(queue, group, nested);
      await this.#queue(name).obliterate({ force: true });
      await this.#queues.get(name)?.close();
      this.#queues.delete(name);
      this.#outboxes.delete(name);
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#queues.values()].map((queue) => queue.close()));
    await this.#connect.close();
  }

  /** Distributes calls that are sent together among the workers. */
  async #sendAll(name: string, calls: readonly Outgoing[]): Promise<readonly void[]> {
    const size = Math.ceil(calls.length / Math.max(1, ...calls.map(({ workers }) => workers)));
    const parts = Array.from({ length: Math.ceil(calls.length / size) }, (_, at) =>
      calls.slice(at * size, (at + 1) * size),
    );
    await Promise.all(parts.map((part) => this.#add(name, part)));
    return calls.map(() => undefined);
  }

  /**
   * Adds one delivery with several calls. The smallest of their ranks is its priority. A worker that takes only some of the
   * calls sends the others back.
   */
  async #add(name: string, calls: readonly Sent[]): Promise<void> {
    const [first] = calls;
    const rank = Math.min(maxPriority, ...calls.map((call) => call.rank));
    // One id for each attempt, so that a delivery which is still in the queue is not added again.
    const jobId = `${first!.runId}.${first!.attempt}${calls.length > 1 ? `.${calls.length}` : ""}`;
    const data: z.input<typeof job> = {
      calls: calls.map(({ runId, attempt, rank: own }) => ({ runId, attempt, rank: own })),
    };
    const keep = { removeOnComplete: true, removeOnFail: true };
    await this.#queue(name).add("calls", data, { jobId, ...keep, ...(rank > 0 && { priority: rank }) });
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

/** A call to send, and the number of workers that may take it. */
interface Outgoing extends Sent {
  readonly workers: number;
}

/** The data of one delivery: the calls that a worker gets with it. */
const job = z.strictObject({
  calls: z.array(z.strictObject({ runId: z.string(), attempt: z.int(), rank: z.int() })).min(1),
});

/** Largest priority that BullMQ knows. Source: `priority` of its `DefaultJobOptions`. */
const maxPriority = 2_097_151;

/** Maximum number of calls by other tools that one worker runs at the same time. */
const maxNested = 1_000;

function queueName(queue: string, group: string, nested: boolean): string {
  return `toolmount-${queue}-${group}${nested ? "-nested" : ""}`;
}
