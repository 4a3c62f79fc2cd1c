import { LinkedList, type Link } from "./linked-list.ts";

/**
 * Tells items that a signal they follow was aborted: one listener for each distinct signal, however many calls share it.
 *
 * Adding and removing a listener for each call costs ten times as much as the list.
 */
export class SignalWatch<Item> {
  readonly #lists = new WeakMap<AbortSignal, LinkedList<Item>>();
  readonly #onAbort: (item: Item, signal: AbortSignal) => void;
  #lastSignal: AbortSignal | null = null;
  #lastList: LinkedList<Item> | null = null;

  constructor(onAbort: (item: Item, signal: AbortSignal) => void) {
    this.#onAbort = onAbort;
  }

  /** Follows a signal until the link leaves. An aborted signal is the caller's to check. */
  follow(signal: AbortSignal, link: Link<Item>): void {
    if (signal !== this.#lastSignal) {
      this.#lastList = this.#listOf(signal);
      this.#lastSignal = signal;
    }
    this.#lastList!.add(link);
  }

  /** Lets go of the signal that was seen last, so that nothing keeps it alive. */
  forget(): void {
    this.#lastSignal = null;
    this.#lastList = null;
  }

  #listOf(signal: AbortSignal): LinkedList<Item> {
    const known = this.#lists.get(signal);
    if (known !== undefined) return known;
    const list = new LinkedList<Item>();
    this.#lists.set(signal, list);
    signal.addEventListener("abort", () => this.#abort(list, signal), { once: true });
    return list;
  }

  #abort(list: LinkedList<Item>, signal: AbortSignal): void {
    for (let link = list.first; link !== null; link = list.first) {
      list.remove(link);
      this.#onAbort(link.item, signal);
    }
  }
}
