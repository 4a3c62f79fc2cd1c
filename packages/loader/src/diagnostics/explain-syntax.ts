import type { ErrorCode } from "yaml";
import { positionAt, type PlanText } from "./source-text.ts";

/** A problem of a plan's syntax: its offset, and a sentence that says what to change. */
interface SyntaxProblem {
  readonly offset: number;
  readonly problem: string;
}

export function explainSyntax(
  text: PlanText,
  troubles: readonly {
    readonly code: ErrorCode;
    readonly message: string;
    readonly pos: readonly [number, number];
  }[],
): readonly SyntaxProblem[] {
  const conflict = /^<{7} /m.exec(text.text)?.index;
  if (conflict !== undefined) return [{ offset: conflict, problem: conflictProblem }];
  // YAML reports the closing brace of such a variable as a second error, so only the variables are reported.
  const variables = troubles
    .map(({ pos: [offset] }) => findVariable(text, offset))
    .filter((each) => each !== undefined);
  if (variables.length > 0) return variables;
  const rows = [...readRows(text)];
  return troubles.map(({ code, message, pos: [offset] }) => {
    const { line } = positionAt(text, offset);
    const misaligned = ofIndent.has(code) ? findMisaligned(rows, line) : undefined;
    return (
      misaligned ??
      findUnclosed(rows, code, line) ?? { offset, problem: explainValue(text, code, offset) ?? message }
    );
  });
}

const conflictProblem = "the file has a merge conflict; keep one side, and remove the lines of <, = and >";

