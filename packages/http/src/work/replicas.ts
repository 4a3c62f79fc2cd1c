import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import type { Clock, Host, Logger, WorkRecord, WorkStore } from "@toolmount/core";
import { messageOf } from "@toolmount/core/errors";
import { shareRates, workStoreOf } from "@toolmount/core/internal";
import type { ServedPlan } from "../served-host.ts";
import { repeat } from "./repeat.ts";
import { askReload, listReplicas, ownerless, reloadKind, serverKind, type Replica } from "./replica-rows.ts";

/** Milliseconds between two reads of the other servers. */
const lookMs = 2_000;
/** Milliseconds after which a server that does not renew its lease counts as gone. It renews it after a third of this time. */
const leaseMs = 15_000;
/** Milliseconds for which the record of an ended server is kept. */
const keepMs = 86_400_000;

/** The problem of a server that did not reload because an earlier one could not mount the plan. */
const stopped = "another server could not mount it, so it was not tried here";

/** What a server needs to be listed in the store. */
interface ReplicasOptions {
  readonly host: Host;
  readonly plan: ServedPlan | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly scope: string;
  readonly version: string;
}

/**
 * The servers that serve one plan with one store. Each renews a lease, and stores which plan it has mounted. A reload is done by
 * all of them, one after the other in the order of their ids. If one cannot mount the plan, those after it keep theirs.
 */
export class Replicas {
  readonly #options: ReplicasOptions;
  readonly #store: WorkStore;
  /** The id of this server. The order of ids is the order in which servers reload. */
  readonly id = randomUUID();
  readonly #stop: () => void;
  readonly #since: number;
  #version = 0;
  /** When the record of this server was last stored, and with which facts. */
  #saved = { at: Number.NEGATIVE_INFINITY, facts: "" };
  #living: readonly Replica[] = [];
  /** The number of the last reload that this server has done; null before its first look. */
  #reloads: number | null = null;
  #url = "";
  #problem: string | null = null;
  #looking: Promise<void> = Promise.resolve();
  /** The reload that this server is doing; null if it is doing none. */
  #reloading: Promise<void> | null = null;

  constructor(options: ReplicasOptions) {
    this.#options = options;
    this.#store = workStoreOf(options.host);
    this.#since = options.clock.now();
    this.#stop = repeat(options.clock, lookMs, () => void this.look());
  }

  /** The first 12 digits of the digest of the mounted plan, which all servers of a plan share. Empty without a plan. */
  get plan(): string {
    return this.#options.plan?.digest() ?? "";
  }

  /** Whether other servers of the plan were running at the last look. */
  get hasOthers(): boolean {
    return this.#living.some(({ id, state }) => id !== this.id && state !== "gone");
  }

  /** Adds this server to the store. `url` is the address at which it listens. */
  async begin(url: string): Promise<void> {
    this.#url = url;
    const before = this.#since - keepMs;
    await this.#guarded(() => this.#store.remove(serverKind, ["ended", "ready", "draining"], before));
    await this.look();
  }

  /**
   * Tests whether this server may take over work that was begun with the plan of digest `plan`. With another plan, it may do so
   * only if no server with that plan is running, because such a server is the better one to continue.
   */
  mayTake(plan: string | undefined): boolean {
    if (plan === undefined || plan === this.plan) return true;
    return !this.#living.some((one) => one.plan === plan && one.state === "ready");
  }

  /** Returns the servers of the plan that have not ended. Those that stored their state last come first. */
  async list(): Promise<readonly Replica[]> {
    return listReplicas(this.#store, this.#options.scope, this.#options.clock.now());
  }

  /** Mounts the plan again here, and then asks the other servers to do the same. */
  async reload(): Promise<object> {
    const { plan, scope, clock } = this.#options;
    const report = await plan!.reload();
    this.#reloads = await askReload(this.#store, scope, clock.now());
    this.#problem = null;
    await this.look();
    return report;
  }

  /** Stores the state of this server, and reads those of the others. Looks run one after the other. */
  look(): Promise<void> {
    return (this.#looking = this.#looking.then(() => this.#guarded(() => this.#look())));
  }

  /** Stores that this server takes no new work. */
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
    // A reload that was requested before this server started needs nothing, because this server has read the newer plan.
    this.#reloads ??= version;
    // The record is stored only when a fact has changed or the lease must be renewed.
    if (this.#isDue()) await this.#save("ready");
    this.#living = await this.list();
    this.#shareRates();
    this.#follow(version);
  }

  /** Sets this server's share of the plan's rate limits, which all servers that take calls divide among themselves. */
  #shareRates(): void {
    const ready = this.#living.filter(({ state }) => state === "ready").map(({ id }) => id);
    const rank = ready.toSorted().indexOf(this.id);
    if (rank >= 0) shareRates(this.#options.host, { servers: ready.length, rank });
  }

  #isDue(): boolean {
    const { at, facts } = this.#saved;
    return this.#options.clock.now() - at >= leaseMs / 3 || facts !== this.#facts();
  }

  /** Returns the facts about this server that can change while it runs. */
  #facts(): string {
    return JSON.stringify([this.plan, this.#problem, this.#reloads]);
  }

  /**
   * Mounts the plan again if a reload was requested and all servers before this one have done it. This does not wait for the
   * mounting, so that the lease is renewed meanwhile.
   */
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

  /** Mounts the plan again. Resolves to null, or to the reason if that failed. */
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
    // If another program has removed the record, the next look stores a new one.
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
