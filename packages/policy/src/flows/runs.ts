import { randomInt } from "node:crypto";

/** Words in a row that are a copy rather than a coincidence. */
export const copiedWords = 5;

/** The words of a normalized text: a mark around a word makes no difference, and a mark that stands alone is no word. */
export class Words {
  readonly #text: string;
  readonly #starts: number[] = [];
  readonly #ends: number[] = [];
  readonly #lines: number[] = [];
  readonly #hashes: readonly [number[], number[]] = [[], []];

  constructor(text: string) {
    this.#text = text;
    let [start, line] = [0, 0];
    for (let at = 0; at <= text.length; at++) {
      const code = at === text.length ? blank : text.charCodeAt(at);
      if (code !== blank && code !== lineEnd) continue;
      this.#add(start, at, line);
      if (code === lineEnd) line++;
      start = at + 1;
    }
  }

  get count(): number {
    return this.#starts.length;
  }

  /** The text of so many words. */
  slice(at: number, length: number): string {
    return this.#text.slice(this.#starts[at], this.#ends[at + length - 1]);
  }

  /**
   * Calls `visit` with each run of so many words, none across a border of joined texts, until it returns true, and returns
   * whether it did. A run is a number of 53 bits. Who writes a text must not be able to choose two runs with one number, so
   * the numbers differ from process to process.
   */
  some(length: number, visit: (run: number, at: number) => boolean): boolean {
    for (let at = 0; at + length <= this.count; at++)
      if (this.#lines[at] === this.#lines[at + length - 1] && visit(this.#run(at, length), at)) return true;
    return false;
  }

  #add(start: number, end: number, line: number): void {
    while (start < end && isMark(this.#text.charCodeAt(start))) start++;
    while (end > start && isMark(this.#text.charCodeAt(end - 1))) end--;
    if (start === end) return;
    this.#starts.push(start);
    this.#ends.push(end);
    this.#lines.push(line);
    for (const [index, seed] of seeds.entries()) {
      let value = seed;
      for (let at = start; at < end; at++) value = mix(value ^ this.#text.charCodeAt(at));
      this.#hashes[index as 0 | 1].push(value);
    }
  }

  #run(at: number, length: number): number {
    let [high, low] = seeds;
    for (let next = at; next < at + length; next++) {
      high = mix(high ^ this.#hashes[0][next]!);
      low = mix(low ^ this.#hashes[1][next]!);
    }
    return (high >>> 0) * 0x20_00_00 + (low >>> 11);
  }
}

const blank = 32;
const lineEnd = 10;
const seeds = [randomInt(2 ** 32) | 0, randomInt(2 ** 32) | 0] as const;

/** One step of MurmurHash3: each bit of the number changes the others. */
function mix(value: number): number {
  const mixed = Math.imul(value, 0xcc9e2d51);
  return (Math.imul((mixed << 15) | (mixed >>> 17), 0x1b873593) + 0xe6546b64) | 0;
}

/** Whether a character is no part of a word: marks of ASCII, and the blocks of punctuation. */
function isMark(code: number): boolean {
  if (code < 128) return !((code > 96 && code < 123) || (code > 47 && code < 58) || code === 95);
  return code < 0xc0 || (code >= 0x2000 && code < 0x2070) || (code >= 0x3000 && code < 0x3040);
}
