import type { KeptResult } from "@toolmount/core";
import { mask } from "@toolmount/core/text";
import { namesDate } from "./dates.ts";
import { decodedOf } from "./encoded.ts";
import { isIdentity, type Evidence, type Found } from "./evidence.ts";
import { leavesOf } from "./leaves.ts";
import type { Steps } from "./meter.ts";
import { mentionsNumber, spokenForm } from "./numbers.ts";
import type { Trust } from "./schema.ts";
import { compactCode, lettersOf, findWord, formsOf, hasCode, normalize } from "./text.ts";

/**
 * Returns a field with this trust that is exactly the value, from the newest result. With `steered`, only results that untrusted
 * text chose are searched; otherwise only the others.
 */
export function* findField(
  trust: Trust,
  forms: readonly string[],
  evidence: Evidence,
  steered = false,
): Steps<{ readonly isNamed: boolean; readonly from: NonNullable<Found["from"]> } | null> {
  for (const result of evidence.history.results.toReversed()) {
    const seen = evidence.seen(result);
    evidence.meter.spend(seen.size * (forms.length - 1));
    if (!forms.some((form) => seen.has(trust, form))) continue;
    if ((yield* isSteered(result, evidence)) !== steered) continue;
    const leaves = seen.leavesWith(trust, forms);
    const named = yield* seen.findNamed(leaves, evidence.words, evidence.meter);
    const path = (named ?? leaves[0])?.path;
    if (path === undefined) continue;
    return { isNamed: named !== undefined, from: { tool: result.tool, call: result.call, path } };
  }
  return null;
}

/**
 * Whether untrusted text chose what a result is about: it contains an argument of the call, or the argument comes from results
 * that such text chose.
 */
export function* isSteered(result: KeptResult, evidence: Evidence): Steps<boolean> {
  const known = evidence.steered.get(result);
  if (known !== undefined) return known;
  const before = { ...evidence, history: { ...evidence.history, results: earlierThan(result, evidence) } };
  let isForeign = false;
  for (const { value } of leavesOf(result.arguments)) {
    yield;
    isForeign = value !== "" && (yield* isForeignChoice(value, before));
    if (isForeign) break;
  }
  evidence.steered.set(result, isForeign);
  return isForeign;
}

function earlierThan({ call }: KeptResult, { history }: Evidence): readonly KeptResult[] {
  return history.results.filter((one) => one.call < call);
}

function* isForeignChoice(value: string | number, before: Evidence): Steps<boolean> {
  const { words, identity, history, seen } = before;
  if (history.results.length === 0) return false;
  // A store masked this secret, so its origin can no longer be found.
  if (String(value).includes(mask)) return true;
  if (words.name(value)) return false;
  const forms = formsOf(value);
  if (isIdentity(value, forms, identity)) return false;
  if (findMention(value, forms, before) !== null || hasForeignCode(value, before)) return true;
  const sources = history.results.filter((result) => {
    const one = seen(result);
    return (["structured", "contact", "trusted"] as const).some((trust) =>
      forms.some((form) => one.has(trust, form)),
    );
  });
  for (const one of sources) if (!(yield* isSteered(one, before))) return false;
  return sources.length > 0;
}

/** Whether a part of a value is a code in other people's text. The model may have written the rest. */
function hasForeignCode(value: string | number, before: Evidence): boolean {
  if (typeof value === "number" || namesDate(value, "") !== null) return false;
  const codes = normalize(value).match(/\d{4,}|(?=[a-z]*\d)(?=\d*[a-z])[a-z\d]{5,}/g) ?? [];
  if (codes.some((code) => !before.words.name(code) && findPlainMention(code, [code], before) !== null))
    return true;
  const letters = lettersOf(value);
  if (letters.length < (/\D/.test(letters) ? 8 : 5) || before.words.hasLetters(letters)) return false;
  return before.history.results.some((result) => before.seen(result).letters.includes(letters));
}

/**
 * Returns where an untrusted text has the value as a word, even if one of the two is encoded. The oldest result counts, because
 * later ones may repeat it.
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
  const spoken = isSmall ? null : spokenForm(value);
  const words = spoken === null ? null : new RegExp(`(?<!\\p{L})${spoken}(?!\\p{L})`, "u");
  for (const result of history.results) {
    const one = seen(result);
    const fits = (text: string) =>
      isSmall
        ? mentionsNumber(text, value)
        : forms.some((form) => findWord(form, text) !== -1) || words?.test(text) === true;
    const isCode = code !== null && one.compact.includes(code) && hasCode(code, one.text("untrusted"));
    const isSaid = (isSmall || words !== null) && fits(one.text("untrusted"));
    const trust = isSaid ? "untrusted" : isSmall ? null : one.mentions(forms);
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
