import { randomBytes } from "node:crypto";
import type {
  Clock,
  FleetCall,
  FleetDelivery,
  FleetEngine,
  FleetEvent,
  FleetLedger,
  FleetMember,
  Logger,
  Timer,
} from "@toolmount/core";
import type { SentCall } from "./sent-call.ts";

/** What a host needs to send calls. */
interface FleetHostOptions {
  readonly ledger: FleetLedger;
  /** Returns the engine of a queue, which is opened when it is first needed. */
  readonly engineOf: (queue: string) => Promise<FleetEngine>;
  readonly logger: Logger;
  readonly clock: Clock;
}

/** Milliseconds between two looks at every open call, in case a notification was lost. */
const pollMs = 1_000;

/** Milliseconds after which a call that still waits is delivered again, in case the engine has lost it. */
export const staleMs = 5_000;

/** Milliseconds after the end of a call for which other ended calls are awaited, to delete their rows together. */
const collectMs = 20;

/** Milliseconds for which the row of a call stays after its end if another host could make the call again. */
const keptMs = 10_000;

/** Milliseconds without a report of a host after which other hosts adopt its calls. */
const aliveMs = 4_000;

/** Milliseconds for which the list of workers is used before it is read again. */
const membersMs = 500;

/** The calls that one host has sent and that have not ended. */
export class FleetHost {
  readonly name = `h${randomBytes(8).toString("hex")}`;
  readonly ledger: FleetLedger;
  readonly #options: FleetHostOptions;
  readonly #open = new Map<string, SentCall>();
  readonly #queues = new Map<string, number>();
  readonly #unread = new Set<string>();
  readonly #ended = new Set<string>();
  /** Calls that another host could make again; and those of them that have ended, with the time when to delete their rows. */
  readonly #kept = new Set<string>();
  readonly #later = new Map<string, number>();
  #reportedAt = Number.NEGATIVE_INFINITY;
  #isClosing = false;
  readonly #members = new Map<
    string,
    { readonly at: number; readonly list: Promise<readonly FleetMember[]> }
  >();
  #stopWatching: () => Promise<void> = async () => undefined;
  #reading: Promise<void> | undefined;
  #polling: Promise<void> | undefined;
  #timer: Timer | undefined;
  #collecting: Timer | undefined;

  constructor(options: FleetHostOptions) {
    this.#options = options;
    this.ledger = options.ledger;
  }

  async start(): Promise<void> {
    this.#stopWatching = await this.ledger.watch(this.name, (event) => this.#notice(event));
  }

