import { Refusal } from "../files/refusal.ts";

export interface Edit {
  readonly old_string: string;
  readonly new_string: string;
  readonly replace_all: boolean;
}

/**
 * Replaces text by text: never a pattern, never `$1`. In a file whose lines all end with CRLF, line ends of the edit
 * are taken for CRLF too, since a model sees lines without their ends.
 *
 * Throws a refusal with `TEXT_NOT_FOUND`, or `TEXT_NOT_UNIQUE` when there are several and not all are meant.
 */
export function replaceText(text: string, edit: Edit, path: string): { text: string; replacements: number } {
  const endsLikeFile = hasOnlyCrlf(text) ? toCrlf : (same: string) => same;
  const parts = text.split(endsLikeFile(edit.old_string));
  const replacements = parts.length - 1;
  if (replacements === 0) throw notFound(edit, path);
  if (replacements > 1 && !edit.replace_all) throw notUnique(replacements);
  return { text: parts.join(endsLikeFile(edit.new_string)), replacements };
}

function hasOnlyCrlf(text: string): boolean {
  return text.includes("\r\n") && !/(?<!\r)\n/.test(text);
}

function toCrlf(text: string): string {
  return text.replaceAll(/\r?\n/g, "\r\n");
}

function notFound({ old_string }: Edit, path: string): Refusal {
  const details = {
    path,
    old_string: old_string.slice(0, 1000),
    ...(/^ *\d+\t/m.test(old_string) ? { hint: "leave the line numbers of read_file out" } : {}),
  };
  return new Refusal(`old_string not found in file: ${path}`, "TEXT_NOT_FOUND", details);
}

function notUnique(occurrences: number): Refusal {
  return new Refusal(
    `old_string appears ${occurrences} times in file. Either provide more context to make it unique or set replace_all=true`,
    "TEXT_NOT_UNIQUE",
    { occurrences },
  );
}
