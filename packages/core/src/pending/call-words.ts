import type { AuditEntry } from "../contract/audit.ts";
import { ToolmountError } from "../contract/errors.ts";

/** Returns the words by which a search finds a record: those of arguments, result and error, and the folders in its arguments. */
export function wordsOf(entry: Pick<AuditEntry, string>): ReadonlySet<string> {
  const words = new Set<string>();
  const { arguments: given, result, resultText } = entry;
  addFolders(given, words);
  addWords(typeof given === "string" ? withoutEscapes(given) : given, words);
  addWords(typeof resultText === "string" ? withoutEscapes(resultText) : result, words);
  addWords(entry["error"], words);
  return words;
}

/** Replaces the escapes of a JSON text, which may be cut, by spaces. */
function withoutEscapes(json: string): string {
  return json.replaceAll(/\\(?:u[0-9a-fA-F]{4}|.)/g, " ");
}

/** How many texts of arguments are read as paths, how long each may be, and how many of its last parts are used. */
const maxPaths = { texts: 20, characters: 400, parts: 8 } as const;

/** Matches the texts of JSON. A key is followed by a colon, which the second group captures. */
const textInJson = /"((?:[^"\\]|\\.)*)"(\s*:)?/g;

/** Adds all sequences of consecutive parts of each path, so that `invoices/` finds `/srv/invoices/a.txt`. */
function addFolders(given: unknown, words: Set<string>): void {
  if (given === undefined || given === null) return;
  const json = typeof given === "string" ? given : JSON.stringify(given);
  let left: number = maxPaths.texts;
  for (const [, text, colon] of json.matchAll(textInJson)) {
    if (colon !== undefined || text!.length > maxPaths.characters || /^$|^[^/]*\s/.test(text!)) continue;
    if (left-- === 0) return;
    const parts = partsOf(text!).slice(-maxPaths.parts);
    for (const start of parts.keys())
      for (let end = start + 1; end <= parts.length; end += 1) words.add(folderWord(parts.slice(start, end)));
  }
}

function partsOf(path: string): readonly string[] {
  return path
    .toLowerCase()
    .split("/")
    .filter((part) => part !== "" && part !== ".");
}

/** Returns a folder as one word of the index, which has only letters and digits. Source of the hash: FNV-1a, twice 32 bits. */
function folderWord(parts: readonly string[]): string {
  let [one, other] = [0x811c9dc5, 0x050c5d1f];
  for (const char of parts.join("/")) {
    const code = char.codePointAt(0)!;
    one = Math.imul(one ^ code, 0x01000193) >>> 0;
    other = Math.imul(other ^ (code + one), 0x01000193) >>> 0;
  }
  return `_in_${one.toString(36)}${other.toString(36)}`;
}

/** Maximum number of words of a record that a search finds, and of characters of a word that are compared. */
const maxWords = 2_000;
const maxWordLength = 64;

/** Matches a letter of a script without spaces between words, or a sequence of other letters, digits and underscores. */
const word =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]|(?:(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}])[\p{L}\p{N}\p{M}_])+/gu;

/** A word that a person searches for. */
export interface SoughtWord {
  readonly word: string;
  /** Whether the word also finds longer words that begin with it. */
  readonly isStart: boolean;
}

/** Maximum number of words of a search, and of its words with `*`, each of which may match every word of the audit. */
const maxSought = { words: 64, starts: 2 } as const;

/**
 * Reads the words of a search. `order*` is every word with that beginning, and `invoices/` a folder in a path of the
 * arguments. Throws `OPTION_INVALID` for too many words.
 */
export function soughtWords(text: string): readonly SoughtWord[] {
  const problem = searchProblem(text);
  if (problem !== null) throw new ToolmountError("OPTION_INVALID", { option: "text", problem });
  return readSearch(text);
}

/** Says why a text is not a valid search; null if it is valid. */
export function searchProblem(text: string): string | null {
  const sought = readSearch(text);
  if (sought.length > maxSought.words) return `a search has at most ${maxSought.words} words`;
  if (sought.filter(({ isStart }) => isStart).length <= maxSought.starts) return null;
  return `a search has at most ${maxSought.starts} words with *; write the others whole`;
}

/** Matches a word that ends with a slash. */
const soughtFolder = /\S*[^\s/]\S*\/(?=\s|$)/g;

/** Returns each word once. A beginning such as `ord*` is left out if another word of the search starts with it. */
function readSearch(text: string): readonly SoughtWord[] {
  const words = new Map<string, SoughtWord>();
  for (const [folder] of text.matchAll(soughtFolder))
    words.set(folder, { word: folderWord(partsOf(folder)), isStart: false });
  const rest = text.replaceAll(soughtFolder, " ").toWellFormed();
  for (const { 0: found, index } of rest.matchAll(word)) {
    const isStart = rest[index + found.length] === "*";
    const one = { word: foldWord(found), isStart };
    words.set(`${one.word}${isStart ? "*" : ""}`, one);
  }
  const all = [...words.values()];
  return all.filter(
    (one) => !one.isStart || !all.some((other) => other !== one && other.word.startsWith(one.word)),
  );
}

function foldWord(found: string): string {
  return found.toLowerCase().slice(0, maxWordLength);
}

function addWords(value: unknown, words: Set<string>): void {
  if (value === undefined || value === null || words.size >= maxWords) return;
  const text = typeof value === "string" ? value : textOfJson(value);
  for (const [found] of text.toWellFormed().matchAll(word)) {
    words.add(foldWord(found));
    if (words.size >= maxWords) return;
  }
}

/** Returns all texts of a value, including its keys, without the escapes of JSON. */
function textOfJson(value: unknown): string {
  if (typeof value !== "object" || value === null) return String(value);
  const parts = Array.isArray(value) ? value : Object.entries(value).flat();
  return parts.map((part) => (typeof part === "string" ? part : textOfJson(part))).join(" ");
}

/** Whether a search for `wanted` finds a call that has `words`. */
export function hasWords(words: ReadonlySet<string>, wanted: readonly SoughtWord[]): boolean {
  return wanted.every(({ word: one, isStart }) =>
    isStart ? [...words].some((known) => known.startsWith(one)) : words.has(one),
  );
}
