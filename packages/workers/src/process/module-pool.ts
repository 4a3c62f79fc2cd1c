import type { Announce, JsonObject } from "@toolmount/core";
import { announcedEvents, type Contribution } from "../far/contributions.ts";
import type { DescribedTool } from "../far/described-tool.ts";
import type { FarProcess } from "./far-process.ts";

/** What a process reports of its module. */
interface DescribedByProcess {
  readonly tools: readonly DescribedTool[];
  readonly contributions: readonly Contribution[];
}

/** What a pool starts, and how many processes it may have. */
interface PoolOptions {
  readonly start: () => Promise<FarProcess>;
  /** Most processes for calls from outside; a call by a tool may add one, so that it never waits for its caller. */
  readonly processes: number;
}

/**
 * The processes of one module. A call has a process to itself, which then waits for the next call. A module that keeps
 * state has one process for all of its calls. A process that ends is replaced in the background.
 */
export class ModulePool {
  readonly #options: PoolOptions;
  readonly #alive = new Set<FarProcess>();
  readonly #idle: FarProcess[] = [];
  readonly #waiting: PromiseWithResolvers<void>[] = [];
  #starting = 0;
  #shared: Promise<FarProcess> | undefined;
  /** Unknown until the first process has mounted the module. */
  #keepsState: boolean | undefined;
  #described: DescribedByProcess | undefined;
  /** Receives the events that the module says it emits. */
  #announce: Announce = () => undefined;
  #isClosed = false;
  /** Processes taken and not given back. */
  #taken = 0;
  /** Its module has newer content: it keeps no process that runs no call. */
  isRetired = false;

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  /** A process for one call. Rejects with why none could be started. */
  async take(nested: boolean): Promise<FarProcess> {
    this.#taken++;
    try {
      return await this.#take(nested);
    } catch (error) {
      this.#taken--;
      throw error;
    }
  }

  /** A process that waits for calls; undefined when one must be started or awaited. */
  takeNow(): FarProcess | undefined {
    if (this.#isClosed || this.#keepsState !== false) return undefined;
    const far = this.#takeIdle();
    if (far !== undefined) this.#taken++;
    return far;
  }

  /** Ends the processes that wait for calls, and from now on each one after its call. */
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

  /** Returns a process after its call. */
  give(far: FarProcess): void {
    this.#taken--;
    if (this.#keepsState !== true && far.isAlive) this.#idle.push(far);
    this.#waiting.shift()?.resolve();
    if (this.isRetired) this.#endIdle();
  }

  /** What its first process reported of the module. */
  async describe(announce: Announce): Promise<DescribedByProcess> {
    this.#announce = announce;
    if (this.#described === undefined) this.give(await this.take(false));
    return this.#described ?? { tools: [], contributions: [] };
  }

  /** Passes on an event that the module contributes to `observability.events`. */
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

  /** The one process of a module that keeps state; undefined once it is known that the module keeps none. */
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

  /** The first process becomes an ordinary one: the first of the calls that waited for it gets it. */
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
      const far = await this.#options.start();
      this.#alive.add(far);
      void far.ended.then(() => this.#onEnd(far));
      const { keepsState, tools, contributions = [] } = await far.mounted;
      if (tools !== undefined) this.#described ??= { tools, contributions };
      this.#keepsState ??= keepsState;
      return far;
    } finally {
      this.#starting--;
      this.#waiting.shift()?.resolve();
    }
  }

  /** Replaces a process that ended, so that the next call finds one. One that could not start is not replaced. */
  #onEnd(far: FarProcess): void {
    this.#alive.delete(far);
    // The next call of a module that keeps state starts a new process, with new state.
    if (this.#isClosed || this.isRetired || this.#keepsState !== false) return;
    if (this.#alive.size + this.#starting >= this.#options.processes) return;
    void far.mounted
      .then(() => this.#start())
      .then(
        (replacement) => {
          this.#taken++;
          this.give(replacement);
        },
        // The next call starts a process itself, and reports why that fails.
        () => undefined,
      );
  }
}
