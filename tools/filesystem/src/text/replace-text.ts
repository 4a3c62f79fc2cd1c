import { Refusal } from "../files/refusal.ts";
import { nearestText } from "./nearest-text.ts";

export interface Edit {
  readonly old_string: string;
  readonly new_string: string;
  readonly replace_all: boolean;
}

/**
 * Replaces text by text; nothing is a pattern, not even `$1`. A line end in the edit matches any line end of the file, because
 * a model sees lines without their ends. The new text gets the line ends of the text that it replaces.
 *
 * Throws a refusal with `TEXT_NOT_FOUND`, or with `TEXT_NOT_UNIQUE` if there are several places and not all are meant.
 */
export function replaceText(text: string, edit: Edit, path: string): { text: string; replacements: number } {
  const places = placesOf(text, edit.old_string);
  if (places.length === 0) throw notFound(text, edit, path);
  const others = places.length === 1 ? overlapping(text, places[0]!) : 0;
  if (places.length + others > 1 && !edit.replace_all) throw notUnique(places.length + others);
  const usual = usualLineEnd(text);
  const parts: string[] = [];
  let at = 0;
  for (const { from, to } of places) {
    const old = text.slice(from, to);
    parts.push(text.slice(at, from), withLineEnds(edit.new_string, edit.old_string, old, usual));
    at = to;
  }
  return { text: [...parts, text.slice(at)].join(""), replacements: places.length };
}

interface Place {
  readonly from: number;
  readonly to: number;
}

/** Finds the old text with any line ends, or exactly as it is written if the edit is about its line ends. */
function placesOf(text: string, old: string): readonly Place[] {
  if (!old.isWellFormed()) return []; // half a surrogate pair, which no text contains
  if (!text.includes("\r\n") || (old.includes("\r") && text.includes(old)))
    return foundIn(text, withoutCr(old, text));
  const plain = text.replaceAll("\r\n", "\n");
  const found = foundIn(plain, withoutCr(old, plain));
  // The searched text has one character less for each line end before a place.
  let removed = 0;
  let next = text.indexOf("\r\n");
  const inText = (at: number) => {
    for (; next !== -1 && next < at + removed; next = text.indexOf("\r\n", next + 1)) removed++;
    return at + removed;
  };
  return found.map(({ from, to }) => ({ from: inText(from), to: inText(to) }));
}

function withoutCr(old: string, text: string): string {
  return text.includes(old) ? old : old.replaceAll("\r\n", "\n");
}

function foundIn(text: string, wanted: string): readonly Place[] {
  const places: Place[] = [];
  for (let from = text.indexOf(wanted); from !== -1; from = text.indexOf(wanted, from + wanted.length))
    places.push({ from, to: from + wanted.length });
  return places;
}

/**
 * Returns 1 if a text occurs again at a place that overlaps with this one, like `aa` in `aaa`, because it is then not clear
 * which of the two is meant; else 0.
 */
function overlapping(text: string, { from, to }: Place): number {
  const again = text.indexOf(text.slice(from, to), from + 1);
  return again !== -1 && again < to ? 1 : 0;
}

/** Returns the line end that most lines of a text have. */
function usualLineEnd(text: string): string {
  const crlf = text.split("\r\n").length - 1;
  return crlf * 2 > text.split("\n").length - 1 ? "\r\n" : "\n";
}

/** Returns the new text with the line ends of the old one. An edit that is about the line ends themselves keeps its own. */
function withLineEnds(next: string, asked: string, old: string, usual: string): string {
  if (asked === old && `${asked}${next}`.includes("\r")) return next;
  // The old text was shown without its line ends, so a remaining carriage return is a character of the line.
  if (asked.includes("\r") && asked.replaceAll("\n", "\r\n") === old) return next.replaceAll("\n", "\r\n");
  const ends = old.match(/\r?\n/g) ?? [];
  if (new Set(ends).size < 2) return next.replaceAll(/\r?\n/g, ends[0] ?? usual);
  return joinAsBefore(next.split(/\r?\n/), old.split(/\r?\n/), ends, usual);
}

/** Joins lines for a text with several kinds of line ends. A line that stays, or whose text changes, keeps its line end. */
function joinAsBefore(
  next: readonly string[],
  old: readonly string[],
  ends: readonly string[],
  usual: string,
): string {
  const most = Math.min(next.length, old.length);
  let same = 0;
  while (same < most && next.at(-1 - same) === old.at(-1 - same)) same++;
  const moved = old.length - next.length;
  const endAt = (at: number) => (at >= next.length - same ? ends[at + moved] : ends[at]) ?? usual;
  return next.map((line, at) => (at === next.length - 1 ? line : `${line}${endAt(at)}`)).join("");
}

function notFound(text: string, { old_string }: Edit, path: string): Refusal {
  const near = /^ *\d+\t/m.test(old_string)
    ? { hint: "leave the line numbers of read_file out" }
    : nearestText(text, old_string);
  const place = near !== null && "line" in near ? `; line ${near.line} is near: ${near.hint}` : "";
  const details = { path, old_string: old_string.slice(0, 1000), ...near };
  return new Refusal(`old_string not found in file: ${path}${place}`, "TEXT_NOT_FOUND", details);
}

function notUnique(occurrences: number): Refusal {
  return new Refusal(
    `old_string appears ${occurrences} times in file. Either provide more context to make it unique or set replace_all=true`,
    "TEXT_NOT_UNIQUE",
    { occurrences },
  );
}
