import { digestOf } from "@toolmount/core/json";

/** What a provider asks of a tool's name. */
interface NameRule {
  /** A sign that may stand in a name. */
  readonly allowed: RegExp;
  readonly maxLength: number;
  /** A sign that may stand first; any allowed one when absent. */
  readonly first?: RegExp;
}

/** Names as a provider sees them, and back. */
export interface NameMap {
  toProvider(name: string): string;
  /** The mounted name; a name that was never given out comes back as it is, so that the host can answer for it. */
  fromProvider(name: string): string;
}

/**
 * Maps names to what a provider allows. A name that fits stays; another is rewritten and gets eight signs of its digest,
 * so that no two become one. The same names give the same map, in whichever order they come.
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
