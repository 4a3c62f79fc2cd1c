import { decodedOf } from "./encoded.ts";
import type { Evidence, Found } from "./evidence.ts";
import type { Steps } from "./meter.ts";
import { copiedWords, eachRun, Words } from "./runs.ts";
import type { SeenResult } from "./seen.ts";
import { compactCode, findWord, formsOf, normalize } from "./text.ts";

/** A part of a content that neither the model nor the user wrote. */
export interface Foreign {
  readonly part: string;
  readonly found: Found;
  /** Only the user sees the result that has it. */
  readonly isPrivate?: boolean;
}

/**
 * Finds a part of a text, also in an encoded form, that is neither the model's own words nor the user's, and where it is
 * from. Null when all of the text is theirs.
 */
export function* findForeign(text: string, evidence: Evidence): Steps<Foreign | null> {
  for (const one of [text, ...decodedOf(text, evidence.meter)]) {
    const found = (yield* findAddress(one, evidence)) ?? (yield* findCopy(one, evidence));
    if (found !== null) return found;
  }
  return null;
}

/** Endings of hosts that are named without a scheme. Endings of file names are not among them. */
const hostEnd =
  "(?:com|org|net|edu|gov|info|biz|app|dev|xyz|site|online|shop|link|[a-z]{2})(?<!\\.(?:md|py|js|ts|sh|go|rs|cs|rb))";

/**
 * Links and hosts, mail addresses, telephone numbers and codes. Before an @ are at most the 64 characters of RFC 5321, and a
 * host has at most 253 in 127 labels: without these bounds a long word takes the square of its length.
 */
const addresses = new RegExp(
  [
    String.raw`https?:\/\/[^\s"'<>]+`,
    String.raw`[\w.+-]{1,64}@[\w-]+(?:\.[\w-]+)+`,
    String.raw`www\.[^\s"'<>]+`,
    String.raw`(?<![\w.])(?:[\p{L}\p{N}-]{1,253}\.){1,127}${hostEnd}(?![\w])(?:\/[^\s"'<>]*)?`,
    String.raw`\+?\d[\d \-()]{6,}\d`,
    String.raw`\b(?=\w*\d)(?=\w*[a-z])\w{8,}\b`,
  ].join("|"),
  "giu",
);

/** Looking for addresses in a character takes as long as searching so many. */
const addressCost = 256;

/** An address in a text that neither the user nor the plan named. A link in a text makes the reader act. */
function* findAddress(text: string, evidence: Evidence): Steps<Foreign | null> {
  const whole = normalize(text);
  evidence.meter.spend(text.length * addressCost);
  for (const [match] of text.matchAll(addresses)) {
    yield evidence.meter.spend(evidence.words.text.length);
    const part = match.replace(/(?<![.,;:!?)])[.,;:!?)]+$/, "");
    if (evidence.words.name(part) || formsOf(part).some((form) => evidence.identity.has(form))) continue;
    if (/^\d{4}-\d{2}-\d{2}/.test(part)) continue;
    const found = findText(formsOf(part), whole, evidence);
    if (found !== null) return { part, ...found };
    if (compactCode(part) === null && isKnown(part, evidence)) continue;
    if (isAddress(part) && !isKnown(part, evidence))
      return { part, found: { origin: "composed", isAccepted: false } };
  }
  return null;
}

function isAddress(part: string): boolean {
  return /@|:\/\//.test(part);
}

function isKnown(part: string, { history, seen }: Evidence): boolean {
  const forms = formsOf(part);
  return history.results.some((result) => {
    const one = seen(result);
    return (["structured", "contact", "trusted", "identity"] as const).some((trust) =>
      forms.some((form) => one.has(trust, form)),
    );
  });
}

/** Runs that are looked up in a result in one step, and what looking up one takes, in characters that are searched meanwhile. */
const stepRuns = 1_024;
const lookupCost = 256;

/** A run of words that is in an untrusted text and not in the user's. A short text counts as a whole. */
function* findCopy(text: string, { words: user, history, seen, meter }: Evidence): Steps<Foreign | null> {
  const whole = normalize(text);
  const words = new Words(whole);
  const length = words.count(copiedWords);
  if (length < 2) return null;
  const known = yield* user.runs(length, meter);
  const [runs, places] = [[] as number[], [] as number[]];
  yield* eachRun(words, length, meter, (run, at) => {
    if (!known.has(run)) [runs[runs.length], places[places.length]] = [run, at];
  });
  for (const result of history.results) {
    const one = seen(result);
    const copies = yield* one.copies(length, meter);
    for (let from = 0; from < runs.length; from += stepRuns) {
      yield meter.work(stepRuns * lookupCost);
      const found = runs.slice(from, from + stepRuns).findIndex((run) => copies.has(run, whole, meter));
      if (found === -1) continue;
      const at = from + found;
      const place = { tool: result.tool, call: result.call, ...one.locateCopy(runs[at]!, length, whole) };
      return { part: words.slice(places[at]!, length), ...foreignIn(one, place) };
    }
  }
  return null;
}

/** Whether a text has a whole structured field, such as a street address: that is a value, and no words of others. */
function isWhole(leaf: string, text: string): boolean {
  return text.includes(leaf.trim());
}

/** Where other people's text has a form of a part. A whole structured field in the text is a value. */
function findText(
  forms: readonly string[],
  text: string,
  { history, seen }: Evidence,
): Omit<Foreign, "part"> | null {
  for (const result of history.results) {
    const one = seen(result);
    const trust = one.discloses(forms);
    if (trust === null) {
      const encoded = one.locateEncoded((said) => forms.some((form) => findWord(form, said) !== -1));
      if (encoded === null) continue;
      return foreignIn(one, { tool: result.tool, call: result.call, ...encoded });
    }
    const has = (leaf: string) => forms.some((form) => findWord(form, leaf) !== -1);
    const mayBeWhole = trust === "untrusted" || one.isPrivate;
    const at = one.locate(trust, (leaf) => has(leaf) && (mayBeWhole || !isWhole(leaf, text)));
    if (at === null && trust !== "untrusted") continue;
    return foreignIn(one, { tool: result.tool, call: result.call, ...(at ?? { path: "" }) });
  }
  return null;
}

function foreignIn({ isPrivate }: SeenResult, from: NonNullable<Found["from"]>): Omit<Foreign, "part"> {
  return { found: { origin: "untrusted", from, isAccepted: false }, ...(isPrivate && { isPrivate }) };
}
