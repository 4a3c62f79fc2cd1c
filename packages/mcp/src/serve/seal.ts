import { randomBytes } from "node:crypto";
import { systemClock, type Clock, type Host, type WorkRecord } from "@toolmount/core";
import { decryptWithTicket, encryptWithTicket } from "@toolmount/core/internal";
import { z } from "zod";
import { KeptWork } from "../wire/kept-work.ts";

/** What goes to the client and comes back with its retry: which call waits, and how it was asked. */
const sealed = z.discriminatedUnion("asked", [
  z.strictObject({
    asked: z.enum(["url", "form"]),
    ticket: z.string(),
    /** The caller's id of the call, by which its question is found. */
    callId: z.string(),
    sessionId: z.string(),
    /** Digest of the request: a retry of another request is refused. */
    request: z.string(),
  }),
  /** A request that is worked on: a mounted server asked its client. */
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
  /** Rejects for a text that no server of the same store has sealed, and for one that is too old. */
  open(text: string): Promise<State>;
}

/** Returns the seal of the states of calls. Every server that shares the host's store opens what any of them sealed. */
export function createStateSeal(host: Host, clock: Clock = systemClock): StateSeal {
  return createSeal("state", sealed, new SealKeys(host, clock));
}

/** A text that does not open here. */
export class NotSealed extends Error {}

/** Seals with a key of the store. A text for another `use` does not open. */
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

/** How long a sealed text can be read, in milliseconds: 30 days. After the same time a new key is made. */
const readableMs = 30 * 86_400_000;

const keysKind = "mcp-keys";

/** The newest key, and the one before it: what that sealed last is still readable. */
const keysBody = z.object({ keys: z.array(z.string()).min(1) });

/** A key and its number, which is in each text that it sealed. */
interface SealKey {
  readonly number: number;
  readonly key: string;
}

/**
 * The keys by which servers seal what clients carry. They are a record of the host's store, so that every server of that
 * store has the same ones, also after a restart. A host without a store has keys of its own, which end with it.
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

  /** The key with this number; undefined for one that is not kept any more. */
  async find(number: number): Promise<string | undefined> {
    if (this.#record === null || number > this.#record.version) this.#record = await this.#kept.get(keysKind);
    const { version = 0 } = this.#record ?? {};
    return keysOf(this.#record)[version - number];
  }

  #isOld({ at }: WorkRecord): boolean {
    return this.now() >= at + readableMs;
  }

  /** Reads the keys, or makes a new one. Of several servers that make one, the store takes that of the first. */
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
