import type { SessionState } from "../contract/context.ts";
import { frozenCopy } from "../json/freeze.ts";
import type { Json, JsonObject } from "../json/json.ts";
import type { StateChanges } from "../contract/stores.ts";

/** A session's state that can be kept and put back. */
export interface KeptState extends SessionState {
  /** All of it, by key. */
  snapshot(): JsonObject;
  /** Puts these values in place of all that is there. */
  restore(values: JsonObject): void;
}

/**
 * State in memory, which knows what of it is not on disk. Values are copied and frozen going in, so that two calls
 * cannot share a mutable one.
 */
export class LiveState implements KeptState {
  readonly #values = new Map<string, Json>();
  /** When a key was last changed here, or its change came to be on disk: what was read before that is old. */
  readonly #touched = new Map<string, number>();
  /** Keys whose last change is not on disk, with its moment. */
  readonly #unsaved = new Map<string, number>();
  readonly #changed: (() => void) | null;
  #moment = 0;

  /** `changed` is told of each change; without it nothing of the state is ever saved. */
  constructor(changed: (() => void) | null = null) {
    this.#changed = changed;
  }

  get(key: string): Json | undefined {
    return this.#values.get(key);
  }

  set(key: string, value: Json): void {
    this.#values.set(key, frozenCopy(value));
    this.#touch(key);
  }

  delete(key: string): boolean {
    if (!this.#values.delete(key)) return false;
    this.#touch(key);
    return true;
  }

  snapshot(): JsonObject {
    return Object.fromEntries(this.#values);
  }

  restore(values: JsonObject): void {
    for (const key of this.#values.keys()) if (!Object.hasOwn(values, key)) this.delete(key);
    for (const [key, value] of Object.entries(values)) this.set(key, value);
  }

  get isUnsaved(): boolean {
    return this.#unsaved.size > 0;
  }

  /** Takes in what `read` finds; what is changed here meanwhile is newer and stays. */
  async refresh(read: () => Promise<ReadonlyMap<string, Json>>): Promise<void> {
    const begun = this.#moment;
    const kept = await read();
    const isOurs = (key: string) => this.#unsaved.has(key) || (this.#touched.get(key) ?? 0) > begun;
    for (const key of this.#values.keys()) if (!kept.has(key) && !isOurs(key)) this.#values.delete(key);
    for (const [key, value] of kept) if (!isOurs(key)) this.#values.set(key, frozenCopy(value));
  }

  /** Hands what is not on disk to `write`. What is changed while it writes is left for the next time. */
  async save(write: (changes: StateChanges) => Promise<void>): Promise<void> {
    const moments = new Map(this.#unsaved);
    if (moments.size === 0) return;
    await write(new Map([...moments.keys()].map((key) => [key, this.#values.get(key)])));
    for (const [key, moment] of moments) {
      this.#touched.set(key, ++this.#moment);
      if (this.#unsaved.get(key) === moment) this.#unsaved.delete(key);
    }
  }

  #touch(key: string): void {
    this.#touched.set(key, ++this.#moment);
    if (this.#changed === null) return;
    this.#unsaved.set(key, this.#moment);
    this.#changed();
  }
}
