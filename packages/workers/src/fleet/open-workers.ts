import { hostname } from "node:os";
import {
  systemClock,
  ToolmountError,
  type Coordinator,
  type FleetLedger,
  type JsonObject,
  type Logger,
} from "@toolmount/core";
import { messageOf } from "@toolmount/core/errors";
import { isUnreachable, toolsHere } from "@toolmount/core/internal";
import { openEngineOf } from "./open-engine.ts";
import { FleetRunner } from "./fleet-runner.ts";
import { digestOfTool } from "./group.ts";
import { FleetWorker } from "./fleet-worker.ts";
import type { WorkerTool } from "./run-tool.ts";

/** Options of {@link openWorkers}. */
export interface WorkersOptions {
  /** Queues from which calls are taken. Default: all queues of the plan. */
  readonly queues?: readonly string[] | undefined;
  /** Number of calls of one queue that run at the same time. Default 4. */
  readonly concurrency?: number | undefined;
  /** Facts about the workers that `toolmount fleet` shows, such as the version of the plan. */
  readonly facts?: JsonObject | undefined;
  readonly logger: Logger;
}

/** The workers of a process, one for each queue. */
export interface Workers {
  readonly workers: readonly {
    readonly name: string;
    readonly queue: string;
    readonly tools: readonly string[];
  }[];
  /** Stops taking calls. Running calls may end within `graceMs` (default 10000); then they are aborted. */
  close(options?: { readonly graceMs?: number | undefined }): Promise<void>;
}

/**
 * Runs calls that other hosts send to the queues of a plan, with the tools of a host that has this plan. Rejects with
 * `USAGE_INVALID` if the plan has no `run: { in: fleet }` with these queues, and with `STATE_UNAVAILABLE` or
 * `ENGINE_UNAVAILABLE` if the database or the engine cannot be opened; `details.away` says that a later attempt may succeed.
 */
export async function openWorkers(
  host: { readonly coordinator: Coordinator },
  options: WorkersOptions,
): Promise<Workers> {
  const queues = groupByQueue(host, options.queues);
  const source = host.coordinator.getCapability("fleet.ledger");
  if (source === null || queues.size === 0)
    throw new ToolmountError("USAGE_INVALID", { problem: nothingToDo(options.queues) });
  const ledger = await source.open();
  const closers: (() => Promise<unknown>)[] = [() => ledger.close()];
  const closeAll = async () => {
    for (const close of closers.splice(0).toReversed()) await close();
  };
  try {
    const opened: Opened[] = [];
    const more = { ...options, coordinator: host.coordinator, ledger, closers };
    for (const [queue, entries] of queues) opened.push(await openWorker(queue, entries, source.url, more));
    return toWorkers(opened, closeAll);
  } catch (error) {
    await closeAll();
    throw error;
  }
}

/** Returns the queues to which a plan's calls go, each with the digests of its tools by name. */
export function fleetQueues(host: {
  readonly coordinator: Coordinator;
}): ReadonlyMap<string, Readonly<Record<string, string>>> {
  const digests = (entries: readonly QueueEntry[]) =>
    Object.fromEntries(entries.map(({ tool: { info } }) => [info.name, digestOfTool(info)]));
  return new Map([...groupByQueue(host, undefined)].map(([queue, entries]) => [queue, digests(entries)]));
}

interface QueueEntry {
  readonly tool: WorkerTool["tool"];
  readonly runner: FleetRunner;
}

interface Opened {
  readonly worker: FleetWorker;
  readonly queue: string;
  readonly tools: readonly string[];
}

/** Returns the tools whose calls go to a fleet, by queue. */
function groupByQueue(
  host: { readonly coordinator: Coordinator },
  wanted: readonly string[] | undefined,
): ReadonlyMap<string, readonly QueueEntry[]> {
  const runners = host.coordinator.get("runners") as ReadonlyMap<string, unknown>;
  const entries = toolsHere(host).flatMap((tool): QueueEntry[] => {
    const runner = tool.runner === null ? undefined : runners.get(tool.runner);
    return runner instanceof FleetRunner ? [{ tool, runner }] : [];
  });
  const byQueue = Map.groupBy(entries, ({ runner }) => runner.settings.queue);
  return new Map([...byQueue].filter(([queue]) => wanted === undefined || wanted.includes(queue)));
}

function nothingToDo(queues: readonly string[] | undefined): string {
  const named = queues === undefined ? "" : ` with the queue ${queues.join(" or ")}`;
  return `no entry of the plan has "run: { in: fleet }"${named}, so a worker has nothing to run`;
}

async function openWorker(
  queue: string,
  entries: readonly QueueEntry[],
  database: string,
  {
    coordinator,
    ledger,
    closers,
    concurrency = 4,
    facts = {},
    logger,
  }: WorkersOptions & {
    readonly coordinator: Coordinator;
    readonly ledger: FleetLedger;
    readonly closers: (() => Promise<unknown>)[];
  },
): Promise<Opened> {
  const { seal, settings } = entries[0]!.runner;
  const { engine: url = database, leaseMs, keepMs } = settings;
  const engine = await openEngineOf(coordinator, url, logger).catch((error: unknown) =>
    unavailable(url, error),
  );
  closers.push(() => engine.close());
  const tools: WorkerTool[] = [];
  for (const [fleet, group] of Map.groupBy(entries, ({ runner }) => runner)) {
    const runner = await fleet.processes();
    tools.push(...group.map(({ tool }) => ({ tool, runner })));
  }
  const more = { machine: hostname(), pid: process.pid, node: process.version, ...facts };
  const clock = systemClock;
  const worker = new FleetWorker({
    ledger,
    engine,
    queue,
    seal,
    tools,
    concurrency,
    leaseMs,
    keepMs,
    logger,
    clock,
    facts: more,
  });
  await worker.start().catch((error: unknown) => unavailable(url, error));
  return { worker, queue, tools: tools.map(({ tool }) => tool.info.name) };
}

/**
 * Throws an error of the engine's database as one that names the database, without its password; throws other errors unchanged.
 */
function unavailable(url: string, cause: unknown): never {
  if (!isUnreachable(cause)) throw cause;
  const details = { where: url.replace(/\/\/[^@/]*@/, "//…@"), problem: messageOf(cause), away: true };
  throw new ToolmountError("ENGINE_UNAVAILABLE", details, { cause });
}

function toWorkers(opened: readonly Opened[], closeAll: () => Promise<void>): Workers {
  return {
    workers: opened.map(({ worker, queue, tools }) => ({ name: worker.name, queue, tools })),
    async close({ graceMs = 10_000 } = {}) {
      await Promise.all(opened.map(({ worker }) => worker.close(graceMs)));
      await closeAll();
    },
  };
}
