import { systemClock, type Host, type ToolOutcome, type WorkRecord } from "@toolmount/core";
import { digestOf } from "@toolmount/core/json";
import { z } from "zod";
import { KeptWork, setNewest } from "../wire/kept-work.ts";
import { createSeal, SealKeys, NotSealed } from "./seal.ts";

const kind = "mcp-waiting";
/** Milliseconds for which a waiting call can be found by its request: 30 days. */
const keptMs = 30 * 86_400_000;
/** Maximum number of requests of one session that a host without a store remembers; beyond it, the oldest are forgotten. */
const maxHere = 1_000;

/**
 * The waiting calls of one session, found by the digest of the request, because the same request again resumes its call. They
 * are in the host's store, so every server of that store finds them. Without a store, a server knows only its own.
 */
export class WaitingCalls {
  readonly #kept: KeptWork;
  readonly #session: string;
  readonly #keys: SealKeys;
  readonly #here = new Map<string, string>();

  constructor(host: Host, session: string) {
    this.#kept = new KeptWork(host, kind, { keptMs, statuses: ["waiting", "ended"] });
    this.#session = session;
    this.#keys = new SealKeys(host, systemClock);
  }

  /**
   * Whether there is nothing to find, so that no digest has to be computed. Nearly all calls of a host without a store never
   * wait.
   */
  get isEmpty(): boolean {
    return !this.#kept.isShared && this.#here.size === 0;
  }

  /** Returns the ticket of the call that waits for the same request. */
  async find(request: string): Promise<string | undefined> {
    if (!this.#kept.isShared) return this.#here.get(request);
    return this.#ticketOf(await this.#kept.get(this.#idOf(request)), request);
  }

  /** Remembers a call that waits, and forgets one that has ended. */
  async note(request: string, { status, ticket }: ToolOutcome): Promise<void> {
    const waiting = status === "pending" ? ticket : undefined;
    if (!this.#kept.isShared && waiting !== undefined)
      return setNewest(this.#here, request, waiting, maxHere);
    if (!this.#kept.isShared) return void this.#here.delete(request);
    await this.#kept.change(this.#idOf(request), async (record) => {
      if ((await this.#ticketOf(record, request)) === waiting) return undefined;
      const facts = { sessionId: this.#session, at: systemClock.now() };
      if (waiting === undefined) return { ...facts, status: "ended", body: {} };
      return { ...facts, status: "waiting", body: { sealed: await this.#sealOf(request).close(waiting) } };
    });
  }

  /**
   * Returns the seal of a request's ticket. Opening it needs a key of the store and the request, which the row itself does not
   * contain. So a person who sees only the row, as in a log of statements, cannot open it by guessing the arguments; a person
   * who reads the whole store can.
   */
  #sealOf(request: string) {
    return createSeal(this.#nameOf(request), z.string(), this.#keys);
  }

  /**
   * Opens the ticket in a record. Returns undefined, so that the call counts as a new one, also if the key is not kept any
   * more.
   */
  async #ticketOf(record: WorkRecord | null, request: string): Promise<string | undefined> {
    const { sealed } = (record?.body ?? {}) as { readonly sealed?: string };
    if (sealed === undefined) return undefined;
    return this.#sealOf(request)
      .open(sealed)
      .catch((error: unknown) => {
        if (error instanceof NotSealed) return undefined;
        throw error;
      });
  }

  #idOf(request: string): string {
    return digestOf([kind, this.#nameOf(request)]);
  }

  #nameOf(request: string): string {
    return `${this.#session}\n${request}`;
  }
}
