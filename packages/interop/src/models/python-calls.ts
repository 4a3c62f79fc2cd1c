import type { Json } from "@toolmount/core";

/** A call in a model's text: the name of its tool, and its arguments. */
export interface WrittenCall {
  readonly name: unknown;
  readonly arguments: unknown;
}

/**
 * Reads calls that are written in Python's syntax, such as `[get_weather(city="Paris")]` or `print(look(id=1))`. Their
 * arguments are literals with names. Null for any other text.
 */
export function readPythonCalls(text: string): readonly WrittenCall[] | null {
  const bare = /^print\(([\s\S]*)\)$/.exec(text)?.[1] ?? text;
  const inner = /^\[([\s\S]*)\]$/.exec(bare)?.[1] ?? bare;
  const reader = new Reader(inner);
  const calls = reader.list(() => reader.call(), "");
  return reader.isWhole && calls.length > 0 ? calls : null;
}

/** Deepest nesting of lists and objects, in levels. */
const maxLevels = 32;

const words: ReadonlyMap<string, Json> = new Map<string, Json>([
  ["True", true],
  ["False", false],
  ["None", null],
  ["true", true],
  ["false", false],
  ["null", null],
]);

/** Reads a text from left to right. It stops at the first part that it cannot read. */
class Reader {
  readonly #text: string;
  #at = 0;
  #isBroken = false;
  #level = 0;

  constructor(text: string) {
    this.#text = text;
  }

  get isWhole(): boolean {
    this.#take(/\s*/y);
    return !this.#isBroken && this.#at === this.#text.length;
  }

  call(): WrittenCall {
    const name = this.#take(/\s*([A-Za-z_][\w.-]*)\s*\(/y);
    const pairs = this.list(() => this.#pair(/\s*([A-Za-z_]\w*)\s*=/y), ")");
    return { name, arguments: Object.fromEntries(pairs) };
  }

  /** Reads items that are separated by commas, up to `end`. */
  list<Thing>(read: () => Thing, end: string): Thing[] {
    const things: Thing[] = [];
    while (!this.#isBroken && !this.#ends(end)) {
      things.push(read());
      if (this.#ends(end)) break;
      this.#take(/\s*,/y);
    }
    if (end !== "") this.#at++;
    return things;
  }

  #ends(end: string): boolean {
    this.#skip();
    return end === "" ? this.#at === this.#text.length : this.#text[this.#at] === end;
  }

  #pair(name: RegExp): [string, Json] {
    return [this.#take(name), this.#value()];
  }

  #value(): Json {
    this.#skip();
    if (++this.#level > maxLevels) return this.#break();
    const value = this.#anyValue();
    this.#level--;
    return value;
  }

  #anyValue(): Json {
    const first = this.#text[this.#at] ?? "";
    if (first === '"' || first === "'") return this.#string(first);
    if (first === "[") return this.#inside(() => this.list(() => this.#value(), "]"));
    if (first === "{")
      return this.#inside(() => Object.fromEntries(this.list(() => this.#member(), "}")) as Json);
    const word = this.#take(/([A-Za-z]+|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)/y);
    if (words.has(word)) return words.get(word)!;
    return /^-?\d/.test(word) && String(Number(word)) === word ? Number(word) : this.#break();
  }

  #inside(read: () => Json): Json {
    this.#at++;
    return read();
  }

  #member(): [string, Json] {
    this.#skip();
    const name = this.#string(this.#text[this.#at] ?? "");
    this.#take(/\s*:/y);
    return [name, this.#value()];
  }

  /** Reads a string. A string with an escape that Python has and JSON does not is refused. */
  #string(quote: string): string {
    if (quote !== '"' && quote !== "'") return this.#break();
    const found = this.#take(quote === '"' ? /"((?:[^"\\\n]|\\[\s\S])*)"/y : /'((?:[^'\\\n]|\\[\s\S])*)'/y);
    const json = found.replaceAll("\\'", "'").replaceAll(/(?<!\\)((?:\\\\)*)"/g, '$1\\"');
    try {
      return JSON.parse(`"${json}"`) as string;
    } catch {
      return this.#break();
    }
  }

  #skip(): void {
    while (/\s/.test(this.#text[this.#at] ?? "")) this.#at++;
  }

  #take(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const found = this.#isBroken ? null : pattern.exec(this.#text);
    if (found === null) return this.#break();
    this.#at = pattern.lastIndex;
    return found[1] ?? found[0];
  }

  #break(): string {
    this.#isBroken = true;
    return "";
  }
}
