import type { SessionState } from "../contract/context.ts";
import { frozenCopy } from "../json/freeze.ts";
import type { Json, JsonObject } from "../json/json.ts";
import type { StateChanges } from "../contract/stores.ts";

export interface KeptState extends SessionState {
  snapshot(): JsonObject;
  restore(values: JsonObject): void;
}

/** State in memory that knows which changes are not stored. Its values are frozen copies. */
export class LiveState implements KeptState {
  readonly #values = new Map<string, Json>();
  /** The moment at which a key was last changed or stored here: what was read before it is outdated. */
  readonly #touched = new Map<string, number>();
  /** Keys whose last change is not stored, with its moment. */
  readonly #unsaved = new Map<string, number>();
  readonly #onChange: (() => void) | null;
  #moment = 0;

  /** `onChange` is called at each change; without it the state is never saved. */
  constructor(onChange: (() => void) | null = null) {
    this.#onChange = onChange;
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

  get isEmpty(): boolean {
    return this.#values.size === 0;
  }

  get isUnsaved(): boolean {
    return this.#unsaved.size > 0;
  }

  /** Takes the values that `read` returns. What changes here meanwhile is newer and stays. */
  async refresh(read: () => Promise<ReadonlyMap<string, Json>>): Promise<void> {
    const begun = this.#moment;
    const kept = await read();
    const isOurs = (key: string) => this.#unsaved.has(key) || (this.#touched.get(key) ?? 0) > begun;
    for (const key of this.#values.keys()) if (!kept.has(key) && !isOurs(key)) this.#values.delete(key);
    for (const [key, value] of kept) if (!isOurs(key)) this.#values.set(key, frozenCopy(value));
  }

  /** Gives the unsaved changes to `write`. What changes meanwhile is saved the next time. */
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
    if (this.#onChange === null) return;
    this.#unsaved.set(key, this.#moment);
    this.#onChange();
  }
}
