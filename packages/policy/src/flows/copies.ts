import type { Meter, Steps } from "./meter.ts";
import { eachRun, Words } from "./runs.ts";
import { border } from "./text.ts";

/** Maximum number of fields that are kept for a run. One that is not whole in the text is enough to show that the run is copied. */
const maxFields = 8;

/** The runs of words of a result that other people may have written, so that each run of a content is looked up once. */
export class Copies {
  readonly #foreign = new Set<number>();
  readonly #values = new Map<number, string[]>();

  /** Reads runs of `foreign`, which others wrote, and of `values`, which a service made: a whole value is not a copy. */
  static *read(
    { length, foreign, values }: { length: number; foreign: readonly string[]; values: readonly string[] },
    meter: Meter,
  ): Steps<Copies> {
    const copies = new Copies();
    for (const text of foreign)
      yield* eachRun(new Words(text), length, meter, (run) => copies.#foreign.add(run));
    for (const field of values.flatMap((text) => text.split(border)))
      yield* eachRun(new Words(field), length, meter, (run) => {
        const known = copies.#values.get(run);
        if (known === undefined) copies.#values.set(run, [field]);
        else if (known.length < maxFields) known.push(field);
      });
    return copies;
  }

  /** Whether a run of the normalized content is copied. */
  has(run: number, content: string, meter: Meter): boolean {
    if (this.#foreign.has(run)) return true;
    const fields = this.#values.size === 0 ? undefined : this.#values.get(run);
    if (fields === undefined) return false;
    return fields.some((field) => {
      meter.spend(content.length);
      return !content.includes(field);
    });
  }
}
