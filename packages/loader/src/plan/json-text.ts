import { basename } from "node:path";
import type { PlanText } from "../diagnostics/source-text.ts";

/**
 * Tests whether a plan is JSON with comments: by its file's ending; for a `.toolmountrc`, by its first character. Other plans are
 * YAML.
 */
export function isJsonPlan({ file, text }: PlanText): boolean {
  const name = basename(file).toLowerCase();
  if (/\.jsonc?$/.test(name)) return true;
  return /^\.?toolmountrc(?!.*\.ya?ml$)/.test(name) && /^\s*(?:\{|\/\/|\/\*)/.test(text);
}

type Plain =
  | { readonly ok: true; readonly text: string; readonly value: unknown }
  | { readonly ok: false; readonly offset: number; readonly problem: string };

/**
 * Replaces comments, and commas before a closing bracket, with spaces, so that offsets do not change. Returns a problem if the
 * text is then not JSON.
 */
export function readJsonText(written: string): Plain {
  const text = written
    .replaceAll(commentOrText, (found) => (found.startsWith('"') ? found : blank(found)))
    .replaceAll(lastComma, (found, comma?: string) => (comma === undefined ? found : ` ${comma}`));
  const message = whyNotJson(text);
  if (message === undefined) return { ok: true, text, value: JSON.parse(text) as unknown };
  return { ok: false, ...explain(text, findFault(text)) };
}

const quoted = String.raw`"(?:[^"\\\n]|\\[^\n])*"`;
const commentOrText = new RegExp(String.raw`${quoted}|//[^\n\r]*|/\*[^]*?\*/`, "g");
const lastComma = new RegExp(String.raw`${quoted}|,(\s*[}\]])`, "g");

function blank(comment: string): string {
  return comment.replaceAll(/[^\n\r]/g, " ");
}

function whyNotJson(text: string): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    return (error as SyntaxError).message;
  }
}

/**
 * Finds the first place at which the text can no longer be continued to JSON. It is searched, because not every message of V8 has
 * a position.
 */
function findFault(text: string): number {
  let fine = 0;
  let wrong = text.trimEnd().length;
  if (isOpen(text.slice(0, wrong))) return wrong;
  while (wrong - fine > 1) {
    const middle = (fine + wrong) >> 1;
    if (isOpen(text.slice(0, middle))) fine = middle;
    else wrong = middle;
  }
  return fine;
}

/** Tests whether a text is JSON, or the beginning of JSON. */
function isOpen(text: string): boolean {
  const message = whyNotJson(text);
  if (message === undefined) return true;
  return /end of JSON|Unterminated/.test(message) || message.includes(` at position ${text.length}`);
}

function explain(text: string, offset: number): { offset: number; problem: string } {
  const found = JSON.stringify(/^\S{0,20}/.exec(text.slice(offset))?.[0] ?? "");
  const isEnd = text.slice(offset).trim() === "";
  const what = isEnd ? "the file ends before the last bracket is closed" : `${found} cannot stand here`;
  return {
    offset,
    problem: `this file is JSON with comments, and ${what}; keys and texts are in double quotes, comments begin with //`,
  };
}
