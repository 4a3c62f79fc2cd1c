import { findHidden, type HiddenKind } from "./hidden-characters.ts";
import { findPhrase, hasWords, injectionPhrases } from "./injection-phrases.ts";
import { escapeHidden } from "../text/hidden.ts";
import { findSecrets } from "./secrets.ts";

/** Kinds of findings in a text. */
export type TextFindingKind = HiddenKind | "too-long" | "injection" | "secret";

/** A finding in a text. It is safe to print: hidden characters are escaped, and secrets are left out. */
export interface TextFinding {
  readonly kind: TextFindingKind;
  /** `error`: no text for models needs this. `warning`: a person should look at it. */
  readonly severity: "error" | "warning";
  /** Position in UTF-16 units; for `injection`, in the normalized text. */
  readonly at: number;
  readonly message: string;
  readonly excerpt: string;
}

/** Maximum number of characters of a text; a longer one is a finding. The longest text of a reference server has 2780. */
const maxTextLength = 5_000;

/**
 * Scans a text for hidden characters (tags, characters without width, bidi overrides, terminal escapes, padding), for
 * phrases that instruct a model, for secrets, and for its length. It is a pure function.
 *
 * The list of phrases does not catch all attacks; it is made to have no findings in honest texts.
 */
export function scanText(
  text: string,
  { maxLength = maxTextLength }: { readonly maxLength?: number } = {},
): readonly TextFinding[] {
  return text.length <= maxLength && shortWord.test(text) ? [] : findAll(text, maxLength, injections);
}

/** Whether no text of a definition has a finding. To be fast, words of phrases are first searched in all texts together. */
export function areClean(texts: readonly string[]): boolean {
  const all = texts.join("\n");
  const isQuiet =
    all.length <= maxNormalized && !mayInstruct(all) && texts.every((text) => decodeAll(text).length === 0);
  const phrases = isQuiet ? () => [] : injections;
  return texts.every((text) => shortWord.test(text) || findAll(text, maxTextLength, phrases).length === 0);
}

function findAll(
  text: string,
  maxLength: number,
  phrases: (text: string) => Iterable<TextFinding>,
): readonly TextFinding[] {
  const findings: TextFinding[] = findHidden(text).map(({ kind, at, length, message }) => ({
    kind,
    severity: kind === "padding" ? "warning" : "error",
    at,
    message,
    excerpt: excerptOf(text, at, length),
  }));
  if (text.length > maxLength)
    findings.push({
      kind: "too-long",
      severity: "warning",
      at: maxLength,
      message: `has ${text.length} characters, more than ${maxLength}`,
      excerpt: excerptOf(text, maxLength, 0),
    });
  findings.push(...phrases(text), ...secrets(text));
  return findings;
}

/** Matches texts shorter than every phrase and without hidden characters, such as types and most enums of a schema. */
const shortWord = /^\w{0,8}$/;

/** Number of characters in which phrases are searched. A longer text has a finding for its length. */
const maxNormalized = 50_000;

/** Finds phrases in a text and in the base64 that it contains, because models read that as well. */
function* injections(text: string): Generator<TextFinding> {
  const searched = text.slice(0, maxNormalized);
  yield* phrasesOf(searched);
  for (const { at, text: decoded } of decodeAll(searched))
    for (const finding of phrasesOf(decoded))
      yield { ...finding, at, message: `${finding.message}, in base64` };
}

function* phrasesOf(text: string): Generator<TextFinding> {
  const read = normalizeText(text);
  const latin = foldLookalikes(read);
  for (const phrase of injectionPhrases) {
    const match = findPhrase(phrase, read) ?? (latin === read ? null : findPhrase(phrase, latin));
    if (match === null) continue;
    const excerpt = excerptOf(match.input, match.index, match[0].length);
    yield { kind: "injection", severity: "warning", at: match.index, message: phrase.tries, excerpt };
  }
}

