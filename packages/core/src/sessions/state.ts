import type { SessionState } from "../contract/context.ts";
import { ToolError } from "../contract/errors.ts";
import { frozenCopy } from "../json/freeze.ts";
import { leastBytes } from "../json/meter.ts";
import type { Json, JsonObject } from "../json/json.ts";
import type { StateChanges } from "../contract/stores.ts";

export interface KeptState extends SessionState {
  snapshot(): JsonObject;
  restore(values: JsonObject): void;
}

/** Maximum number of bytes of JSON that the values of one session may have, with {@link keyBytes} for each key. */
const defaultBytes = 16_777_216;

/** Bytes that a key takes in memory in addition to its text. */
const keyBytes = 64;

interface StateOptions {
  /** Called at each change. Without it, the state is never saved. */
  readonly onChange?: (() => void) | undefined;
  readonly maxBytes?: number | undefined;
}

/** State in memory that records which changes are not stored yet. Its values are frozen copies. */
export class LiveState implements KeptState {
  readonly #values = new Map<string, Json>();
  /** Bytes of each key that has a value, or whose deletion is not stored yet. */
  readonly #sizes = new Map<string, number>();
  #bytes = 0;
  /** The moment of each key's last change or save, while stored values are read. Values that were read before it are outdated. */
  readonly #touched = new Map<string, number>();
  #reads = 0;
  /** Keys whose last change is not stored yet, with the moment of that change. */
  readonly #unsaved = new Map<string, number>();
  readonly #onChange: (() => void) | null;
  readonly #maxBytes: number;
  #moment = 0;

  constructor({ onChange, maxBytes = defaultBytes }: StateOptions = {}) {
    this.#onChange = onChange ?? null;
    this.#maxBytes = maxBytes;
  }

  get(key: string): Json | undefined {
    return this.#values.get(key);
  }

  /** Sets a value. Throws `STATE_TOO_LARGE` if it does not fit together with the others. */
  set(key: string, value: Json): void {
    const size = this.#sizeOf(key, value);
    // A value that is nested too deep has no size; copying it throws the right error.
    if (size > this.#room(key) && size !== Infinity) throw tooLarge(key, this.#maxBytes);
    this.#put(key, frozenCopy(value), size);
    this.#touch(key);
  }

  delete(key: string): boolean {
    if (!this.#values.delete(key)) return false;
    this.#touch(key);
    this.#resize(key, this.#unsaved.has(key) ? keyBytes + key.length : 0);
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

  /** Takes the values that `read` returns, even beyond the limit of bytes. Keys that change here meanwhile keep their newer values. */
  async refresh(read: () => Promise<ReadonlyMap<string, Json>>): Promise<void> {
    const begun = this.#moment;
    this.#reads++;
    try {
      this.#take(await read(), begun);
    } finally {
      if (--this.#reads === 0) this.#touched.clear();
    }
  }

  /** Passes the unsaved changes to `write`. Later changes are saved the next time. */
  async save(write: (changes: StateChanges) => Promise<void>): Promise<void> {
    const moments = new Map(this.#unsaved);
    if (moments.size === 0) return;
    await write(new Map([...moments.keys()].map((key) => [key, this.#values.get(key)])));
    for (const [key, moment] of moments) {
      this.#note(key);
      if (this.#unsaved.get(key) === moment) this.#saved(key);
    }
  }

  #take(kept: ReadonlyMap<string, Json>, begun: number): void {
    const isOurs = (key: string) => this.#unsaved.has(key) || (this.#touched.get(key) ?? 0) > begun;
    for (const key of this.#values.keys()) if (!kept.has(key) && !isOurs(key)) this.#drop(key);
    for (const [key, value] of kept)
      if (!isOurs(key)) this.#put(key, frozenCopy(value), this.#sizeOf(key, value));
  }

  #put(key: string, value: Json, size: number): void {
    this.#values.set(key, value);
    this.#resize(key, size);
  }

  #drop(key: string): void {
    this.#values.delete(key);
    this.#resize(key, 0);
  }

  #saved(key: string): void {
    this.#unsaved.delete(key);
    if (!this.#values.has(key)) this.#resize(key, 0);
  }

  #sizeOf(key: string, value: Json): number {
    return keyBytes + key.length + leastBytes(value, this.#maxBytes);
  }

  /** Returns how many bytes the value of a key may have. */
  #room(key: string): number {
    return this.#maxBytes - this.#bytes + (this.#sizes.get(key) ?? 0);
  }

  #resize(key: string, size: number): void {
    this.#bytes += size - (this.#sizes.get(key) ?? 0);
    if (size === 0) this.#sizes.delete(key);
    else this.#sizes.set(key, size);
  }

  #touch(key: string): void {
    this.#note(key);
    if (this.#onChange === null) return;
    this.#unsaved.set(key, this.#moment);
    this.#onChange();
  }

  #note(key: string): void {
    this.#moment++;
    if (this.#reads > 0) this.#touched.set(key, this.#moment);
  }
}

/** Makes an error that the model reads, unless the tool catches it. */
function tooLarge(key: string, maxBytes: number): ToolError {
  const message = `the value of "${key.slice(0, 80)}" does not fit into the session's state, which may have ${maxBytes} bytes; delete other keys, or keep it in a file`;
  return new ToolError(message, { code: "STATE_TOO_LARGE" });
}
