import type { KeptResult } from "@toolmount/core";
import { mask } from "@toolmount/core/text";
import { decodedOf } from "./encoded.ts";
import { isIdentity, type Evidence, type Found } from "./evidence.ts";
import { leavesOf, type Leaf } from "./leaves.ts";
import type { Steps } from "./meter.ts";
import { isRecord } from "./record.ts";
import type { Trust } from "./schema.ts";
import { compactCode, findWord, formsOf, hasCode, normalize } from "./text.ts";
import type { UserWords } from "./words.ts";

/**
 * A field of this trust that is exactly the value. The newest counts, of results that no untrusted text chose, or of those
 * that it chose.
 */
export function* findField(
  trust: Trust,
  forms: readonly string[],
  evidence: Evidence,
  steered = false,
): Steps<{ readonly leaf: Leaf; readonly from: NonNullable<Found["from"]> } | null> {
  for (const result of evidence.history.results.toReversed()) {
    const seen = evidence.seen(result);
    evidence.meter.spend(seen.size * (forms.length - 1));
    if (!forms.some((form) => seen.has(trust, form))) continue;
    if ((yield* isSteered(result, evidence)) !== steered) continue;
    const leaves = seen.leavesWith(trust, forms);
    const leaf = leaves.find((one) => isNamedRecord(one, evidence.words)) ?? leaves[0];
    if (leaf !== undefined) return { leaf, from: { tool: result.tool, call: result.call, path: leaf.path } };
  }
  return null;
}

/**
 * Whether untrusted text chose what a result is about: it has an argument of the call, or the argument is from results that
 * such text chose.
 */
export function* isSteered(result: KeptResult, evidence: Evidence): Steps<boolean> {
  const known = evidence.steered.get(result);
  if (known !== undefined) return known;
  const before = { ...evidence, history: { ...evidence.history, results: earlierThan(result, evidence) } };
  let isForeign = false;
  for (const { value } of leavesOf(result.arguments)) {
    yield;
    isForeign = typeof value === "string" && value !== "" && (yield* isForeignChoice(value, before));
    if (isForeign) break;
  }
  evidence.steered.set(result, isForeign);
  return isForeign;
}

function earlierThan({ call }: KeptResult, { history }: Evidence): readonly KeptResult[] {
  return history.results.filter((one) => one.call < call);
}

function* isForeignChoice(value: string, before: Evidence): Steps<boolean> {
  const { words, identity, history, seen } = before;
  if (history.results.length === 0) return false;
  // A secret that a store masked: its origin can no longer be found.
  if (value.includes(mask)) return true;
  if (words.name(value)) return false;
  const forms = formsOf(value);
  if (isIdentity(value, forms, identity)) return false;
  if (findMention(value, forms, before) !== null) return true;
  const sources = history.results.filter((result) => {
    const one = seen(result);
    return (["structured", "contact", "trusted"] as const).some((trust) =>
      forms.some((form) => one.has(trust, form)),
    );
  });
  for (const one of sources) if (!(yield* isSteered(one, before))) return false;
  return sources.length > 0;
}

/**
 * Where an untrusted text has the value as a word, also when one of the two is encoded. The first counts: others may have
 * repeated it.
 */
export function findMention(
  value: string | number,
  forms: readonly string[],
  evidence: Pick<Evidence, "history" | "seen" | "meter">,
): Found["from"] | null {
  const plain = findPlainMention(value, forms, evidence);
  if (plain !== null || typeof value === "number") return plain;
  for (const decoded of decodedOf(value, evidence.meter)) {
    const found = findPlainMention(decoded, formsOf(decoded), evidence);
    if (found !== null) return found;
  }
  return null;
}

function findPlainMention(
  value: string | number,
  forms: readonly string[],
  { history, seen }: Pick<Evidence, "history" | "seen">,
): Found["from"] | null {
  const code = typeof value === "string" ? compactCode(value) : null;
  const isSmall = /^\d{1,3}$/.test(String(value));
  for (const result of history.results) {
    const one = seen(result);
    const fits = (text: string) =>
      isSmall ? mentionsNumber(text, String(value)) : forms.some((form) => findWord(form, text) !== -1);
    const isCode = code !== null && one.compact.includes(code) && hasCode(code, one.text("untrusted"));
    const trust = isSmall ? (fits(one.text("untrusted")) ? "untrusted" : null) : one.mentions(forms);
    if (!isCode && trust === null) {
      const encoded = isSmall ? null : one.locateEncoded(fits);
      if (encoded !== null) return { tool: result.tool, call: result.call, ...encoded };
      continue;
    }
    const at = one.locate(trust ?? "untrusted", isCode ? (text) => hasCode(code, text) : fits);
    return { tool: result.tool, call: result.call, ...(at ?? { path: "" }) };
  }
  return null;
}

/** Words before a small number that make it a name of something. */
const idWords =
  "id|ids|number|no|nr|ticket|issue|order|invoice|task|case|account|user|customer|room|flight|booking|reservation|message|event|file|item|record|entry|post|comment|bug|pr";

/** Small numbers are in every text: they count as mentioned where the text calls them an id. */
function mentionsNumber(text: string, value: string): boolean {
  return new RegExp(
    `(?:\\b(?:${idWords})\\b|#)[^\\p{L}\\p{N}]{0,4}(?:is |of |= ?)?${value}(?![\\p{L}\\p{N}])`,
    "u",
  ).test(text);
}

/**
 * Whether the user named the record that has this value: by the first word of another field. Only a record without a name is
 * named by what is before the @ of its address, too, which its person chose.
 */
export function isNamedRecord({ parent, value }: Leaf, words: UserWords): boolean {
  const others = isRecord(parent) ? Object.entries(parent).filter(([, member]) => member !== value) : [];
  const [local = ""] = String(value).split(/[@._-]/);
  const hasName = others.some(([key, member]) => /name$/i.test(key) && typeof member === "string");
  if (!hasName && String(value).includes("@") && local.length > 2 && words.name(local)) return true;
  return others.some(([, member]) => {
    if (typeof member !== "string") return false;
    const first = normalize(member).split(" ")[0] ?? "";
    return first.length > 1 && words.name(first);
  });
}
