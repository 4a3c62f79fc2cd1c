import { setImmediate } from "node:timers/promises";
import type { Announce, JsonObject } from "@toolmount/core";
import { announcedEvents } from "../far/contributions.ts";
import type { DescribedByProcess } from "./described-module.ts";
import type { FarProcess } from "./far-process.ts";

/** How a pool starts processes, and how many it may have. */
interface PoolOptions {
  readonly start: () => Promise<FarProcess>;
  /**
   * Maximum number of processes for calls from outside. Calls by tools may add some, so that no call waits for a process that its caller
   * holds.
   */
  readonly processes: number;
}

/**
 * Maximum number of calls of one depth that have a process, if tools made them. Such a call waits only for deeper calls, so calls of the
 * same depth may queue for a place without blocking each other for ever.
 */
const maxNested = 16;

/**
 * The processes of one module. A process runs one call at a time, and then waits for the next. A module that keeps state has
 * one process for all its calls. A process that ends is replaced in the background.
 */
export class ModulePool {
  readonly #options: PoolOptions;
  readonly #alive = new Set<FarProcess>();
  readonly #idle: FarProcess[] = [];
  readonly #waiting: PromiseWithResolvers<void>[] = [];
  readonly #nested = new NestedPlaces();
  #starting = 0;
  /** Resolves when the last start of a process is over. */
  #begun: Promise<unknown> = Promise.resolve();
  #shared: Promise<FarProcess> | undefined;
  /** The process with the staged effects of each rehearsal. */
  readonly #stages = new WeakMap<object, Promise<FarProcess>>();
  /** Whether the module keeps state between calls; undefined until the first process has mounted it. */
  #keepsState: boolean | undefined;
  #described: DescribedByProcess | undefined;
  /** Called with each event that the module has announced and then emits. */
  #announce: Announce = () => undefined;
  #isClosed = false;
  /** Number of processes that were taken and not returned. */
  #taken = 0;
  /** Whether the module has newer content. The pool then ends each process that runs no call. */
  isRetired = false;

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  /** Returns a process for one call; depth 0 is a call from outside. Rejects with the reason if none could be started. */
  async take(depth: number): Promise<FarProcess> {
    this.#taken++;
    try {
      await this.#nested.enter(depth);
      return await this.#take(depth > 0);
    } catch (error) {
      this.#taken--;
      this.#nested.leave(depth);
      throw error;
    }
  }

