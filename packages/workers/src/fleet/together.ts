/** Collects items that arrive while an action runs, and acts on them together, so that many items need only one statement. */
export class Together<Item, Result> {
  readonly #act: (items: readonly Item[]) => Promise<readonly Result[]>;
  readonly #waiting: { readonly item: Item; readonly ending: PromiseWithResolvers<Result> }[] = [];
  #isActing = false;

  /** `act` resolves to one result for each item, in the same order. If it rejects, `add` rejects for all of its items. */
  constructor(act: (items: readonly Item[]) => Promise<readonly Result[]>) {
    this.#act = act;
  }

  add(item: Item): Promise<Result> {
    const ending = Promise.withResolvers<Result>();
    this.#waiting.push({ item, ending });
    if (!this.#isActing) void this.#actOnAll();
    return ending.promise;
  }

  async #actOnAll(): Promise<void> {
    this.#isActing = true;
    // Waits, so that items that are added at the same moment are handled together.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, most);
      try {
        const results = await this.#act(batch.map(({ item }) => item));
        batch.forEach(({ ending }, at) => ending.resolve(results[at]!));
      } catch (error) {
        for (const { ending } of batch) ending.reject(error);
      }
    }
    this.#isActing = false;
  }
}

/** Maximum number of items of one action, so that a statement stays short. */
const most = 200;
