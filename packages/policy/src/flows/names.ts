import { isRecord, type Leaf } from "./leaves.ts";
import { normalize } from "./text.ts";
import type { UserWords } from "./words.ts";

/** The names by which a user can call the records of a result. */
export class Names {
  readonly #members = new Map<unknown, Leaf[]>();
  readonly #records = new Map<string, Set<unknown>>();

  /** `leaves`: the members that can be a name of their record. */
  constructor(leaves: readonly Leaf[]) {
    for (const leaf of leaves) {
      const entry = isRecord(leaf.parent) ? leaf.parent : leaf;
      this.#members.set(entry, [...(this.#members.get(entry) ?? []), leaf]);
    }
    for (const [entry, members] of this.#members)
      for (const name of namesOf(members)) {
        const records = this.#records.get(name) ?? new Set();
        this.#records.set(name, records.add(entry));
      }
  }

  /** Whether the user wrote a name of the record with this leaf, which no record with another value has. */
  names(leaf: Leaf, words: UserWords): boolean {
    const members = isRecord(leaf.parent) ? (this.#members.get(leaf.parent) ?? []) : [leaf];
    return namesOf(members, leaf.value).some(
      (name) =>
        words.calls(name) &&
        [...(this.#records.get(name) ?? [])].every((record) => this.#has(record, leaf, members)),
    );
  }

  #has(record: unknown, leaf: Leaf, members: readonly Leaf[]): boolean {
    const others = this.#members.get(record) ?? [];
    return others === members || others.some(({ value }) => value === leaf.value);
  }
}

/**
 * The names of a record: the words of a name and the name as a whole, and the first word of another text. Only a record
 * without a name is called by what is before the @ of its address, too, which its person chose.
 */
function namesOf(members: readonly Leaf[], besides?: string | number): readonly string[] {
  const texts = members.flatMap(({ path, value }) =>
    typeof value === "string" && value !== besides ? [{ key: path, text: normalize(value) }] : [],
  );
  const hasName = texts.some(({ key }) => isName.test(key));
  const addresses = hasName ? [] : members.map(({ value }) => normalize(String(value)));
  return [
    ...addresses.flatMap((one) => /^[^@]{3,}(?=@)/.exec(one)?.[0].split(/[._-]/)[0] ?? []),
    ...texts.flatMap(({ key, text }) => {
      const words = text.split(/[\s,;:()"]+/);
      return isName.test(key) ? [text, ...words] : words.slice(0, 1);
    }),
  ].filter((name) => name.length > 1);
}

const isName = /name$/i;
