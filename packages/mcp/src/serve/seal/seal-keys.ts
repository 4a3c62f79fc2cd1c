import { randomBytes } from "node:crypto";
import type { Clock, Host, WorkRecord } from "@toolmount/core";
import { z } from "zod";
import { KeptWork } from "../../wire/kept-work.ts";

/** How long a sealed text can be read, in milliseconds: 30 days. After the same time a new key is made. */
export const readableMs = 30 * 86_400_000;

const kind = "mcp-keys";

/** The newest key, and the one before it: what that sealed last is still readable. */
const body = z.object({ keys: z.array(z.string()).min(1) });

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
    this.#kept = new KeptWork(host, kind);
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
    if (this.#record === null || number > this.#record.version) this.#record = await this.#kept.get(kind);
    const { version = 0 } = this.#record ?? {};
    return keysOf(this.#record)[version - number];
  }

  #isOld({ at }: WorkRecord): boolean {
    return this.now() >= at + readableMs;
  }

  /** Reads the keys, or makes a new one. Of several servers that make one, the store takes that of the first. */
  async #renew(): Promise<void> {
    const found = await this.#kept.get(kind);
    const isCurrent = found !== null && !this.#isOld(found);
    const keys = [randomBytes(32).toString("base64url"), ...keysOf(found).slice(0, 1)];
    const change = { at: this.now(), body: { keys } };
    this.#record = isCurrent ? found : await this.#kept.save(found ?? this.#kept.draft({ id: kind }), change);
  }
}

function keysOf(record: WorkRecord | null): readonly string[] {
  return record === null ? [] : body.parse(record.body).keys;
}