  /**
   * Reports that this host runs, unless it did so just now. As long as it reports, no other host adopts its calls. Rejects if
   * the ledger cannot be reached.
   */
  async report(): Promise<void> {
    const now = this.#options.clock.now();
    if (now - this.#reportedAt < pollMs) return;
    const { name } = this;
    await this.ledger.report({ name, role: "host", queue: "", group: "", tools: {}, facts: {} }, aliveMs);
    this.#reportedAt = now;
  }

  /** Follows a call until it ends. Returns a function that stops this. */
  follow(call: SentCall, { queue, identity }: Pick<FleetCall, "queue" | "identity">): () => void {
    this.#open.set(call.runId, call);
    if (identity !== undefined) this.#kept.add(call.runId);
    if (call.isAdopted) this.#read(call.runId);
    this.#queues.set(queue, (this.#queues.get(queue) ?? 0) + 1);
    this.#schedule();
    return () => {
      this.#open.delete(call.runId);
      this.#kept.delete(call.runId);
      const left = (this.#queues.get(queue) ?? 1) - 1;
      if (left === 0) this.#queues.delete(queue);
      else this.#queues.set(queue, left);
    };
  }

  /** Passes a call to the engine, for workers that have its tool. If there is none, the call waits until one starts. */
  async deliver(delivery: FleetDelivery): Promise<void> {
    const { queue, tool, digest } = delivery;
    const find = async () => (await this.workers(queue)).filter(({ tools }) => tools[tool] === digest);
    let workers = await find();
    if (workers.length === 0 && this.#forgetWorkers(queue)) workers = await find();
    const worker = workers[Math.floor(Math.random() * workers.length)];
    if (worker === undefined) return;
    const engine = await this.#options.engineOf(queue);
    const peers = workers.filter(({ group }) => group === worker.group).length;
    await engine.send(worker.group, delivery, peers);
  }

  /** Returns the workers of a queue that report that they run. */
  async workers(queue: string): Promise<readonly FleetMember[]> {
    const now = this.#options.clock.now();
    const known = this.#members.get(queue);
    if (known !== undefined && now - known.at < membersMs) return known.list;
    const list = this.ledger
      .members(queue)
      .then((members) => members.filter(({ role }) => role === "worker"));
    this.#members.set(queue, { at: now, list });
    list.catch(() => this.#members.delete(queue));
    return list;
  }

  /** Forgets the list of workers. Returns false if it was read just now. */
  #forgetWorkers(queue: string): boolean {
    const known = this.#members.get(queue);
    return known?.at !== this.#options.clock.now() && this.#members.delete(queue);
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    this.#timer?.cancel();
    this.#collecting?.cancel();
    await this.#stopWatching();
    await this.#polling;
    await this.#reading;
    await this.#collect();
    await this.ledger.leave(this.name).catch(() => undefined);
    await this.ledger.close();
  }

  /** Handles a notification that a call has ended, or that there is something to read about it. */
  #notice({ kind, runId, end }: FleetEvent): void {
    const call = this.#open.get(runId);
    // Nothing waits for the end of a call that was cancelled or withdrawn.
    if (call === undefined) return kind === "ended" ? this.#afterEnd(runId) : undefined;
    if (end === undefined || end.kind === "stored") return this.#read(runId);
    call.finish(end);
    this.#afterEnd(runId);
  }

  /** Reads the news about a call, together with news about others that arrived meanwhile. */
  #read(runId: string): void {
    if (!this.#open.has(runId)) return;
    this.#unread.add(runId);
    this.#reading ??= this.#readAll().finally(() => (this.#reading = undefined));
  }

  async #readAll(): Promise<void> {
    while (this.#unread.size > 0) {
      const calls = [...this.#unread].flatMap((runId) => this.#open.get(runId) ?? []);
      this.#unread.clear();
      try {
        if (calls.length > 0) await this.#readNews(calls);
      } catch (err) {
        this.#options.logger.debug({ err }, "the ledger of a fleet could not be read");
        return;
      }
    }
  }

  /** Reads the ends before the messages, so that no message is missed which was sent before an end. */
  async #readNews(calls: readonly SentCall[]): Promise<void> {
    const { ledger } = this;
    const ends = await ledger.ends(calls.map(({ runId }) => runId));
    const after = new Map(calls.map(({ runId, heard }) => [runId, heard]));
    for (const message of await ledger.heard("host", after)) this.#open.get(message.runId)?.hear(message);
    for (const call of calls) {
      const end = ends.get(call.runId);
      if (end === undefined) continue;
      const isStored = end.kind === "stored";
      call.finish(isStored ? { kind: "answered", answer: await ledger.answerOf(call.runId) } : end);
      this.#afterEnd(call.runId);
    }
  }

  /**
   * Notes that a call has ended. The row of a call that could be made again is deleted later, because this host may end before
   * its caller has stored the outcome. An end may be noticed twice, if it is read and its notification arrives meanwhile.
   */
  #afterEnd(runId: string): void {
    if (this.#later.has(runId)) return;
    if (this.#kept.delete(runId)) this.#later.set(runId, this.#options.clock.now() + keptMs);
    else this.#ended.add(runId);
    this.#collectSoon();
  }

  /** Deletes the rows of calls that end at about the same time in one statement. */
  #collectSoon(): void {
    this.#collecting ??= this.#options.clock.setTimer(() => {
      this.#collecting = undefined;
      void this.#collect();
    }, collectMs);
  }

  async #collect(): Promise<void> {
    const now = this.#options.clock.now();
    for (const [runId, at] of this.#later) {
      if (at > now && !this.#isClosing) break;
      this.#later.delete(runId);
      this.#ended.add(runId);
    }
    const runIds = [...this.#ended];
    if (runIds.length === 0) return;
    this.#ended.clear();
    await this.ledger.collect(runIds).catch(() => runIds.forEach((runId) => this.#ended.add(runId)));
  }

  #schedule(): void {
    if (this.#timer !== undefined) return;
    this.#timer = this.#options.clock.setTimer(() => {
      this.#polling = this.#poll().finally(() => {
        this.#timer = undefined;
        const isIdle = this.#open.size === 0 && this.#ended.size === 0 && this.#later.size === 0;
        if (!isIdle && !this.#isClosing) this.#schedule();
      });
    }, pollMs);
    this.#timer.keepAlive(false);
  }

  /** Looks at every open call, ends those of lost workers, and delivers calls again that have waited for long. */
  async #poll(): Promise<void> {
    for (const runId of this.#open.keys()) this.#read(runId);
    try {
      await this.report();
      await this.#collect();
      const late = await this.ledger.expire([...this.#queues.keys()], staleMs);
      await Promise.all(late.map((delivery) => this.deliver(delivery)));
    } catch (err) {
      this.#options.logger.debug({ err }, "the ledger of a fleet could not be read");
    }
  }
}
