export interface Placed {
  place: number;
}

/** A list that items join and leave in constant time, without a search and without a link for each of them. */
export class UnorderedList<Item extends Placed> {
  readonly #items: Item[] = [];

  get size(): number {
    return this.#items.length;
  }

  add(item: Item): void {
    item.place = this.#items.length;
    this.#items.push(item);
  }

  /** The last item takes the place of the one that leaves. */
  remove(item: Item): void {
    if (item.place < 0) return;
    const last = this.#items.pop()!;
    if (last !== item) {
      this.#items[item.place] = last;
      last.place = item.place;
    }
    item.place = -1;
  }

  items(): Item[] {
    return [...this.#items];
  }
}
