import { Refusal } from "../files/refusal.ts";
import { nearestText } from "./nearest-text.ts";

export interface Edit {
  readonly old_string: string;
  readonly new_string: string;
  readonly replace_all: boolean;
}

/**
 * Replaces text by text: never a pattern, never `$1`. A line end of the edit matches any line end of the file, since a
 * model sees lines without their ends, and what is put in has the line ends of what it replaces.
 *
 * Throws a refusal with `TEXT_NOT_FOUND`, or `TEXT_NOT_UNIQUE` when there are several and not all are meant.
 */
export function replaceText(text: string, edit: Edit, path: string): { text: string; replacements: number } {
  const parts = text.split(matcherOf(text, edit.old_string));
  const found = parts.filter((_, at) => at % 2 === 1);
  if (found.length === 0) throw notFound(text, edit, path);
  if (found.length > 1 && !edit.replace_all) throw notUnique(found.length);
  const usual = usualLineEnd(text);
  const put = (old: string) => withLineEnds(edit.new_string, edit.old_string, old, usual);
  return {
    text: parts.map((part, at) => (at % 2 === 1 ? put(part) : part)).join(""),
    replacements: found.length,
  };
}

/** Finds the old text. Split by it, a text has what matched at its odd places. */
function matcherOf(text: string, old: string): RegExp {
  const quoted = old.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
  const isExact = text.includes(old);
  const anyEnd = old.includes("\r") && isExact ? quoted : quoted.replaceAll(/\r?\n/g, String.raw`\r?\n`);
  return new RegExp(`(${anyEnd})`, "u");
}

/** The line end that most lines of the text have. */
function usualLineEnd(text: string): string {
  const crlf = text.split("\r\n").length - 1;
  return crlf * 2 > text.split("\n").length - 1 ? "\r\n" : "\n";
}

/** The new text with the line ends of the old one. An edit that is about the line ends themselves keeps its own. */
function withLineEnds(next: string, asked: string, old: string, usual: string): string {
  if (next.includes("\r") || (asked === old && asked.includes("\r"))) return next;
  const end = old.includes("\r\n") ? "\r\n" : old.includes("\n") ? "\n" : usual;
  return next.replaceAll(/\r?\n/g, end);
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
