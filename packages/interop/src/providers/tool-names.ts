import { digestOf } from "@toolmount/core/json";

/** A provider's rule for names of tools. */
interface NameRule {
  /** A character that is allowed in a name. */
  readonly allowed: RegExp;
  readonly maxLength: number;
  /** A character that is allowed at the start. Default: any allowed character. */
  readonly first?: RegExp;
}

/** Translates names to those that a provider sees, and back. */
export interface NameMap {
  toProvider(name: string): string;
  /** Returns the mounted name. An unknown name is returned unchanged, so that the host can report it. */
  fromProvider(name: string): string;
}

/**
 * Makes a map to the names that a provider allows. A name that is allowed stays. Any other is rewritten and gets eight
 * characters of its digest, so that the new names differ, too. The order of the given names does not matter.
 */
export function createNameMap(names: Iterable<string>, rule: NameRule): NameMap {
  const all = [...new Set(names)].toSorted();
  const there = new Map(all.filter((name) => fits(name, rule)).map((name) => [name, name]));
  const taken = new Set(there.keys());
  for (const name of all) {
    if (there.has(name)) continue;
    const written = rewrite(name, rule, taken);
    taken.add(written);
    there.set(name, written);
  }
  const back = new Map([...there].map(([name, written]) => [written, name]));
  return {
    toProvider: (name) => there.get(name) ?? (fits(name, rule) ? name : rewrite(name, rule, taken)),
    fromProvider: (name) => back.get(name) ?? name,
  };
}

function fits(name: string, { allowed, maxLength, first = allowed }: NameRule): boolean {
  const letters = Array.from(name);
  return (
    name.length > 0 &&
    name.length <= maxLength &&
    first.test(letters[0]!) &&
    letters.every((one) => allowed.test(one))
  );
}

function rewrite(
  name: string,
  { allowed, maxLength, first = allowed }: NameRule,
  taken: ReadonlySet<string>,
): string {
  const letters = Array.from(name, (letter) => (allowed.test(letter) ? letter : "_")).join("");
  const begun = first.test(letters[0] ?? "") ? letters : `t_${letters}`;
  for (let round = 0; ; round++) {
    const tail = `_${digestOf([name, round]).slice(0, 8)}`;
    const written = begun.slice(0, maxLength - tail.length) + tail;
    if (!taken.has(written)) return written;
  }
}
