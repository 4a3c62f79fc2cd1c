/** Ranges of code points, both ends included. */
export type Ranges = readonly (readonly [number, number])[];

/** What a pattern consists of, as far as its cost depends on it. */
export type PatternNode =
  | { readonly kind: "empty" }
  | { readonly kind: "set"; readonly ranges: Ranges }
  | { readonly kind: "sequence"; readonly items: readonly PatternNode[] }
  | { readonly kind: "choice"; readonly items: readonly PatternNode[] }
  | { readonly kind: "repeat"; readonly item: PatternNode; readonly min: number; readonly max: number };

const end = 0x10ffff;
const digits: Ranges = [[48, 57]];
const words: Ranges = [
  [48, 57],
  [65, 90],
  [95, 95],
  [97, 122],
];
const spaces: Ranges = [
  [9, 13],
  [32, 32],
  [160, 160],
  [0x2000, 0x200a],
  [0x2028, 0x2029],
  [0x202f, 0x202f],
  [0x3000, 0x3000],
  [0xfeff, 0xfeff],
];
/** A property of Unicode, wide enough: what is outside ASCII, and letters. */
const property: Ranges = [
  [65, 90],
  [97, 122],
  [128, end],
];
const lineEnds: Ranges = [
  [10, 10],
  [13, 13],
];
const nothing: PatternNode = { kind: "empty" };

/** Parses a regular expression that JavaScript takes. Look-around is left out; back-references count as empty. */
export function parsePattern(source: string): PatternNode {
  return new PatternParser(source).choice();
}

class PatternParser {
  readonly #characters: readonly string[];
  #at = 0;

  constructor(source: string) {
    this.#characters = Array.from(source);
  }

  choice(): PatternNode {
    const items = [this.#sequence()];
    while (this.#take("|")) items.push(this.#sequence());
    return items.length === 1 ? items[0]! : { kind: "choice", items };
  }

  #sequence(): PatternNode {
    const items: PatternNode[] = [];
    while (this.#at < this.#characters.length && !["|", ")"].includes(this.#peek()))
      items.push(this.#quantified(this.#atom()));
    return { kind: "sequence", items };
  }

  #quantified(item: PatternNode): PatternNode {
    const bounds = this.#bounds();
    if (bounds === null) return item;
    this.#take("?");
    return { kind: "repeat", item, ...bounds };
  }

  #bounds(): { min: number; max: number } | null {
    if (this.#take("*")) return { min: 0, max: Infinity };
    if (this.#take("+")) return { min: 1, max: Infinity };
    if (this.#take("?")) return { min: 0, max: 1 };
    const rest = this.#characters.slice(this.#at, this.#at + 24).join("");
    const match = /^\{(\d{1,9})(,(\d{0,9}))?\}/.exec(rest);
    if (match === null) return null;
    this.#at += match[0].length;
    const min = Number(match[1]);
    const max = match[2] === undefined ? min : match[3] === "" ? Infinity : Number(match[3]);
    return { min, max };
  }

  #atom(): PatternNode {
    const character = this.#next();
    if (character === "(") return this.#group();
    if (character === "[") return set(this.#class());
    if (character === ".") return set(negate(lineEnds));
    if (character === "^" || character === "$") return nothing;
    return character === "\\" ? this.#escape() : set(single(character));
  }

  #group(): PatternNode {
    let isLook = false;
    if (this.#take("?")) {
      if (this.#take("=") || this.#take("!")) isLook = true;
      else if (this.#take("<")) {
        if (this.#take("=") || this.#take("!")) isLook = true;
        else while (this.#at < this.#characters.length && this.#next() !== ">") continue;
      } else while (this.#at < this.#characters.length && this.#next() !== ":") continue;
    }
    const inside = this.choice();
    this.#take(")");
    return isLook ? nothing : inside;
  }

  #escape(): PatternNode {
    const letter = this.#peek();
    if (letter === "b" || letter === "B") return this.#skip(nothing);
    if (/[1-9]/.test(letter)) {
      while (/[0-9]/.test(this.#peek())) this.#at++;
      return nothing;
    }
    if (letter === "k" && this.#characters[this.#at + 1] === "<") {
      while (this.#at < this.#characters.length && this.#next() !== ">") continue;
      return nothing;
    }
    return set(this.#escapedRanges());
  }

  #escapedRanges(): Ranges {
    const letter = this.#next();
    const known = { d: digits, w: words, s: spaces }[letter.toLowerCase()];
    if (known !== undefined) return letter === letter.toLowerCase() ? known : negate(known);
    if (letter === "p" || letter === "P") {
      if (this.#take("{")) while (this.#at < this.#characters.length && this.#next() !== "}") continue;
      return letter === "p" ? property : [[0, end]];
    }
    if (letter === "u" || letter === "x") return this.#numbered(letter);
    return single({ n: "\n", r: "\r", t: "\t", f: "\f", v: "\v", 0: "\0" }[letter] ?? letter);
  }

  #numbered(letter: string): Ranges {
    const rest = this.#characters.slice(this.#at, this.#at + 10).join("");
    const match = (letter === "u" ? /^(?:\{([0-9a-f]{1,6})\}|([0-9a-f]{4}))/i : /^()([0-9a-f]{2})/i).exec(
      rest,
    );
    if (match === null) return single(letter);
    this.#at += match[0].length;
    const value = Number.parseInt(match[1] || match[2]!, 16);
    return [[value, value]];
  }

  #class(): Ranges {
    const isNegated = this.#take("^");
    const ranges: (readonly [number, number])[] = [];
    while (this.#at < this.#characters.length && this.#peek() !== "]") {
      const low = this.#member();
      if (this.#peek() !== "-" || this.#characters[this.#at + 1] === "]" || low.length !== 1)
        ranges.push(...low);
      else {
        this.#at++;
        const high = this.#member();
        ranges.push([low[0]![0], Math.max(low[0]![0], high.at(-1)![1])]);
      }
    }
    this.#take("]");
    return isNegated ? negate(ranges) : ranges;
  }

  #member(): Ranges {
    const character = this.#next();
    if (character !== "\\") return single(character);
    if (this.#peek() !== "b") return this.#escapedRanges();
    this.#at++;
    return single("\b");
  }

  #peek(): string {
    return this.#characters[this.#at] ?? "";
  }

  #next(): string {
    return this.#characters[this.#at++] ?? "";
  }

  #skip<Value>(value: Value): Value {
    this.#at++;
    return value;
  }

  #take(character: string): boolean {
    if (this.#peek() !== character) return false;
    this.#at++;
    return true;
  }
}

function set(ranges: Ranges): PatternNode {
  return { kind: "set", ranges };
}

function single(character: string): Ranges {
  const value = character.codePointAt(0) ?? 0;
  return [[value, value]];
}

function negate(ranges: Ranges): Ranges {
  const rest: [number, number][] = [];
  let from = 0;
  for (const [low, high] of ranges.toSorted((a, b) => a[0] - b[0])) {
    if (low > from) rest.push([from, low - 1]);
    from = Math.max(from, high + 1);
  }
  if (from <= end) rest.push([from, end]);
  return rest;
}

/** Whether two sets share a character. */
export function overlap(a: Ranges, b: Ranges): boolean {
  return a.some(([low, high]) => b.some(([from, to]) => low <= to && from <= high));
}
