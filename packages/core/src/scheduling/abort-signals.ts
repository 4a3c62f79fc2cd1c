import { LinkedList, type Link } from "./linked-list.ts";

/**
 * Calls `onAbort` for each item whose signal is aborted. Each distinct signal has one listener, however many calls share
 * it: adding and removing a listener for each call costs ten times as much as the list.
 */
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
