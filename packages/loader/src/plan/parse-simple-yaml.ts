import { Buffer } from "node:buffer";
import type { Json, JsonObject } from "@toolmount/core";
import { maxPlanDepth, refusedKeys } from "../diagnostics/json.ts";
import type { PlanMap } from "../diagnostics/positions.ts";
import type { PlanText } from "../diagnostics/source-text.ts";

/** A plan's text as a value, and where each part of it was written. */
export interface SimplePlan {
  readonly value: JsonObject;
  readonly map: PlanMap;
}

/**
 * Reads the YAML that most plans are made of: maps and lists by indentation, values on one line, short flow collections.
 * Undefined for every other text, right or wrong: the parser of the whole language reads that, and says what is wrong.
 * What this accepts it reads as that one does, value and places alike; a test compares them.
 */
export function readSimplePlan(text: PlanText, maxBytes: number): SimplePlan | undefined {
  const source = text.text;
  if (Buffer.byteLength(source) > maxBytes || unsure.test(source)) return undefined;
  const reading: Reading = { text, source, at: 0, map: new Map() };
  try {
    skipBlank(reading);
    if (columnOf(reading) !== 0) return undefined;
    const value = readMap(reading, 0, "", 0);
    return reading.at === source.length ? { value, map: reading.map } : undefined;
  } catch (error) {
    if (error === notSimple) return undefined;
    throw error;
  }
}

/** What is left to the whole parser at once: tabs and other control characters, marks of documents, directives. */
const unsure = /[^\n\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd]|^(?:---|\.\.\.|%)/m;

/** Thrown to stop at the first thing that is not simple; no error that anybody sees. */
const notSimple = Symbol("not simple");

interface Reading {
  readonly text: PlanText;
  readonly source: string;
  /** Before the next thing to read. */
  at: number;
  readonly map: PlanMap;
}

function give(): never {
  throw notSimple;
}

