/** Collects the items that arrive while an action runs, and acts on them together: under load, one statement for many. */
export class Together<Item, Result> {
  readonly #act: (items: readonly Item[]) => Promise<readonly Result[]>;
  readonly #waiting: { readonly item: Item; readonly ending: PromiseWithResolvers<Result> }[] = [];
  #isActing = false;

  /** `act` resolves to one result for each item, in their order. When it rejects, all of its items do. */
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
    // Items that are added at the same moment go together, too.
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

/** Most items of one action, so that a statement stays short. */
const most = 200;
