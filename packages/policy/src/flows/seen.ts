import type { KeptResult } from "@toolmount/core";
import { matchesGlob } from "@toolmount/core/text";
import { Copies } from "./copies.ts";
import { decodedOf } from "./encoded.ts";
import { leavesOf, walk, type Leaf, isRecord } from "./leaves.ts";
import type { Meter, Steps } from "./meter.ts";
import { Names } from "./names.ts";
import { Words } from "./runs.ts";
import { fitsResult, isLabelled, type ResultLine, type Trust } from "./schema.ts";
import { border, findWord, lettersOf, normalize, withoutSeparators } from "./text.ts";
import type { UserWords } from "./words.ts";

/** The trusts, strictest first. If several lines are about one field, the strictest trust counts. */
const trusts: readonly Trust[] = ["untrusted", "contact", "structured", "identity", "trusted"];

/** The trusts of fields that other people can write. Of a structured field, only the whole value is trusted. */
const foreign: readonly Trust[] = ["untrusted", "contact", "structured"];

/** Maximum number of leaves with the same value for which it is checked whether the user named their record. */
const mostAlike = 10;

function isIn(form: string, text: string, trust: Trust): boolean {
  const at = findWord(form, text);
  if (trust === "untrusted" || at === -1) return at !== -1;
  const rest = text.replaceAll(border, border + border).replaceAll(border + form + border, border);
  return findWord(form, rest) !== -1;
}

/** The texts of one result, normalized once and joined by trust. */
export class SeenResult {
  readonly result: KeptResult;
  /** Whether only the user sees the result. */
  readonly isPrivate: boolean;
  readonly #trustOf: (path: string) => Trust;
  readonly #texts: Readonly<Record<Trust, string>>;
  #compact: string | null = null;
  #letters: string | null = null;
  /** What the untrusted text contains in base64, in hex or with URL escapes. */
  readonly #decoded: readonly { readonly path: string; readonly text: string }[];
  readonly #copies = new Map<number, Copies>();
  #names: Names | undefined;