/** The rest of a line that holds no more than a comment, and lines that hold nothing else. */
const blank = /(?: *\n| +(?:#[^\n]*)?(?:\n|$)|#[^\n]*(?:\n|$))*/y;

/** To the first sign of the next line that says something. */
function skipBlank(reading: Reading): void {
  const { source } = reading;
  const start = reading.at;
  blank.lastIndex = start;
  blank.exec(source);
  reading.at = blank.lastIndex;
  while (source[reading.at] === " ") reading.at++;
}

function columnOf({ source, at }: Reading): number {
  return at - (source.lastIndexOf("\n", at - 1) + 1);
}

/** After a value: nothing but a comment may stand on its line. */
const lineEnd = / *(?: #[^\n]*)?(?:\n|$)/y;

function endLine(reading: Reading): void {
  lineEnd.lastIndex = reading.at;
  if (!lineEnd.test(reading.source)) give();
  reading.at = lineEnd.lastIndex;
  skipBlank(reading);
}

function mark({ map, text }: Reading, path: string, value: number, key?: number): void {
  map.set(path, { text, value, ...(key !== undefined && { key }) });
}

/** A key and its colon: a plain word, or a word in quotes. */
const blockKey = /(?:([A-Za-z_$@][\w.$/@-]{0,127})|"([^"\\\n]{0,128})"|'([^'\n]{0,128})'):(?= |\n|$)/y;

const nullWord = /^(?:null|Null|NULL|~|)$/;

function readMap(reading: Reading, column: number, path: string, depth: number, key?: number): JsonObject {
  if (depth > maxPlanDepth - 1) give();
  mark(reading, path, reading.at, key);
  const entries = new Map<string, Json>();
  do {
    const start = reading.at;
    blockKey.lastIndex = start;
    const match = blockKey.exec(reading.source) ?? give();
    const name = takeKey(match, entries);
    reading.at = blockKey.lastIndex;
    entries.set(name, readValue(reading, column, inner(path, name), depth + 1, start));
  } while (reading.at < reading.source.length && columnOf(reading) === column);
  if (reading.at < reading.source.length && columnOf(reading) > column) give();
  return Object.fromEntries(entries);
}

function takeKey(
  [, plain, double, single]: RegExpExecArray | readonly (string | undefined)[],
  entries: ReadonlyMap<string, Json>,
): string {
  const name = plain ?? double ?? single ?? give();
  if (plain !== undefined && (nullWord.test(plain) || plain.startsWith("@"))) give();
  return entries.has(name) || refusedKeys.has(name) || name === "<<" ? give() : name;
}

function inner(path: string, name: string): string {
  return `${path}/${/[~/]/.test(name) ? name.replaceAll("~", "~0").replaceAll("/", "~1") : name}`;
}

/** What stands after a colon: on the same line, or below it and further in; a list may begin below the key itself. */
function readValue(reading: Reading, column: number, path: string, depth: number, key: number): Json {
  const { source } = reading;
  const spaces = / */y;
  spaces.lastIndex = reading.at;
  spaces.exec(source);
  const start = spaces.lastIndex;
  const sign = source[start];
  if (sign !== undefined && sign !== "\n" && !(sign === "#" && start > reading.at)) {
    reading.at = start;
    const value = readInline(reading, path, depth, key);
    endLine(reading);
    return value;
  }
  endLine(reading);
  const below = columnOf(reading);
  if (reading.at >= source.length) give();
  if (isItem(reading) && below >= column) return readList(reading, below, path, depth, key);
  return below > column ? readMap(reading, below, path, depth, key) : give();
}

function isItem({ source, at }: Reading): boolean {
  return source[at] === "-" && source[at + 1] === " ";
}

function readList(reading: Reading, column: number, path: string, depth: number, key: number): Json[] {
  if (depth > maxPlanDepth - 1) give();
  mark(reading, path, reading.at, key);
  const items: Json[] = [];
  do {
    reading.at += 2;
    while (reading.source[reading.at] === " ") reading.at++;
    items.push(readItem(reading, `${path}/${items.length}`, depth + 1));
  } while (reading.at < reading.source.length && columnOf(reading) === column && isItem(reading));
  if (reading.at < reading.source.length && columnOf(reading) > column) give();
  return items;
}

function readItem(reading: Reading, path: string, depth: number): Json {
  blockKey.lastIndex = reading.at;
  if (blockKey.test(reading.source)) return readMap(reading, columnOf(reading), path, depth);
  const value = readInline(reading, path, depth);
  endLine(reading);
  return value;
}

/** A text without a colon and a space in it, two spaces, or a space and a hash; it begins with no sign that means something. */
const plainText = /[A-Za-z0-9_$./+\\^(;<=\xa0-\uffff-](?:[^\n:# ]|:(?![ \n]|$)| (?![ #\n]|$)|(?<! )#)*/y;

/** The same inside braces and brackets. */
const flowText = /[A-Za-z0-9_$./](?:[\w$./*+;<=@()~^-]| (?=[\w$./*+;<=@()~^-]))*/y;

function readInline(reading: Reading, path: string, depth: number, key?: number): Json {
  const { source, at } = reading;
  if (depth > maxPlanDepth) give();
  const sign = source[at];
  if (sign === "{" || sign === "[") return readFlow(reading, path, depth, key);
  mark(reading, path, at, key);
  return sign === '"' || sign === "'" ? readQuoted(reading) : readPlain(reading, plainText);
}

const quoted = /"((?:[^"\\\n]|\\["\\/bfnrt])*)"|'((?:[^'\n]|'')*)'/y;

function readQuoted(reading: Reading): string {
  quoted.lastIndex = reading.at;
  const [whole, double, single] = quoted.exec(reading.source) ?? give();
  reading.at = quoted.lastIndex;
  if (double === undefined) return single!.replaceAll("''", "'");
  return double.includes("\\") ? (JSON.parse(whole) as string) : double;
}

const words = new Map<string, boolean | null>([
  ...["null", "Null", "NULL"].map((word): [string, null] => [word, null]),
  ...["true", "True", "TRUE"].map((word): [string, boolean] => [word, true]),
  ...["false", "False", "FALSE"].map((word): [string, boolean] => [word, false]),
]);

function readPlain(reading: Reading, pattern: RegExp): Json {
  pattern.lastIndex = reading.at;
  const [text] = pattern.exec(reading.source) ?? give();
  reading.at = pattern.lastIndex;
  const word = words.get(text);
  if (word !== undefined) return word;
  if (!/^[-+.0-9]/.test(text)) return text;
  if (/^(?:0|-?[1-9][0-9]{0,14})$/.test(text)) return Number(text);
  // Whatever else may be a number, and what begins as a list does.
  return /^(?:\.{1,2}(?:\/|$)|[0-9]+[A-Za-z]{2})/.test(text) && !/^0[xo]/.test(text) ? text : give();
}

const flowKey = /(?:([A-Za-z_$][\w.$-]{0,127})|"([^"\\\n]{0,128})"|'([^'\n]{0,128})'): /y;

/** A map in braces or a list in brackets, on one line. */
function readFlow(reading: Reading, path: string, depth: number, key?: number): Json {
  if (depth > maxPlanDepth - 1) give();
  mark(reading, path, reading.at, key);
  const isMap = reading.source[reading.at] === "{";
  const end = isMap ? "}" : "]";
  const items: Json[] = [];
  const entries = new Map<string, Json>();
  reading.at++;
  for (skipSpaces(reading); reading.source[reading.at] !== end; takeComma(reading, end)) {
    if (isMap) readPair(reading, entries, path, depth + 1);
    else items.push(readFlowValue(reading, `${path}/${items.length}`, depth + 1));
  }
  reading.at++;
  return isMap ? Object.fromEntries(entries) : items;
}

function readPair(reading: Reading, entries: Map<string, Json>, path: string, depth: number): void {
  const start = reading.at;
  flowKey.lastIndex = start;
  const name = takeKey(flowKey.exec(reading.source) ?? give(), entries);
  reading.at = flowKey.lastIndex;
  skipSpaces(reading);
  entries.set(name, readFlowValue(reading, inner(path, name), depth, start));
}

function readFlowValue(reading: Reading, path: string, depth: number, key?: number): Json {
  const sign = reading.source[reading.at];
  if (sign === "{" || sign === "[") return readFlow(reading, path, depth, key);
  mark(reading, path, reading.at, key);
  return sign === '"' || sign === "'" ? readQuoted(reading) : readPlain(reading, flowText);
}

function skipSpaces(reading: Reading): void {
  while (reading.source[reading.at] === " ") reading.at++;
}

function takeComma(reading: Reading, end: string): void {
  skipSpaces(reading);
  const sign = reading.source[reading.at];
  if (sign === end) return;
  if (sign !== ",") give();
  reading.at++;
  skipSpaces(reading);
}
