import { randomBytes } from "node:crypto";
import { systemClock, type Clock, type Host, type WorkRecord } from "@toolmount/core";
import { decryptWithTicket, encryptWithTicket } from "@toolmount/core/internal";
import { z } from "zod";
import { KeptWork } from "../wire/kept-work.ts";

/** The state that goes to the client and comes back with its retry: which call waits, and how the client was asked. */
const sealed = z.discriminatedUnion("asked", [
  z.strictObject({
    asked: z.enum(["url", "form"]),
    ticket: z.string(),
    /** The caller's id of the call, by which its question is found. */
    callId: z.string(),
    sessionId: z.string(),
    /** Digest of the request, so that a retry of another request is refused. */
    request: z.string(),
  }),
  /** The state of a request that is still worked on, because a mounted server asked its client. */
  z.strictObject({
    asked: z.literal("input"),
    call: z.string(),
    sessionId: z.string(),
    request: z.string(),
  }),
]);

export type SealedState = z.output<typeof sealed>;

/** The state of a call that waits for an approval. */
export type WaitingState = Extract<SealedState, { readonly asked: "url" | "form" }>;

/** Seals the states of one kind, so that their client can neither read nor change them. */
export interface StateSeal<State = SealedState> {
  close(state: State): Promise<string>;
  /** Returns the sealed state. Rejects if no server of the same store sealed the text, or if it is too old. */
  open(text: string): Promise<State>;
}

/** Makes the seal for the states of calls. All servers that share the host's store can open what any of them sealed. */
export function createStateSeal(host: Host, clock: Clock = systemClock): StateSeal {
  return createSeal("state", sealed, new SealKeys(host, clock));
}

/** The error for a text that cannot be opened here. */
export class NotSealed extends Error {}

/** Makes a seal with the keys of the store. A text that was sealed for another `use` cannot be opened. */
export function createSeal<State>(use: string, schema: z.ZodType<State>, keys: SealKeys): StateSeal<State> {
  const envelope = z.strictObject({ until: z.number(), state: schema });
  const ticketOf = (key: string) => `${use}\n${key}`;
  return {
    async close(state) {
      const { number, key } = await keys.newest();
      return `${number}.${encryptWithTicket({ until: keys.now() + readableMs, state }, ticketOf(key))}`;
    },
    async open(text) {
      const [, number, body = ""] = /^(\d{1,9})\.([\w+/=]+)$/.exec(text) ?? [];
      const key = number === undefined ? undefined : await keys.find(Number(number));
      if (number !== undefined && key === undefined)
        throw new NotSealed("the key of the sealed text is not kept any more");
      const opened = key === undefined ? null : decryptWithTicket(body, ticketOf(key));
      if (opened === null) throw new NotSealed("the text was not sealed by this server");
      const { until, state } = envelope.parse(opened.value);
      if (keys.now() >= until) throw new NotSealed("the sealed text has expired");
      return state;
    },
  };
}

/** Milliseconds for which a sealed text can be read: 30 days. A key is replaced by a new one after the same time. */
const readableMs = 30 * 86_400_000;

const keysKind = "mcp-keys";

/** The newest key and the one before it, so that texts can still be read which the older key sealed at its end. */
const keysBody = z.object({ keys: z.array(z.string()).min(1) });

/** A key and its number, which is in each text that it sealed. */
interface SealKey {
  readonly number: number;
  readonly key: string;
}

/**
 * The keys with which servers seal what clients carry. They are a record of the host's store, so all servers of that store have
 * the same keys, also after a restart. A host without a store has its own keys, which end with it.
 */
export class SealKeys {
  readonly #kept: KeptWork;
  readonly #clock: Clock;
  #record: WorkRecord | null = null;

  constructor(host: Host, clock: Clock) {
    this.#kept = new KeptWork(host, keysKind);
    this.#clock = clock;
  }

  now(): number {
    return this.#clock.now();
  }

  async newest(): Promise<SealKey> {
    while (this.#record === null || this.#isOld(this.#record)) await this.#renew();
    return { number: this.#record.version, key: keysOf(this.#record)[0]! };
  }

  /** Returns the key with this number; undefined if it is not kept any more. */
  async find(number: number): Promise<string | undefined> {
    if (this.#record === null || number > this.#record.version) this.#record = await this.#kept.get(keysKind);
    const { version = 0 } = this.#record ?? {};
    return keysOf(this.#record)[version - number];
  }

  #isOld({ at }: WorkRecord): boolean {
    return this.now() >= at + readableMs;
  }

  /** Reads the keys, or makes a new one. If several servers make one at the same time, the first one that is stored counts. */
  async #renew(): Promise<void> {
    const found = await this.#kept.get(keysKind);
    const isCurrent = found !== null && !this.#isOld(found);
    const keys = [randomBytes(32).toString("base64url"), ...keysOf(found).slice(0, 1)];
    const change = { at: this.now(), body: { keys } };
    this.#record = isCurrent
      ? found
      : await this.#kept.save(found ?? this.#kept.draft({ id: keysKind }), change);
  }
}

function keysOf(record: WorkRecord | null): readonly string[] {
  return record === null ? [] : keysBody.parse(record.body).keys;
}
