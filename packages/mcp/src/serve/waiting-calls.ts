import { systemClock, type Host, type ToolOutcome, type WorkRecord } from "@toolmount/core";
import { digestOf } from "@toolmount/core/json";
import { z } from "zod";
import { KeptWork, setNewest } from "../wire/kept-work.ts";
import { createSeal, SealKeys, NotSealed } from "./seal.ts";

const kind = "mcp-waiting";
/** How long a waiting call is known by its request, in milliseconds: 30 days. */
const keptMs = 30 * 86_400_000;
/** Requests of one session that a host without a store remembers; the oldest make room. */
const maxHere = 1_000;

/**
 * The calls of one session that wait, by the digests of their requests: the same request again resumes its call. They are in
 * the host's store, so that it does so at every server; a host without a store remembers its own.
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

  /** Whether no request has to be looked up. A digest is made only where one may be: most calls of such a host never wait. */
  get isEmpty(): boolean {
    return !this.#kept.isShared && this.#here.size === 0;
  }

  /** The ticket of the call that waits for the same request. */
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
   * A ticket opens with the request, which the row does not have, and with a key of the store. So a person who sees the row alone, as
   * in a log of statements, cannot guess the arguments and open it. One who reads the whole store can.
   */
  #sealOf(request: string) {
    return createSeal(this.#nameOf(request), z.string(), this.#keys);
  }

  /** Undefined also where the key is not kept any more: then the call is a new one. */
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