  /** Returns a process that waits for calls. Undefined if one has to be started or awaited, and for calls by tools. */
  takeNow(depth: number): FarProcess | undefined {
    if (depth > 0 || this.#isClosed || this.#keepsState !== false) return undefined;
    const far = this.#takeIdle();
    if (far !== undefined) this.#taken++;
    return far;
  }

  /**
   * Returns the process that runs all previews of a rehearsal, and other calls at the same time. Rejects if it has ended,
   * because the staged effects are then lost.
   */
  async stageOf(rehearsal: object, depth: number): Promise<FarProcess> {
    const known = this.#stages.get(rehearsal);
    if (known === undefined) {
      const stage = this.take(depth).then((far) => {
        this.give(far, depth);
        return far;
      });
      this.#stages.set(rehearsal, stage);
      stage.catch(() => this.#stages.delete(rehearsal));
      return stage;
    }
    const far = await known;
    if (far.isAlive) return far;
    throw new Error("the process that had what the rehearsal staged has ended; rehearse again");
  }

  /** Ends the processes that wait for calls, and from then on each process after its call. */
  retire(): void {
    this.isRetired = true;
    this.#endIdle();
  }

  async #take(nested: boolean): Promise<FarProcess> {
    for (;;) {
      if (this.#isClosed) throw new Error("the host is closed");
      if (this.#keepsState !== false) {
        const shared = await this.#takeShared();
        if (shared !== undefined) return shared;
      }
      const idle = this.#takeIdle();
      if (idle !== undefined) return idle;
      if (nested || this.#alive.size + this.#starting < this.#options.processes) return this.#start();
      const turn = Promise.withResolvers<void>();
      this.#waiting.push(turn);
      await turn.promise;
    }
  }

  /** Returns a process to the pool after its call. */
  give(far: FarProcess, depth: number): void {
    this.#taken--;
    this.#nested.leave(depth);
    if (this.#keepsState !== true && far.isAlive) this.#idle.push(far);
    this.#waiting.shift()?.resolve();
    if (this.isRetired) this.#endIdle();
  }

  /** Returns what the first process reported about the module. */
  async describe(announce: Announce): Promise<DescribedByProcess> {
    this.#announce = announce;
    if (this.#described === undefined) this.give(await this.take(0), 0);
    return this.#described ?? { tools: [], contributions: [], hooks: [], capabilities: [] };
  }

  /** Passes on an event, if the module has announced it in `observability.events`. */
  announce(event: string, data: JsonObject): void {
    if (announcedEvents(this.#described?.contributions ?? []).has(event)) this.#announce(event, data);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const turn of this.#waiting.splice(0)) turn.resolve();
    const all = [...this.#alive];
    for (const far of all) far.kill("the host closed");
    await Promise.all(all.map(({ ended }) => ended));
  }

  /** Returns the only process of a module that keeps state; undefined if it turns out that the module keeps none. */
  async #takeShared(): Promise<FarProcess | undefined> {
    this.#shared ??= this.#start();
    const shared = this.#shared;
    try {
      const far = await shared;
      if (this.#keepsState === false) return shared === this.#shared ? this.#takeFirst(far) : undefined;
      if (far.isAlive) return far;
    } catch (error) {
      if (this.#shared === shared) this.#shared = undefined;
      throw error;
    }
    if (this.#shared === shared) this.#shared = undefined;
    return this.#takeShared();
  }

  /** Makes the first process an ordinary one, which the first of the calls that waited for it gets. */
  #takeFirst(far: FarProcess): FarProcess | undefined {
    this.#shared = undefined;
    return far.isAlive ? far : undefined;
  }

  #endIdle(): void {
    const idle = this.#taken === 0 ? [...this.#alive] : this.#idle;
    for (const far of idle) far.kill("its module has newer content");
    this.#idle.length = 0;
  }

  #takeIdle(): FarProcess | undefined {
    for (let far = this.#idle.pop(); far !== undefined; far = this.#idle.pop()) if (far.isAlive) return far;
    return undefined;
  }

  async #start(): Promise<FarProcess> {
    this.#starting++;
    try {
      const far = await this.#begin();
      this.#alive.add(far);
      void far.ended.then(() => this.#onEnd(far));
      const { keepsState, tools, contributions = [], hooks = [], capabilities = [] } = await far.mounted;
      if (tools !== undefined) this.#described ??= { tools, contributions, hooks, capabilities };
      this.#keepsState ??= keepsState;
      return far;
    } finally {
      this.#starting--;
      this.#waiting.shift()?.resolve();
    }
  }

  /** Starts a process after the previous start, in another turn of the event loop, because a start blocks for milliseconds. */
  #begin(): Promise<FarProcess> {
    const begun = this.#begun.then(() => setImmediate()).then(() => this.#options.start());
    this.#begun = begun.catch(() => undefined);
    return begun;
  }

  /**
   * Handles the end of a process. If a call waits, it may now start a process. Otherwise the process is replaced, so that the
   * next call finds one, unless it could not mount its module.
   */
  #onEnd(far: FarProcess): void {
    this.#alive.delete(far);
    if (this.#alive.size + this.#starting >= this.#options.processes) return;
    const waits = this.#waiting.shift();
    if (waits !== undefined) return waits.resolve();
    // A module that keeps state gets a new process, with new state, only at its next call.
    if (this.#isClosed || this.isRetired || this.#keepsState !== false) return;
    void far.mounted
      .then(() => this.#start())
      .then(
        (replacement) => {
          this.#taken++;
          this.give(replacement, 0);
        },
        // The next call starts a process itself, and reports why that fails.
        () => undefined,
      );
  }
}

/** Counts the calls by tools that have a process, by depth, and queues those that wait for one. */
class NestedPlaces {
  readonly #taken = new Map<number, number>();
  readonly #waiting = new Map<number, (() => void)[]>();

  async enter(depth: number): Promise<void> {
    const taken = this.#taken.get(depth) ?? 0;
    if (depth === 0) return;
    if (taken < maxNested) return void this.#taken.set(depth, taken + 1);
    const turn = Promise.withResolvers<void>();
    const waiting = this.#waiting.get(depth) ?? [];
    waiting.push(turn.resolve);
    this.#waiting.set(depth, waiting);
    await turn.promise;
  }

  /** Frees a place, or passes it to the next waiting call. */
  leave(depth: number): void {
    if (depth === 0) return;
    const next = this.#waiting.get(depth)?.shift();
    if (next === undefined) this.#taken.set(depth, (this.#taken.get(depth) ?? 0) - 1);
    else next();
  }
}