  constructor(result: KeptResult, lines: readonly ResultLine[]) {
    this.result = result;
    const own = lines.filter(({ match }) => fitsResult(match, result));
    this.isPrivate = own.some(({ audience }) => audience === "user");
    this.#trustOf = trustOfPaths(result, own);
    const parts: Record<Trust, string[]> = {
      untrusted: [],
      contact: [],
      structured: [],
      identity: [],
      trusted: [],
    };
    walk(result.value, ({ path, value }) => {
      const trust = this.#trustOf(path);
      parts[trust].push(normalizeLeaf(value, trust));
    });
    const join = (trust: Trust) => border + parts[trust].join(border) + border;
    this.#texts = {
      untrusted: join("untrusted"),
      contact: join("contact"),
      structured: join("structured"),
      identity: join("identity"),
      trusted: join("trusted"),
    };
    this.#decoded = leavesOf(result.value).flatMap(({ path, value }) =>
      typeof value === "string" && this.#trustOf(path) === "untrusted"
        ? decodedOf(value).map((text) => ({ path, text: normalize(text) }))
        : [],
    );
  }

  /** Number of characters of all texts. */
  get size(): number {
    return Object.values(this.#texts).reduce((sum, { length }) => sum + length, 0);
  }

  text(trust: Trust): string {
    return this.#texts[trust];
  }

  /** The untrusted text without separators. Codes are searched in it. */
  get compact(): string {
    return (this.#compact ??= withoutSeparators(this.#texts.untrusted));
  }

  /** The letters and digits of the untrusted text. */
  get letters(): string {
    return (this.#letters ??= lettersOf(this.#texts.untrusted));
  }

  /**
   * Returns the trust of a text of other people that has a form of the value: as a word of an untrusted text, or as a part of a
   * longer structured field, such as the name of a channel. Null if no such text has it.
   */
  mentions(forms: readonly string[]): Trust | null {
    const [shortest = ""] = forms.toSorted((one, other) => one.length - other.length);
    // The forms of a link contain each other, so a text without the shortest form contains none of them.
    const isNested = forms.every((form) => form.includes(shortest));
    for (const trust of foreign) {
      const text = this.#texts[trust];
      if (isNested && !text.includes(shortest)) continue;
      if (forms.some((form) => isIn(form, text, trust))) return trust;
    }
    return null;
  }

  /** Does the same as `mentions`, for content that others read: any value counts if only the user sees the result. */
  discloses(forms: readonly string[]): Trust | null {
    if (!this.isPrivate) return this.mentions(forms);
    return trusts.find((trust) => forms.some((form) => findWord(form, this.#texts[trust]) !== -1)) ?? null;
  }

  /** Returns the path of the untrusted text with the first decoded part that `fits`; null if no part does. */
  locateEncoded(fits: (text: string) => boolean): { path: string } | null {
    const found = this.#decoded.find(({ text }) => fits(text));
    return found === undefined ? null : { path: found.path };
  }

  /** Returns the runs of `length` words that other people may have written, or only the user sees. Computed once, in steps. */
  *copies(length: number, meter: Meter): Steps<Copies> {
    const known = this.#copies.get(length);
    if (known !== undefined) return known;
    const { untrusted, contact, structured, identity, trusted } = this.#texts;
    const said = [untrusted, ...this.#decoded.map(({ text }) => text)];
    const values = [contact, structured];
    const made = yield* Copies.read(
      this.isPrivate
        ? { length, foreign: [...said, ...values, identity, trusted], values: [] }
        : { length, foreign: said, values },
      meter,
    );
    this.#copies.set(length, made);
    return made;
  }

  /** Returns where a run of `copies` is in the result. `content` is the normalized content that has the run. */
  locateCopy(run: number, length: number, content: string): { path: string; line?: number } {
    const hasRun = (text: string) => new Words(text).has(run, length);
    const isPart = (text: string) =>
      text.split(border).some((field) => hasRun(field) && (this.isPrivate || !content.includes(field)));
    return (
      this.locate("untrusted", hasRun) ??
      this.locateEncoded(hasRun) ??
      this.locate("contact", isPart) ??
      this.locate("structured", isPart) ??
      this.locate("identity", hasRun) ??
      this.locate("trusted", hasRun) ?? { path: "" }
    );
  }

  /** Whether a field with this trust is exactly the value. */
  has(trust: Trust, form: string): boolean {
    return this.#texts[trust].includes(border + form + border);
  }

  /** Returns the leaves with this trust that are exactly the value. */
  leavesWith(trust: Trust, forms: readonly string[]): readonly Leaf[] {
    return leavesOf(this.result.value).filter(({ path, value }) => {
      if (this.#trustOf(path) !== trust) return false;
      const text = border + normalizeLeaf(value, trust) + border;
      return forms.some((form) => text.includes(border + form + border));
    });
  }

  /** Returns the first of these leaves whose record the user named by a name that no other record has. */
  *findNamed(leaves: readonly Leaf[], words: UserWords, meter: Meter): Steps<Leaf | undefined> {
    this.#names ??= new Names(leavesOf(this.result.value));
    for (const leaf of leaves.slice(0, mostAlike))
      if (yield* this.#names.names(leaf, words, meter)) return leaf;
    return undefined;
  }

  /** Returns other people's texts in records that the user named by fields which the service wrote. */
  *textsNamedBy(words: UserWords, meter: Meter): Steps<readonly string[]> {
    const leaves = leavesOf(this.result.value);
    const isForeign = ({ path }: Leaf) => this.#trustOf(path) === "untrusted";
    const names = new Names(leaves.filter((leaf) => !isForeign(leaf)));
    const found: string[] = [];
    for (const leaf of leaves)
      if (typeof leaf.value === "string" && isForeign(leaf) && (yield* names.names(leaf, words, meter)))
        found.push(leaf.value);
    return found;
  }

  /** Returns the first leaf with this trust that `fits`, and its line, counted from 1, in a text of several lines. */
  locate(trust: Trust, fits: (text: string) => boolean): { path: string; line?: number } | null {
    for (const { path, value } of leavesOf(this.result.value)) {
      if (this.#trustOf(path) !== trust) continue;
      if (!fits(border + normalizeLeaf(value, trust) + border)) continue;
      const lines = String(value).split("\n");
      const at = lines.findIndex((line) => fits(border + normalizeLeaf(line, trust) + border));
      return lines.length > 1 && at !== -1 ? { path, line: at + 1 } : { path };
    }
    return null;
  }
}

/** Normalizes a leaf. A text of several lines that a service made has a value in each line, and after each label. */
function normalizeLeaf(value: string | number, trust: Trust): string {
  if (typeof value === "number") return String(value);
  return trust === "untrusted" || !value.includes("\n")
    ? normalize(value)
    : value
        .split(/\n|, |: /)
        .map(normalize)
        .join(border);
}

/** Returns a function for the trust of a path: the strictest trust of the lines that are about it. */
function trustOfPaths(result: KeptResult, own: readonly ResultLine[]): (path: string) => Trust {
  const isLowered = own.some(isLabelled) && hasLabels(result);
  if (own.length === 0 || result.isError || isLowered) return () => "untrusted";
  return (path) => {
    const said = own.flatMap((line) => trustOf(line, path) ?? []);
    return trusts.find((trust) => said.includes(trust)) ?? "untrusted";
  };
}

function trustOf({ trust, fields = {} }: ResultLine, path: string): Trust | undefined {
  const named = Object.entries(fields).filter(([glob]) => matchesGlob(glob, path));
  const found = trusts.find((one) => named.some(([, other]) => other === one));
  return found ?? trusts.find((one) => one === trust);
}

/** Whether a server labels a result, or a block of it, as not trusted. */
function hasLabels({ value, meta }: KeptResult): boolean {
  const blocks = isRecord(value) && Array.isArray(value["content"]) ? (value["content"] as unknown[]) : [];
  const ofBlocks = blocks.map((block) => (isRecord(block) ? block["meta"] : undefined));
  return [meta?.["mcp"], ...ofBlocks].some((members) => {
    const own = isRecord(members) ? members["_meta"] : undefined;
    const label = isRecord(own) ? own["ifc"] : undefined;
    return label !== undefined && !(isRecord(label) && label["integrity"] === "trusted");
  });
}