/** Finds a variable `${…}` without quotes inside of braces or brackets, where YAML takes its brace for the start of a map. */
function findVariable({ text }: PlanText, offset: number): SyntaxProblem | undefined {
  const start = text.lastIndexOf("${", offset);
  const [variable] = (start === -1 ? null : /^\$\{[^{}\n"]*\}/.exec(text.slice(start))) ?? [];
  if (variable === undefined || offset > start + variable.length) return undefined;
  return { offset: start, problem: `in braces or brackets a variable is written in quotes: "${variable}"` };
}

/**
 * Returns a sentence about a value that YAML cannot read, with the value in quotes if it only lacks them. Undefined for other
 * errors.
 */
function explainValue({ text }: PlanText, code: ErrorCode, offset: number): string | undefined {
  const sentence = sentences[code];
  if (code !== "BAD_SCALAR_START") return sentence;
  const [value = ""] = /^[^\s,\]}]*/.exec(text.slice(offset)) ?? [];
  return value === "" || value.includes('"') ? sentence : `${sentence}: "${value}"`;
}

/** Marks that may have been left open, by the code of an error that the library reports only at the end of the text. */
const ofEnds: Partial<Record<ErrorCode, RegExp>> = {
  MISSING_CHAR: /["'[{]/,
  BAD_INDENT: /[[{]/,
};

/** Finds the nearest line, from the error upward, that opens a quote or a bracket which it does not close. */
function findUnclosed(rows: readonly Row[], code: ErrorCode, line: number): SyntaxProblem | undefined {
  const opening = ofEnds[code];
  if (opening === undefined) return undefined;
  for (let at = rows.findLastIndex(({ number }) => number <= line); at >= 0; at--) {
    const row = rows[at]!;
    const open = openMark(row.rest);
    if (open !== undefined && opening.test(open.mark))
      return {
        offset: row.offset + row.keys - row.indent + open.at,
        problem: `the ${open.mark} of line ${row.number} is not closed; add ${closing[open.mark]}`,
      };
  }
  return undefined;
}

const closing: Readonly<Record<string, string>> = {
  '"': '" at the end of the text',
  "'": "' at the end of the text",
  "[": "]",
  "{": "}",
};

/** Finds the last quote or bracket that a line opens and does not close. */
function openMark(line: string): { readonly mark: string; readonly at: number } | undefined {
  const open: { mark: string; at: number }[] = [];
  for (let at = 0; at < line.length; at++) {
    const mark = line[at]!;
    const last = open.at(-1)?.mark;
    if (last === '"' || last === "'") {
      if (mark === "\\" && last === '"') at++;
      else if (mark === last) open.pop();
    } else if (mark === "#" && /\s/.test(line[at - 1] ?? " ")) break;
    else if ((mark === '"' || mark === "'") && /^$|[\s:[{,]/.test(line[at - 1] ?? ""))
      open.push({ mark, at });
    else if (mark === "[" || mark === "{") open.push({ mark, at });
    else if ((mark === "]" && last === "[") || (mark === "}" && last === "{")) open.pop();
  }
  return open.at(-1);
}

/** Codes of errors that a line with a wrong indent usually causes. */
const ofIndent: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  "BAD_INDENT",
  "BLOCK_AS_IMPLICIT_KEY",
  "MISSING_CHAR",
  "MULTILINE_IMPLICIT_KEY",
]);

const sentences: Partial<Record<ErrorCode, string>> = {
  TAB_AS_INDENT: "this line begins with a tab; indent with spaces",
  BLOCK_AS_IMPLICIT_KEY: "this value contains a colon and a space; put the value in quotes",
  MULTILINE_IMPLICIT_KEY: "this line is not a key with a value; write name: value",
  BAD_SCALAR_START: "a value cannot begin with this character; put the value in quotes",
};

/**
 * Finds the first line, from the error's line on, whose indent fits none of the lines above it. Skips blank lines and comments.
 */
function findMisaligned(rows: readonly Row[], line: number): SyntaxProblem | undefined {
  const columns: Column[] = [];
  let above: Row | undefined;
  for (const row of rows) {
    while ((columns.at(-1)?.at ?? 0) > row.indent) columns.pop();
    const isNew = columns.at(-1)?.at !== row.indent;
    const fits = isNew ? (above?.opens ?? true) : row.isItem || columns.at(-1)!.ofKeys;
    if (!fits && above !== undefined && row.number >= line)
      return { offset: row.offset, problem: describeIndent(row, above) };
    if (row.number > line) return undefined;
    if (isNew) columns.push({ at: row.indent, ofKeys: !row.isItem });
    if (row.isItem) columns.push({ at: row.keys, ofKeys: true });
    above = row;
  }
  return undefined;
}

function describeIndent(row: Row, above: Row): string {
  return `line ${row.number} begins with ${spaces(row.indent)}, but the keys of line ${above.number} begin after ${spaces(above.keys)}`;
}

function spaces(count: number): string {
  return count === 1 ? "1 space" : `${count} spaces`;
}

/** A column at which lines may begin. */
interface Column {
  readonly at: number;
  /** Whether keys may begin in this column, and not only items of a list. */
  readonly ofKeys: boolean;
}

interface Row {
  readonly number: number;
  readonly offset: number;
  readonly indent: number;
  /** The text after its spaces and dashes. */
  readonly rest: string;
  /** The column of its key: 4 in `  - module: a`. */
  readonly keys: number;
  readonly isItem: boolean;
  /** Whether its value is on the next lines. */
  readonly opens: boolean;
}

/** Yields the lines that are neither blank nor comments. */
function* readRows({ text, lineStarts }: PlanText): Iterable<Row> {
  for (const [index, start] of lineStarts.entries()) {
    const row = text.slice(start, lineStarts[index + 1] ?? text.length);
    const [, blank = "", dashes = "", rest = ""] = /^( *)((?:- +)*)([^\r\n]*)/.exec(row) ?? [];
    if (rest.trim() === "" || rest.startsWith("#")) continue;
    const indent = blank.length;
    const opens = /:\s*(?:[|>][-+0-9]*\s*)?(?:#.*)?$/.test(rest);
    const isItem = dashes !== "";
    yield {
      number: index + 1,
      offset: start + indent,
      indent,
      keys: indent + dashes.length,
      isItem,
      opens,
      rest,
    };
  }
}
