import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import type { Clock, Host, Logger, WorkRecord, WorkStore } from "@toolmount/core";
import { messageOf } from "@toolmount/core/errors";
import { shareRates, workStoreOf } from "@toolmount/core/internal";
import type { ServedPlan } from "../served-host.ts";
import { repeat } from "./repeat.ts";
import { askReload, listReplicas, ownerless, reloadKind, serverKind, type Replica } from "./replica-rows.ts";

/** Milliseconds between two looks at the other servers. */
const lookMs = 2_000;
/** Milliseconds after which a server that says nothing counts as gone. It renews its lease when a third of that is over. */
const leaseMs = 15_000;
/** Milliseconds for which a server that has ended is known. */
const keepMs = 86_400_000;

/** The problem of a server that comes after one with a problem of its own. */
const stopped = "another server could not mount it, so it was not tried here";

/** What a server says of itself in the store. */
interface ReplicasOptions {
  readonly host: Host;
  readonly plan: ServedPlan | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly scope: string;
  readonly version: string;
}

/**
 * The servers that serve one plan from one store. Each renews a lease, and says which plan it has mounted. A reload is one at
 * all, in turn: each waits for those before it, and where one could not mount the plan, those after it keep theirs.
 */
export class Replicas {
  readonly #options: ReplicasOptions;
  readonly #store: WorkStore;
  /** Its name in the store, by which servers take turns. */
  readonly id = randomUUID();
  readonly #stop: () => void;
  readonly #since: number;
  #version = 0;
  /** When the row of this server was stored last, and what it said then. */
  #saved = { at: Number.NEGATIVE_INFINITY, facts: "" };
  #living: readonly Replica[] = [];
  /** The number of the last reload that this server knows. */
  #reloads: number | null = null;
  #url = "";
  #problem: string | null = null;
  #looking: Promise<void> = Promise.resolve();
  /** The reload that runs here. */
  #reloading: Promise<void> | null = null;

  constructor(options: ReplicasOptions) {
    this.#options = options;
    this.#store = workStoreOf(options.host);
    this.#since = options.clock.now();
    this.#stop = repeat(options.clock, lookMs, () => void this.look());
  }

  /** The first 12 digits of the digest of the mounted plan; the same at every server of one plan. */
  get plan(): string {
    return this.#options.plan?.digest() ?? "";
  }

  /** Whether other servers of the plan lived at the last look. */
  get hasOthers(): boolean {
    return this.#living.some(({ id, state }) => id !== this.id && state !== "gone");
  }

  /** From now on the server is in the store. */
  async begin(url: string): Promise<void> {
    this.#url = url;
    const before = this.#since - keepMs;
    await this.#guarded(() => this.#store.remove(serverKind, ["ended", "ready", "draining"], before));
    await this.look();
  }

  /**
   * Whether this server may take over work that a server with another plan began: not while one with that plan lives, which
   * knows better what the work was meant to be.
   */
  mayTake(plan: string | undefined): boolean {
    if (plan === undefined || plan === this.plan) return true;
    return !this.#living.some((one) => one.plan === plan && one.state === "ready");
  }

  /** The servers of the plan that have not ended, those seen last first. */
  async list(): Promise<readonly Replica[]> {
    return listReplicas(this.#store, this.#options.scope, this.#options.clock.now());
  }

  /** Mounts the plan again here, and asks every other server to do so. */
  async reload(): Promise<object> {
    const { plan, scope, clock } = this.#options;
    const report = await plan!.reload();
    this.#reloads = await askReload(this.#store, scope, clock.now());
    this.#problem = null;
    await this.look();
    return report;
  }

  /** Says what is new of this server, and reads the others. One look comes after the other. */
  look(): Promise<void> {
    return (this.#looking = this.#looking.then(() => this.#guarded(() => this.#look())));
  }

  /** The server takes no new work. */
  async drain(): Promise<void> {
    await this.#rest();
    await this.#guarded(() => this.#save("draining"));
  }

  async close(): Promise<void> {
    await this.#rest();
    await this.#guarded(() => this.#save("ended"));
  }

  async #rest(): Promise<void> {
    this.#stop();
    await this.#reloading;
    await this.#looking;
  }

  async #look(): Promise<void> {
    const { version = 0 } = (await this.#store.get(reloadKind, this.#options.scope)) ?? {};
    // What was asked for before this server began, it has read already.
    this.#reloads ??= version;
    // An idle server writes no row with each look.
    if (this.#isDue()) await this.#save("ready");
    this.#living = await this.list();
    this.#shareRates();
    this.#follow(version);
  }

  /** Each of the servers that take calls has a part of the plan's rates. */
  #shareRates(): void {
    const ready = this.#living.filter(({ state }) => state === "ready").map(({ id }) => id);
    const rank = ready.toSorted().indexOf(this.id);
    if (rank >= 0) shareRates(this.#options.host, { servers: ready.length, rank });
  }

  #isDue(): boolean {
    const { at, facts } = this.#saved;
    return this.#options.clock.now() - at >= leaseMs / 3 || facts !== this.#facts();
  }

  /** What may change while the server runs. */
  #facts(): string {
    return JSON.stringify([this.plan, this.#problem, this.#reloads]);
  }

  /** Mounts the plan again when that was asked for and this server has its turn. Its lease is renewed meanwhile. */
  #follow(version: number): void {
    if (version === this.#reloads || this.#reloading !== null) return;
    const others = this.#living.filter(({ id, state }) => id !== this.id && state === "ready");
    const isStopped = others.some(({ reload, problem }) => reload === version && problem !== null);
    const isBefore = ({ id, reload = version }: Replica) => id < this.id && reload < version;
    if (!isStopped && others.some(isBefore)) return;
    this.#reloading = (isStopped ? Promise.resolve(stopped) : this.#mount()).then((problem) => {
      this.#problem = problem;
      this.#reloads = version;
      this.#reloading = null;
      return this.look();
    });
  }

  /** Resolves to why the plan could not be mounted again. */
  async #mount(): Promise<string | null> {
    try {
      await this.#options.plan?.reload();
      return null;
    } catch (error) {
      return messageOf(error);
    }
  }

  async #save(status: string): Promise<void> {
    const isSaved = await this.#store.save(this.#row(this.#version + 1, status));
    // Where the row is gone, the next look makes a new one.
    this.#version = isSaved ? this.#version + 1 : 0;
    this.#saved = {
      at: isSaved ? this.#options.clock.now() : Number.NEGATIVE_INFINITY,
      facts: this.#facts(),
    };
  }

  #row(version: number, status: string): WorkRecord {
    const { clock, scope, version: release } = this.#options;
    const at = clock.now();
    const facts = { url: this.#url, machine: hostname(), version: release, plan: this.plan };
    const body = { ...facts, problem: this.#problem, since: this.#since, reload: this.#reloads ?? 0 };
    return {
      ...ownerless,
      kind: serverKind,
      id: this.id,
      version,
      scope,
      status,
      at,
      dueAt: at + leaseMs,
      body,
    };
  }

  async #guarded(work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch (err) {
      this.#options.logger.error({ err }, "the servers of the store cannot be read");
    }
  }
}
