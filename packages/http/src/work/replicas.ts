import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import type { Clock, Host, Logger, WorkRecord, WorkStore } from "@toolmount/core";
import { shareRates, workStoreOf } from "@toolmount/core/internal";
import { z } from "zod";
import type { ServedPlan } from "../served-host.ts";
import { repeat } from "./repeat.ts";
import { allWork } from "./work-store.ts";

/** The kind of the records of servers. */
const kind = "server";
/** The kind of the record that asks the servers of a plan to reload; its version counts how often. */
const reloadKind = "reload";
/** Milliseconds between two looks at the other servers. */
const lookMs = 2_000;
/** Milliseconds after which a server that says nothing counts as gone. It renews its lease when a third of that is over. */
const leaseMs = 15_000;
/** Milliseconds for which a server that has ended is known. */
const keepMs = 86_400_000;

const bodySchema = z.object({
  /** Where it listens. */
  url: z.string(),
  machine: z.string(),
  /** The version of its package. */
  version: z.string(),
  /** 12 digits of the digest of the plan that it has mounted. */
  plan: z.string(),
  /** Why it did not mount the plan again when that was asked for. */
  problem: z.string().nullable(),
  /** When it began, in milliseconds since the epoch. */
  since: z.number(),
});

/** A server of a plan, as the store has it. */
export interface Replica extends z.output<typeof bodySchema> {
  readonly id: string;
  /** `gone`: its lease has ended. `draining`: it takes no new work, and ends. */
  readonly state: "ready" | "draining" | "gone";
}

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
 * The servers that serve one plan from one store. Each renews a lease, and says which plan it has mounted; a reload at one of
 * them is one at all.
 */
export class Replicas {
  readonly #options: ReplicasOptions;
  readonly #store: WorkStore;
  readonly #id = randomUUID();
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
    return this.#living.some(({ id, state }) => id !== this.#id && state !== "gone");
  }

  /** From now on the server is in the store. */
  async begin(url: string): Promise<void> {
    this.#url = url;
    const before = this.#since - keepMs;
    await this.#guarded(() => this.#store.remove(kind, ["ended", "ready", "draining"], before));
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
    const report = await this.#options.plan!.reload();
    for (;;) {
      const found = await this.#store.get(reloadKind, this.#options.scope);
      const version = (found?.version ?? 0) + 1;
      if (!(await this.#store.save(this.#row(reloadKind, this.#options.scope, version, "asked")))) continue;
      this.#reloads = version;
      await this.look();
      return report;
    }
  }

  /** Says what is new of this server, and reads the others. One look comes after the other. */
  look(): Promise<void> {
    return (this.#looking = this.#looking.then(() => this.#guarded(() => this.#look())));
  }

  /** The server takes no new work. */
  async drain(): Promise<void> {
    this.#stop();
    await this.#looking;
    await this.#guarded(() => this.#save("draining"));
  }

  async close(): Promise<void> {
    this.#stop();
    await this.#looking;
    await this.#guarded(() => this.#save("ended"));
  }

  async #look(): Promise<void> {
    await this.#followReload();
    // An idle server writes no row with each look.
    if (this.#isDue()) await this.#save("ready");
    this.#living = await this.list();
    this.#shareRates();
  }

  /** Each of the servers that take calls has a part of the plan's rates. */
  #shareRates(): void {
    const ready = this.#living.filter(({ state }) => state === "ready").map(({ id }) => id);
    const rank = ready.toSorted().indexOf(this.#id);
    if (rank >= 0) shareRates(this.#options.host, { servers: ready.length, rank });
  }

  #isDue(): boolean {
    const { at, facts } = this.#saved;
    return this.#options.clock.now() - at >= leaseMs / 3 || facts !== this.#facts();
  }

  /** What may change while the server runs. */
  #facts(): string {
    return JSON.stringify([this.plan, this.#problem]);
  }

  async #followReload(): Promise<void> {
    const { version = 0 } = (await this.#store.get(reloadKind, this.#options.scope)) ?? {};
    const isFirst = this.#reloads === null;
    if (version === this.#reloads) return;
    this.#reloads = version;
    // What was asked for before this server began, it has read already.
    if (isFirst || this.#options.plan === undefined) return;
    this.#problem = await this.#options.plan.reload().then(
      () => null,
      (error: Error) => error.message,
    );
  }

  async #save(status: string): Promise<void> {
    const isSaved = await this.#store.save(this.#row(kind, this.#id, this.#version + 1, status));
    // Where the row is gone, the next look makes a new one.
    this.#version = isSaved ? this.#version + 1 : 0;
    this.#saved = {
      at: isSaved ? this.#options.clock.now() : Number.NEGATIVE_INFINITY,
      facts: this.#facts(),
    };
  }

  #row(of: string, id: string, version: number, status: string): WorkRecord {
    const { clock, scope, version: release } = this.#options;
    const at = clock.now();
    const facts = { url: this.#url, machine: hostname(), version: release, plan: this.plan };
    const body = { ...facts, problem: this.#problem, since: this.#since };
    return {
      kind: of,
      id,
      version,
      scope,
      status,
      sessionId: null,
      userId: null,
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

/** The servers that a store has and that have not ended: of one plan, or of all of them. Those seen last are first. */
export async function listReplicas(
  store: WorkStore,
  scope: string | undefined,
  now: number,
): Promise<readonly Replica[]> {
  const found: Replica[] = [];
  const filter = { kind, scope, statuses: ["ready", "draining"] };
  for await (const { id, dueAt, status, body } of allWork(store, filter)) {
    const state = (dueAt ?? 0) < now ? "gone" : (status as "ready" | "draining");
    found.push({ ...bodySchema.parse(body), id, state });
  }
  return found;
}
