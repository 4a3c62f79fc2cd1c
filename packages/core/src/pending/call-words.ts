import type { AuditEntry } from "../contract/audit.ts";
import { ToolmountError } from "../contract/errors.ts";

/** The words that a search finds in a record: those of arguments, result and error, and the folders that its arguments name. */
export function wordsOf(entry: Pick<AuditEntry, string>): ReadonlySet<string> {
  const words = new Set<string>();
  const { arguments: given, result, resultText } = entry;
  addFolders(given, words);
  addWords(typeof given === "string" ? withoutEscapes(given) : given, words);
  addWords(typeof resultText === "string" ? withoutEscapes(resultText) : result, words);
  addWords(entry["error"], words);
  return words;
}

/** The beginning of a JSON text, as words: an escape is a space. */
function withoutEscapes(json: string): string {
  return json.replaceAll(/\\(?:u[0-9a-fA-F]{4}|.)/g, " ");
}

/** Texts of arguments that are read as paths, their characters, and the last parts of each. */
const maxPaths = { texts: 20, characters: 400, parts: 8 } as const;

/** Texts of JSON; a key has a colon behind it. */
const textInJson = /"((?:[^"\\]|\\.)*)"(\s*:)?/g;

/** Each run of parts of each path, so that `invoices/` finds `/srv/invoices/a.txt`. Arguments may be the beginning of their JSON. */
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

/** A folder as one word of the index, which has letters and digits only. Source of the hash: FNV-1a, twice with 32 bits. */
function folderWord(parts: readonly string[]): string {
  let [one, other] = [0x811c9dc5, 0x050c5d1f];
  for (const char of parts.join("/")) {
    const code = char.codePointAt(0)!;
    one = Math.imul(one ^ code, 0x01000193) >>> 0;
    other = Math.imul(other ^ (code + one), 0x01000193) >>> 0;
  }
  return `_in_${one.toString(36)}${other.toString(36)}`;
}

/** Words of one record, and characters of one word, that a search finds. */
const maxWords = 2_000;
const maxWordLength = 64;

/** A letter of a script that puts no spaces between words, or a run of other letters, digits and underscores. */
const word =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]|(?:(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}])[\p{L}\p{N}\p{M}_])+/gu;

/** A word that a person searches for. */
export interface SoughtWord {
  readonly word: string;
  /** Words with this beginning, too. */
  readonly isStart: boolean;
}

/** Most words of a search, and most of them with `*`: each of these may mean every word of the audit. */
const maxSought = { words: 64, starts: 2 } as const;

/**
 * The words of a search: `order*` is each word with that beginning, and `invoices/` is a folder in a path of the arguments. Throws
 * `OPTION_INVALID` for too many.
 */
export function soughtWords(text: string): readonly SoughtWord[] {
  const problem = searchProblem(text);
  if (problem !== null) throw new ToolmountError("OPTION_INVALID", { option: "text", problem });
  return readSearch(text);
}

/** Why a text is no search; null for one that is. */
export function searchProblem(text: string): string | null {
  const sought = readSearch(text);
  if (sought.length > maxSought.words) return `a search has at most ${maxSought.words} words`;
  if (sought.filter(({ isStart }) => isStart).length <= maxSought.starts) return null;
  return `a search has at most ${maxSought.starts} words with *; write the others whole`;
}

/** A word that ends with a slash. */
const soughtFolder = /\S*[^\s/]\S*\/(?=\s|$)/g;

/** Each word once, without beginnings that another word has anyway. */
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

/** The texts of a value, its keys included, without the escapes of JSON. */
function textOfJson(value: unknown): string {
  if (typeof value !== "object" || value === null) return String(value);
  const parts = Array.isArray(value) ? value : Object.entries(value).flat();
  return parts.map((part) => (typeof part === "string" ? part : textOfJson(part))).join(" ");
}

/** Whether a search finds a call with these words. */
export function hasWords(words: ReadonlySet<string>, wanted: readonly SoughtWord[]): boolean {
  return wanted.every(({ word: one, isStart }) =>
    isStart ? [...words].some((known) => known.startsWith(one)) : words.has(one),
  );
}
