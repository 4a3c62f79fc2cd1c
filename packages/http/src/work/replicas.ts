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
/** Milliseconds after which a silent server counts as gone. A server renews its lease after a third of this time. */
const leaseMs = 15_000;
/** Milliseconds for which an ended server is remembered. */
const keepMs = 86_400_000;

/** The problem of a server that did not reload because one before it could not. */
const stopped = "another server could not mount it, so it was not tried here";

/** The parts and facts of this server for its row in the store. */
interface ReplicasOptions {
  readonly host: Host;
  readonly plan: ServedPlan | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly scope: string;
  readonly version: string;
}

/**
 * The servers that serve one plan from one store. Each renews a lease, and states which plan it has mounted. All of them do a
 * reload, one after the other: each waits for those before it, and if one could not mount the plan, those after it keep theirs.
 */
export class Replicas {
  readonly #options: ReplicasOptions;
  readonly #store: WorkStore;
  /** The server's name in the store, whose order gives servers their turns. */
  readonly id = randomUUID();
  readonly #stop: () => void;
  readonly #since: number;
  #version = 0;
  /** When the row of this server was last stored, and with which facts. */
  #saved = { at: Number.NEGATIVE_INFINITY, facts: "" };
  #living: readonly Replica[] = [];
  /** The number of the last reload that this server knows. */
  #reloads: number | null = null;
  #url = "";
  #problem: string | null = null;
  #looking: Promise<void> = Promise.resolve();
  /** The reload that runs here; null without one. */
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

  /** Whether the last look found other living servers of the plan. */
  get hasOthers(): boolean {
    return this.#living.some(({ id, state }) => id !== this.id && state !== "gone");
  }

  /** Adds this server to the store. */
  async begin(url: string): Promise<void> {
    this.#url = url;
    const before = this.#since - keepMs;
    await this.#guarded(() => this.#store.remove(serverKind, ["ended", "ready", "draining"], before));
    await this.look();
  }

  /**
   * Tests whether this server may take over work that a server with another plan began. It may not while a server with that plan
   * lives, because that one knows better how the work was meant.
   */
  mayTake(plan: string | undefined): boolean {
    if (plan === undefined || plan === this.plan) return true;
    return !this.#living.some((one) => one.plan === plan && one.state === "ready");
  }

  /** Returns the servers of the plan that have not ended, those seen last first. */
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

  /** Stores news of this server, and reads the others. Looks run one after the other. */
  look(): Promise<void> {
    return (this.#looking = this.#looking.then(() => this.#guarded(() => this.#look())));
  }

  /** Marks the server as taking no new work. */
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
    // A reload that was requested before this server began is already part of the plan that it read.
    this.#reloads ??= version;
    // An idle server does not write its row at each look.
    if (this.#isDue()) await this.#save("ready");
    this.#living = await this.list();
    this.#shareRates();
    this.#follow(version);
  }

  /** Gives this server its share of the plan's rates, which all servers that take calls divide. */
  #shareRates(): void {
    const ready = this.#living.filter(({ state }) => state === "ready").map(({ id }) => id);
    const rank = ready.toSorted().indexOf(this.id);
    if (rank >= 0) shareRates(this.#options.host, { servers: ready.length, rank });
  }

  #isDue(): boolean {
    const { at, facts } = this.#saved;
    return this.#options.clock.now() - at >= leaseMs / 3 || facts !== this.#facts();
  }

  /** Returns the facts that may change while the server runs. */
  #facts(): string {
    return JSON.stringify([this.plan, this.#problem, this.#reloads]);
  }

  /** Mounts the plan again if that was requested and it is this server's turn. Its lease is renewed meanwhile. */
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

  /** Mounts the plan again. Resolves to the reason if that failed, else to null. */
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
    // If the row is gone, the next look creates a new one.
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
