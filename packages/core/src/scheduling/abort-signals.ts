import { LinkedList, type Link } from "./linked-list.ts";

/** Calls `onAbort` for the items of an aborted signal. A listener for each call would cost ten times as much. */
export class SignalWatch<Item> {
  readonly #lists = new WeakMap<AbortSignal, LinkedList<Item>>();
  readonly #onAbort: (item: Item) => void;
  #lastSignal: AbortSignal | null = null;
  #lastList: LinkedList<Item> | null = null;

  constructor(onAbort: (item: Item) => void) {
    this.#onAbort = onAbort;
  }

  /** Follows a signal until the link leaves. The caller checks first whether the signal is aborted already. */
  follow(signal: AbortSignal, link: Link<Item>): void {
    if (signal !== this.#lastSignal) {
      this.#lastList = this.#listOf(signal);
      this.#lastSignal = signal;
    }
    this.#lastList!.add(link);
  }

  /** Drops the reference to the last signal, so that the host does not keep it in memory. */
  forget(): void {
    this.#lastSignal = null;
    this.#lastList = null;
  }

  #listOf(signal: AbortSignal): LinkedList<Item> {
    const known = this.#lists.get(signal);
    if (known !== undefined) return known;
    const list = new LinkedList<Item>();
    this.#lists.set(signal, list);
    signal.addEventListener("abort", () => this.#abort(list), { once: true });
    return list;
  }

  #abort(list: LinkedList<Item>): void {
    for (let link = list.first; link !== null; link = list.first) {
      list.remove(link);
      this.#onAbort(link.item);
    }
  }
}
