import { randomBytes } from "node:crypto";
import type { Clock, Host, WorkRecord, WorkStore } from "@toolmount/core";
import { workStoreOf } from "@toolmount/core/internal";
import { z } from "zod";

/** How long a sealed text can be read, in milliseconds: 30 days. After the same time a new key is made. */
export const readableMs = 30 * 86_400_000;

const kind = "mcp-keys";

/** The newest key, and the one before it: what that sealed last is still readable. */
const body = z.object({ keys: z.array(z.string()).min(1) });

/** A key and its number, which is in each text that it sealed. */
interface SealKey {
  readonly number: number;
  readonly key: Buffer;
}

/**
 * The keys by which servers seal what clients carry. They are a record of the host's store, so that every server of that
 * store has the same ones, also after a restart. A host without a store has keys of its own, which end with it.
 */
export class SealKeys {
  readonly #host: Host;
  readonly #clock: Clock;
  #store: WorkStore | undefined;
  #record: WorkRecord | null = null;

  constructor(host: Host, clock: Clock) {
    this.#host = host;
    this.#clock = clock;
  }

  now(): number {
    return this.#clock.now();
  }

  /** The key that seals now. */
  async newest(): Promise<SealKey> {
    while (this.#record === null || this.#isOld(this.#record)) await this.#renew();
    return { number: this.#record.version, key: keysOf(this.#record)[0]! };
  }

  /** The key with this number; undefined for one that is not kept any more. */
  async find(number: number): Promise<Buffer | undefined> {
    if (this.#record === null || number > this.#record.version) this.#record = await this.#read();
    const { version = 0 } = this.#record ?? {};
    return this.#record === null ? undefined : keysOf(this.#record)[version - number];
  }

  #isOld({ at }: WorkRecord): boolean {
    return this.#clock.now() >= at + readableMs;
  }

  /** Reads the keys, or makes a new one. Of several servers that make one, the store takes that of the first. */
  async #renew(): Promise<void> {
    const found = await this.#read();
    if (found !== null && !this.#isOld(found)) {
      this.#record = found;
      return;
    }
    const keys = [randomBytes(32), ...(found === null ? [] : keysOf(found).slice(0, 1))];
    const next: WorkRecord = {
      kind,
      id: kind,
      scope: "",
      status: "kept",
      sessionId: null,
      userId: null,
      dueAt: null,
      version: (found?.version ?? 0) + 1,
      at: this.#clock.now(),
      body: { keys: keys.map((key) => key.toString("base64url")) },
    };
    if (await this.#kept.save(next)) this.#record = next;
  }

  #read(): Promise<WorkRecord | null> {
    return this.#kept.get(kind, kind);
  }

  get #kept(): WorkStore {
    return (this.#store ??= workStoreOf(this.#host));
  }
}

function keysOf(record: WorkRecord): Buffer[] {
  return body.parse(record.body).keys.map((text) => Buffer.from(text, "base64url"));
}
