import { randomInt } from "node:crypto";
import type { Meter, Steps } from "./meter.ts";

/** Minimum number of words in a row that count as a copy and not as a coincidence. */
export const copiedWords = 5;

/** The weight of a word. A character of a script without spaces has half of it. */
const wordWeight = 2;

/** Number of characters without a space that weigh as much as one word. */
const wordLength = 48;

/**
 * The words of a normalized text. Punctuation around a word makes no difference, and punctuation that stands alone is not a
 * word. Each character of a script without spaces, such as Chinese, is a word; so is each text between the marks of JSON.
 */
export class Words {
  readonly #text: string;
  readonly #starts: number[] = [];
  readonly #ends: number[] = [];
  readonly #lines: number[] = [];
  /** For each word the weight of all words before it, and at the end the weight of all words that were read. */
  readonly #weights: number[] = [0];
  readonly #hashes: readonly [number[], number[]] = [[], []];
  /** Where the first word that was not read yet begins; `#line` is the line of that word. */
  #from = 0;
  #line = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** Returns how many words the text has, by weight. Reads at most `most` words. */
  count(most = Number.POSITIVE_INFINITY): number {
    while (this.#weights.at(-1)! < most * wordWeight && this.#readOn());
    return Math.min(most, Math.floor(this.#weights.at(-1)! / wordWeight));
  }

  /** Returns the text of `length` words from the word `at`. */
  slice(at: number, length: number): string {
    const end = this.#endOf(at, length)!;
    return this.#text.slice(this.#starts[at], this.#ends[end - 1]);
  }

  /**
   * Yields each run of `length` words, with the index of its first word. No run crosses a border of joined texts. A run is a
   * number of 53 bits. Authors of texts must not be able to choose two runs with the same number, so the numbers differ between
   * processes.
   */
  *runs(length: number): Generator<readonly [run: number, at: number]> {
    for (let at = 0; ; at++) {
      const end = this.#endOf(at, length);
      if (end === null) return;
      if (this.#lines[at] === this.#lines[end - 1]) yield [this.#run(at, end), at];
    }
  }

  /** Whether `run` is one of the text's runs of `length` words. */
  has(run: number, length: number): boolean {
    for (const [one] of this.runs(length)) if (one === run) return true;
    return false;
  }

  /** Returns the index of the first word after a run; null if fewer words are left. */
  #endOf(at: number, length: number): number | null {
    while (at >= this.#starts.length) if (!this.#readOn()) return null;
    const wanted = this.#weights[at]! + length * wordWeight;
    let end = at + 1;
    while (this.#weights[end]! < wanted) {
      end++;
      while (end >= this.#weights.length) if (!this.#readOn()) return null;
    }
    return end;
  }

  /** Reads the next word; false at the end of the text. */
  #readOn(): boolean {
    const text = this.#text;
    const start = this.#from;
    for (let at = start; at <= text.length; at++) {
      const code = at === text.length ? blank : text.charCodeAt(at);
      const isAlone = code >= firstUnspaced && isUnspaced(code);
      if (!isAlone && !isBetweenWords(code)) continue;
      this.#add(start, at, this.#line);
      if (isAlone) this.#add(at, at + 1, this.#line, 1);
      if (code === lineEnd) this.#line++;
      this.#from = at + 1;
      return true;
    }
    return false;
  }

  #add(start: number, end: number, line: number, weight?: number): void {
    while (start < end && isMark(this.#text.charCodeAt(start))) start++;
    while (end > start && isMark(this.#text.charCodeAt(end - 1))) end--;
    if (start === end) return;
    this.#starts.push(start);
    this.#ends.push(end);
    this.#lines.push(line);
    weight ??= wordWeight * Math.ceil((end - start) / wordLength);
    this.#weights.push(this.#weights.at(-1)! + weight);
    let [high, low] = seeds;
    for (let at = start; at < end; at++) {
      const code = this.#text.charCodeAt(at);
      high = mix(high ^ code);
      low = mix(low ^ code);
    }
    this.#hashes[0].push(high);
    this.#hashes[1].push(low);
  }

  #run(at: number, end: number): number {
    let [high, low] = seeds;
    for (let next = at; next < end; next++) {
      high = mix(high ^ this.#hashes[0][next]!);
      low = mix(low ^ this.#hashes[1][next]!);
    }
    return (high >>> 0) * 0x20_00_00 + (low >>> 11);
  }
}

/** Number of runs that are read in one step, and the cost of one: as many characters can be searched in that time. */
const stepRuns = 256;
const runCost = 2_048;

/** Calls `visit` for each run of `length` words of a text, in steps. */
export function* eachRun(
  words: Words,
  length: number,
  meter: Meter,
  visit: (run: number, at: number) => void,
): Steps<void> {
  let left = 0;
  for (const [run, at] of words.runs(length)) {
    if (--left < 0) {
      left = stepRuns;
      yield meter.work(stepRuns * runCost);
    }
    visit(run, at);
  }
}

const blank = 32;
const lineEnd = 10;
const seeds = [randomInt(2 ** 32) | 0, randomInt(2 ** 32) | 0] as const;

/** Whether a character ends a word: a space, the end of a line, and the marks of JSON, lists and tables. */
function isBetweenWords(code: number): boolean {
  return code === blank || code === lineEnd || separators.has(code);
}

const separators: ReadonlySet<number> = new Set('"{}[]()<>|;,=&'.split("").map((mark) => mark.charCodeAt(0)));

/** The first character of a script that writes no spaces between words, which is Thai. */
const firstUnspaced = 0x0e00;

/** Whether a character belongs to Thai, Lao, Burmese, Khmer, or a script of China or Japan. */
function isUnspaced(code: number): boolean {
  if (code >= 0x3040) return code < 0xa4d0 || (code >= 0xf900 && code < 0xfb00);
  return code < 0x0f00 || (code >= 0x1000 && code < 0x10a0) || (code >= 0x1780 && code < 0x1800);
}

/** Computes one step of MurmurHash3, in which each bit of the number changes the others. */
function mix(value: number): number {
  const mixed = Math.imul(value, 0xcc9e2d51);
  return (Math.imul((mixed << 15) | (mixed >>> 17), 0x1b873593) + 0xe6546b64) | 0;
}

/** Whether a character is not a part of a word: punctuation of ASCII or of the blocks for punctuation. */
function isMark(code: number): boolean {
  if (code < 128) return !((code > 96 && code < 123) || (code > 47 && code < 58) || code === 95);
  return code < 0xc0 || (code >= 0x2000 && code < 0x2070) || (code >= 0x3000 && code < 0x3040);
}