/** Matches base64 that is long enough for a sentence, also over several lines. */
const runs = /[\w+/-]{24,}(?:\r?\n[\w+/-]{4,})*={0,2}/g;

/** A text that was written as base64. */
interface Encoded {
  /** Where the base64 begins. */
  readonly at: number;
  readonly text: string;
}

/** Returns the readable texts that are in the base64 of a text. Keys, pictures and long names are not readable. */
function decodeAll(text: string): readonly Encoded[] {
  return Array.from(text.matchAll(runs)).flatMap(({ 0: run, index: at }) => {
    // In UTF-16, every second byte of a Latin text is zero.
    const decoded = Buffer.from(run, "base64").toString("utf8").replaceAll("\0", "");
    return isReadable(decoded) ? [{ at, text: decoded.replaceAll(noText, " ") }] : [];
  });
}

/** Matches what is not text. Decoding turns bytes that are not UTF-8 into U+FFFD. */
const noText = /[\ufffd\p{Cn}]|[^\P{Cc}\t\r\n]/gu;

/** Whether a text has words and little else. In a decoded picture, more than half of the characters are not text. */
function isReadable(text: string): boolean {
  const others = text.match(noText)?.length ?? 0;
  return others * 5 <= text.length && /\p{L}{2,}\s+\p{L}/u.test(text.replaceAll(noText, " "));
}

function mayInstruct(text: string): boolean {
  const read = normalizeText(text);
  const latin = foldLookalikes(read);
  return injectionPhrases.some((phrase) => hasWords(phrase, read) || hasWords(phrase, latin));
}

function secrets(text: string): TextFinding[] {
  return findSecrets(text).map(({ at, sort }) => ({
    kind: "secret",
    severity: "error",
    at,
    message: `holds what looks like ${sort}`,
    excerpt: `${escapeHidden(text.slice(at, at + 4))}…`,
  }));
}

/** Normalizes a text for the search of phrases: compatibility forms folded, lower case, single spaces, no hidden characters. */
function normalizeText(text: string): string {
  return singleSpaced((asciiOnly.test(text) ? text : folded(text)).toLowerCase());
}

const asciiOnly = /^\p{ASCII}*$/u;

function folded(text: string): string {
  return text
    .normalize("NFKC")
    .replaceAll(/\p{Cf}|\p{Mn}|[\u115f\u1160\u3164\uffa0\u2800]/gu, "")
    .replaceAll(/[\u2018\u2019\u02bc]/g, "'");
}

function singleSpaced(text: string): string {
  if (!/[^\S ]| {2}/.test(text)) return text;
  return (
    text
      .replaceAll(/[^\S\n]+/g, " ")
      .replaceAll(/ ?\n ?/g, "\n")
      // Joins the lines of a paragraph. A line that imitates a part of the prompt begins a new paragraph.
      .replaceAll(/(?<=[\p{L},]) ?\n(?=\p{L})(?!(?:system|assistant)(?: \w+)? ?: )/gu, " ")
  );
}

const lookalikes: ReadonlyMap<string, string> = new Map(
  Array.from("аaеeоoрpсcуyхxіiѕsјjһhԁdԛqԝwкkмmтtвvнhαaεeοoρpνvιiκkτtυuγyηnωw").reduce<[string, string][]>(
    (pairs, letter, at, all) => (at % 2 === 0 ? [...pairs, [letter, all[at + 1]!]] : pairs),
    [],
  ),
);

export function foldLookalikes(text: string): string {
  return text.replaceAll(/[\u0370-\u052f]/g, (letter) => lookalikes.get(letter) ?? letter);
}

function excerptOf(text: string, at: number, length: number): string {
  const from = Math.max(0, at - 20);
  const to = Math.min(text.length, at + Math.min(length, 60) + 20);
  const cut = escapeHidden(text.slice(from, to)).slice(0, 300);
  return `${from > 0 ? "…" : ""}${cut}${to < text.length ? "…" : ""}`;
}
