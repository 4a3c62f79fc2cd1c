import { isRecord, type Leaf } from "./leaves.ts";
import type { Meter, Steps } from "./meter.ts";
import { normalize } from "./text.ts";
import type { UserWords } from "./words.ts";

/** Maximum number of a record's members that can be names, of words in a name, and of records with the same name. */
const most = { members: 30, words: 10, namesakes: 100 };

/** The names by which a user can call the records of a result. */
export class Names {
  readonly #members = new Map<unknown, Leaf[]>();
  readonly #records = new Map<string, Set<unknown>>();

  /** `leaves` are the members that can be a name of their record. */
  constructor(leaves: readonly Leaf[]) {
    for (const leaf of leaves) {
      const entry = isRecord(leaf.parent) ? leaf.parent : leaf;
      const members = this.#members.get(entry) ?? [];
      if (members.length < most.members) members.push(leaf);
      this.#members.set(entry, members);
    }
    for (const [entry, members] of this.#members)
      for (const name of namesOf(members)) {
        const records = this.#records.get(name) ?? new Set();
        this.#records.set(name, records.add(entry));
      }
  }

  /** Whether the user wrote a name of the record of this leaf, and no record with another value has that name. */
  *names(leaf: Leaf, words: UserWords, meter: Meter): Steps<boolean> {
    const members = isRecord(leaf.parent) ? (this.#members.get(leaf.parent) ?? []) : [leaf];
    for (const name of namesOf(members, leaf.value)) {
      yield meter.spend(words.text.length);
      if (words.calls(name) && this.#isAlone(name, leaf, members)) return true;
    }
    return false;
  }

  #isAlone(name: string, leaf: Leaf, members: readonly Leaf[]): boolean {
    const records = [...(this.#records.get(name) ?? [])];
    if (records.length > most.namesakes) return false;
    return records.every((record) => {
      const others = this.#members.get(record) ?? [];
      return others === members || others.some(({ value }) => value === leaf.value);
    });
  }
}

/**
 * Returns the names of a record: a whole name and its words, and the first word of other texts. A record without a name is also
 * called by what precedes the @ of its address, because its person chose that.
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
      const words = text.split(/[\s,;:()"]+/, most.words);
      return isName.test(key) ? [text, ...words] : words.slice(0, 1);
    }),
  ].filter((name) => name.length > 1);
}

const isName = /name$/i;
