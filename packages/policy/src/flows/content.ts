import { decodedOf } from "./encoded.ts";
import type { Evidence, Found } from "./evidence.ts";
import type { Steps } from "./meter.ts";
import { copiedWords, eachRun, Words } from "./runs.ts";
import type { SeenResult } from "./seen.ts";
import { compactCode, findWord, formsOf, normalize } from "./text.ts";

/** A part of content that neither the model nor the user wrote. */
export interface Foreign {
  readonly part: string;
  readonly found: Found;
  /** Whether only the user sees the result that has the part. */
  readonly isPrivate?: boolean;
}

/**
 * Finds a part of a text, also in an encoded form, that neither the model nor the user wrote, and where it comes from. Null if
 * they wrote the whole text.
 */
export function* findForeign(text: string, evidence: Evidence): Steps<Foreign | null> {
  for (const one of [text, ...decodedOf(text, evidence.meter)]) {
    const found = (yield* findAddress(one, evidence)) ?? (yield* findCopy(one, evidence));
    if (found !== null) return found;
  }
  return null;
}

/** Ends of host names that are recognized without a scheme. Extensions of files are excluded. */
const hostEnd =
  "(?:com|org|net|edu|gov|info|biz|app|dev|xyz|site|online|shop|link|[a-z]{2})(?<!\\.(?:md|py|js|ts|sh|go|rs|cs|rb))";

/**
 * Matches links, hosts, mail addresses, telephone numbers and codes. By RFC 5321 at most 64 characters precede an @, and a host
 * has at most 253 in 127 labels: without these limits, the time for a long word would grow with the square of its length.
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

/** Cost of looking for addresses in one character: the number of characters that can be searched in the same time. */
const addressCost = 256;

/** Finds an address in a text that neither the user nor the plan named. A link in a text can make its reader act. */
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

/** Number of runs that are looked up in one step, and the cost of one: as many characters can be searched in that time. */
const stepRuns = 1_024;
const lookupCost = 256;

/** Finds a run of words that is in an untrusted text but not in the user's. A short text is compared as a whole. */
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

/** Whether a text contains a whole structured field, such as a street address. That is a value, and not a copied text. */
function isWhole(leaf: string, text: string): boolean {
  return text.includes(leaf.trim());
}

/**
 * Finds where other people's text has one of these forms of a value. Structured fields that are whole in `text` do not count.
 */
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
