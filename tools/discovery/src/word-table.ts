import type { Found } from "./order.ts";
import { alikeOf, wordsOf } from "./words.ts";

/** How much each repetition of a word in a field loses of its effect; 0 would count each of them fully. */
const repeats = 0.2;

/** How slowly repetitions of a word lose their effect, and how much the length of a page reduces its score. Source: BM25F. */
const saturation = 5;
const lengthShare = 0.5;

/** Weights of a word with the same meaning, of a longer word with the same beginning, and of a word with one wrong letter. */
const counts = { alike: 0.4, beginning: 0.3, misspelt: 0.3 };

/** The pages that contain a word, and the weight of the word on each of them. */
interface Postings {
  readonly pages: number[];
  readonly weights: number[];
}

/** What one word of a query adds to the scores of pages. */
interface Shares {
  readonly pages: readonly number[];
  readonly values: readonly number[];
}

/** Finds pages of text by their words, with BM25F: a word counts by the weight of its field. */
export class WordTable {
  readonly #postings = new Map<string, Postings>();
  /** All words in sorted order, so that those with the same beginning are next to each other. */
  readonly #words: readonly string[];
  /** For each page, the term of the formula that grows with the page's length. */
  readonly #lengths: Float64Array;
  /** The scores of the current search, by page; all are 0 between searches. */
  readonly #sums: Float64Array;

  constructor(pages: readonly Readonly<Record<string, string>>[], weights: Readonly<Record<string, number>>) {
    this.#lengths = Float64Array.from(pages, (page, at) => this.#add(page, at, weights));
    const average = this.#lengths.reduce((sum, length) => sum + length, 0) / Math.max(1, pages.length);
    for (const [at, length] of this.#lengths.entries())
      this.#lengths[at] = saturation * (1 - lengthShare + (lengthShare * length) / average);
    this.#words = [...this.#postings.keys()].toSorted();
    this.#sums = new Float64Array(pages.length);
  }

  /** Returns the best pages for each list of words, at most `limit` for each. */
  find(parts: readonly (readonly string[])[], limit: number, accepts: (page: number) => boolean): Found[][] {
    const shares = new Map<string, Shares>();
    for (const word of new Set(parts.flat())) shares.set(word, this.#sharesOf(word));
    return parts.map((words) =>
      this.#best(
        words.map((word) => shares.get(word)!),
        limit,
        accepts,
      ),
    );
  }

  /** Adds the words of a page. Returns its length. */
  #add(
    page: Readonly<Record<string, string>>,
    at: number,
    weights: Readonly<Record<string, number>>,
  ): number {
    const found = new Map<string, number>();
    let length = 0;
    for (const [field, weight] of Object.entries(weights)) {
      const words = wordsOf(page[field] ?? "");
      length += weight * words.length;
      const times = new Map<string, number>();
      for (const word of words) times.set(word, (times.get(word) ?? 0) + 1);
      for (const [word, count] of times)
        found.set(word, (found.get(word) ?? 0) + (weight * count) / (1 + repeats * (count - 1)));
    }
    for (const [word, weight] of found) {
      const postings = this.#postings.get(word) ?? { pages: [], weights: [] };
      this.#postings.set(word, postings);
      postings.pages.push(at);
      postings.weights.push(weight);
    }
    return length;
  }

  /**
   * Returns what a word adds to the scores of pages. All words that may mean it are taken together, so that a page with several
   * of them counts once.
   */
  #sharesOf(word: string): Shares {
    const sums = this.#sums;
    const pages: number[] = [];
    for (const [one, count] of this.#expand(word)) {
      const found = this.#postings.get(one);
      if (found === undefined) continue;
      for (const [index, page] of found.pages.entries()) {
        if (sums[page] === 0) pages.push(page);
        sums[page]! += count * found.weights[index]!;
      }
    }
    const rarity = this.#rarityOf(this.#postings.get(word)?.pages.length ?? pages.length);
    const values = pages.map((page) => {
      const sum = sums[page]!;
      sums[page] = 0;
      return (rarity * sum * (saturation + 1)) / (sum + this.#lengths[page]!);
    });
    return { pages, values };
  }

  #rarityOf(pages: number): number {
    return Math.log(1 + (this.#sums.length - pages + 0.5) / (pages + 0.5));
  }

  /** Returns the words that count for a word, with their weights. */
  #expand(word: string): Map<string, number> {
    const found = new Map<string, number>();
    for (const other of alikeOf(word)) found.set(other, counts.alike);
    found.set(word, 1);
    if (word.length > 3)
      for (const longer of this.#beginningWith(word))
        if (!found.has(longer)) found.set(longer, counts.beginning);
    const isKnown = [...found.keys()].some((one) => this.#postings.has(one));
    if (!isKnown && word.length > 4)
      for (const near of this.#words) if (isMisspelt(near, word)) found.set(near, counts.misspelt);
    return found;
  }

  *#beginningWith(start: string): Generator<string> {
    let [low, high] = [0, this.#words.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#words[middle]! < start) low = middle + 1;
      else high = middle;
    }
    for (; this.#words[low]?.startsWith(start) === true; low++) yield this.#words[low]!;
  }

  #best(shares: readonly Shares[], limit: number, accepts: (page: number) => boolean): Found[] {
    const sums = this.#sums;
    const touched: number[] = [];
    for (const { pages, values } of shares)
      for (const [index, page] of pages.entries()) {
        if (sums[page] === 0) touched.push(page);
        sums[page]! += values[index]!;
      }
    const best: Found[] = [];
    for (const page of touched) {
      const score = sums[page]!;
      sums[page] = 0;
      if (best.length === limit && score <= best.at(-1)!.score) continue;
      if (!accepts(page)) continue;
      const place = best.findIndex((other) => score > other.score);
      best.splice(place < 0 ? best.length : place, 0, { at: page, score });
      if (best.length > limit) best.pop();
    }
    return best;
  }
}

/** Whether two words differ by one letter: another one, one too many, or two that are swapped. The first letter must be equal. */
function isMisspelt(word: string, other: string): boolean {
  if (word[0] !== other[0] || Math.abs(word.length - other.length) > 1) return false;
  let at = 0;
  while (at < word.length && word[at] === other[at]) at++;
  const [rest, otherRest] = [word.slice(at), other.slice(at)];
  return (
    rest.slice(1) === otherRest.slice(1) ||
    rest.slice(1) === otherRest ||
    rest === otherRest.slice(1) ||
    (rest[0] === otherRest[1] && rest[1] === otherRest[0] && rest.slice(2) === otherRest.slice(2))
  );
}
