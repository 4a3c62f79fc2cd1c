import { isDeepStrictEqual } from "node:util";
import { Composer, isAlias, isMap, isScalar, isSeq, Lexer, Parser, type Node, type Pair } from "yaml";
import type { Json, JsonObject } from "@toolmount/core";
import { isExact, isRecord, maxPlanDepth, refusedKeys } from "../diagnostics/json.ts";
import { pathKey, type Path, type PlanMap } from "../diagnostics/positions.ts";
import { makeProblem, type Problem } from "../diagnostics/problems.ts";
import { indentQuoted } from "../bundles/quoted-lines.ts";
import { bundleProblem } from "./amplifier.ts";
import { explainSyntax } from "../diagnostics/explain-syntax.ts";
import { isJsonPlan, readJsonText } from "./json-text.ts";
import { createPlanText, maxPlanBytes, sizeProblem, type PlanText } from "../diagnostics/source-text.ts";

export type ParseResult =
  | {
      readonly ok: true;
      readonly value: JsonObject;
      readonly map: PlanMap;
      /** In a Markdown file, the text after the head. */
      readonly body?: string;
    }
  | { readonly ok: false; readonly problems: readonly Problem[] };

/**
 * Parses YAML 1.2, or JSON with comments if the file's name says so, to plain data with the place of each value. Constructs that
 * a plan must not have are problems with their place.
 */
export function parsePlan(text: PlanText): ParseResult {
  if (Buffer.byteLength(text.text) > maxPlanBytes) return refuse(text, 0, "PLAN_TOO_LARGE", sizeProblem);
  const zero = text.text.indexOf("\0");
  const binary = "a plan is a text file; this file contains a zero byte";
  if (zero !== -1) return refuse(text, zero, "PLAN_SYNTAX", binary);
  return isJsonPlan(text) ? readJson(text) : compose(text, text.text);
}

/** Parses a Markdown file that begins with a head in YAML, such as a bundle of Amplifier or one of its agents. */
export function parseMarkdown(text: PlanText): ParseResult {
  const [head] = /^---\r?\n[^]*?\r?\n(?=---[ \t]*(?:\r?\n|$))/.exec(text.text) ?? [];
  const problem = "this file of Markdown has no head: a line ---, YAML, and a line ---";
  if (head === undefined) return refuse(text, 0, "PLAN_SYNTAX", problem);
  const parsed = parsePlan(createPlanText(text.file, indentQuoted(head)));
  const body = text.text
    .slice(head.length)
    .replace(/^---[ \t]*\r?\n?/, "")
    .trim();
  return parsed.ok ? { ...parsed, body } : parsed;
}

/** Parses JSON with the YAML parser, which knows the places of values. The value must be the same as that of the JSON parser. */
function readJson(text: PlanText): ParseResult {
  const json = readJsonText(text.text);
  if (!json.ok) return refuse(text, json.offset, "PLAN_SYNTAX", json.problem);
  const parsed = compose(text, json.text);
  if (!parsed.ok || isDeepStrictEqual(parsed.value, json.value)) return parsed;
  return refuse(text, 0, "PLAN_SYNTAX", "this JSON means something else as YAML; write the plan as .yaml");
}

/** Parses `source`. It is the text itself or, for JSON, the text in which spaces replace comments and last commas. */
function compose(text: PlanText, source: string): ParseResult {
  const tooDeep: number[] = [];
  const documents = [
    ...new Composer({ uniqueKeys: false, strict: true, stringKeys: false }).compose(
      readTokens(source, (offset) => tooDeep.push(offset)),
      true,
      source.length,
    ),
  ];
  const [deep] = tooDeep;
  if (deep !== undefined) return refuse(text, deep, "PLAN_TOO_LARGE", depthProblem);
  // The composer yields a document even for an empty text.
  const document = documents[0]!;
  const second = documents[1];
  const troubles = [...document.errors, ...document.warnings];
  if (troubles.length > 0) {
    const problems = explainSyntax(text, troubles.slice(0, maxProblems)).map(({ offset, problem }) =>
      syntaxProblem(text, offset, "PLAN_SYNTAX", problem),
    );
    return { ok: false, problems: withoutRepeats(problems) };
  }
  if (second !== undefined) {
    const problem = document.has("bundle")
      ? bundleProblem
      : "a plan is one YAML document; this file has several";
    return refuse(text, second.range[0], "PLAN_SYNTAX", problem);
  }
  return convert(text, document.contents);
}

/** How many problems of one plan are reported. The rest of the plan is then not read. */
const maxProblems = 100;

/** Removes repeated problems, because one mistake often causes several errors on the same line. */
function withoutRepeats(problems: readonly Problem[]): Problem[] {
  return problems.filter(
    ({ line, message }, index) =>
      problems.findIndex((other) => other.line === line && other.message === message) === index,
  );
}

const depthProblem = `maps and lists nest deeper than ${maxPlanDepth} levels`;

/**
 * Yields the tokens of a text. Stops, and reports the offset, before the nesting is so deep that the composer's stack would
 * overflow.
 */
function* readTokens(text: string, onTooDeep: (offset: number) => void) {
  const parser = new Parser();
  for (const lexeme of new Lexer().lex(text)) {
    yield* parser.next(lexeme);
    // Besides maps and lists, the parser's stack holds a document and a scalar.
    if (parser.stack.length <= maxPlanDepth + 4) continue;
    onTooDeep(parser.offset);
    return;
  }
  yield* parser.end();
}

function convert(text: PlanText, contents: Node | null): ParseResult {
  const walk: Walk = { text, map: new Map(), anchors: new Map(), problems: [] };
  const value = contents === null ? null : readNode(walk, contents, []);
  if (walk.problems.length > maxProblems) {
    const problem = `only the first ${maxProblems} problems are reported; the rest of the plan was not read`;
    walk.problems.splice(maxProblems, Infinity, syntaxProblem(text, 0, "PLAN_TOO_LARGE", problem));
  }
  if (walk.problems.length > 0) return { ok: false, problems: walk.problems };
  const problem = `a plan is a map with the key "tools", but this is ${describe(value)}`;
  return isRecord(value) ? { ok: true, value, map: walk.map } : refuse(text, 0, "PLAN_SYNTAX", problem);
}

interface Walk {
  readonly text: PlanText;
  readonly map: PlanMap;
  readonly anchors: Map<string, Json>;
  readonly problems: Problem[];
}

function isFull({ problems }: Walk): boolean {
  return problems.length > maxProblems;
}

function readNode(walk: Walk, node: Node, path: Path, key?: number): Json {
  if (isFull(walk)) return null;
  const offset = node.range?.[0] ?? 0;
  walk.map.set(pathKey(path), { text: walk.text, value: offset, ...(key !== undefined && { key }) });
  if (path.length > maxPlanDepth) return complain(walk, offset, path, depthProblem, "PLAN_TOO_LARGE");
  if (isAlias(node)) return readAlias(walk, node.source, offset, path);
  if (node.tag !== undefined && !plainTags.has(node.tag)) {
    const problem = `the tag ${node.tag.slice(0, 100)} is not allowed; a plan contains plain data`;
    return complain(walk, offset, path, problem);
  }
  if (isMap(node)) return readMap(walk, node.items as Pair<Node, Node | null>[], path);
  if (isSeq(node)) return node.items.map((item, index) => readNode(walk, item as Node, [...path, index]));
  return readScalar(walk, node, offset, path);
}

const plainTags = new Set(
  ["str", "int", "float", "bool", "null", "map", "seq"].map((name) => `tag:yaml.org,2002:${name}`),
);

function readMap(walk: Walk, pairs: readonly Pair<Node, Node | null>[], path: Path): JsonObject {
  const entries = new Map<string, Json>();
  for (const { key, value } of pairs) {
    if (isFull(walk)) break;
    const offset = key.range?.[0] ?? 0;
    const name = readKey(key);
    const problem = name === undefined ? "a key must be a plain text" : findKeyProblem(name, entries);
    if (problem !== undefined || name === undefined) {
      complain(walk, offset, path, problem ?? "");
      continue;
    }
    const inner = [...path, name];
    if (value === null) walk.map.set(pathKey(inner), { text: walk.text, key: offset, value: offset });
    entries.set(name, value === null ? null : readNode(walk, value, inner, offset));
  }
  return Object.fromEntries(entries);
}

function readKey(key: Node): string | undefined {
  if (!isScalar(key) || key.value === null || key.anchor !== undefined || key.tag !== undefined)
    return undefined;
  return typeof key.value === "string" ? key.value : key.source;
}

function findKeyProblem(name: string, known: ReadonlyMap<string, Json>): string | undefined {
  const shown = JSON.stringify(name.slice(0, 100));
  if (known.has(name)) return `the key ${shown} is there twice; remove one of them`;
  if (name === "<<") return "merge keys (<<) are not allowed; repeat the values";
  const odd = /"|\/\/|\/\*/.exec(name)?.[0];
  if (odd !== undefined)
    return `the key ${shown} contains ${odd}, as a comment would; a comment begins with # in YAML, and with // in .json`;
  if (refusedKeys.has(name))
    return `the key ${shown} is not allowed: in JavaScript it names a part of every object`;
  return undefined;
}

function readAlias(walk: Walk, anchor: string, offset: number, path: Path): Json {
  const value = walk.anchors.get(anchor);
  if (value !== undefined) return value;
  const shown = `*${anchor.slice(0, 100)}`;
  const problem = /^[\w-]+$/.test(anchor)
    ? `the alias ${shown} is not allowed: an alias can repeat a single value, not a map or a list`
    : `a value that begins with * is an alias in YAML; put the text in quotes: "${shown}"`;
  return complain(walk, offset, path, problem);
}

function readScalar(walk: Walk, node: Node, offset: number, path: Path): Json {
  const value: unknown = isScalar(node) ? node.value : undefined;
  if (!isPlain(value)) return complain(walk, offset, path, "this value is not plain data");
  if (typeof value === "number" && !isExact(value)) {
    return complain(walk, offset, path, "JSON cannot hold this number exactly; put it in quotes");
  }
  if (isScalar(node) && node.anchor !== undefined) walk.anchors.set(node.anchor, value);
  return value;
}

function isPlain(value: unknown): value is string | number | boolean | null {
  return (
    value === null || typeof value === "string" || typeof value === "number" || typeof value === "boolean"
  );
}

function complain(
  walk: Walk,
  offset: number,
  path: Path,
  problem: string,
  code: SyntaxCode = "PLAN_SYNTAX",
): null {
  walk.problems.push(makeProblem(code, { problem }, { path, place: { text: walk.text, offset } }));
  return null;
}

type SyntaxCode = "PLAN_SYNTAX" | "PLAN_TOO_LARGE";

function refuse(text: PlanText, offset: number, code: SyntaxCode, problem: string): ParseResult {
  return { ok: false, problems: [syntaxProblem(text, offset, code, problem)] };
}

function syntaxProblem(text: PlanText, offset: number, code: SyntaxCode, problem: string): Problem {
  return makeProblem(code, { problem }, { place: { text, offset } });
}

function describe(value: unknown): string {
  if (value === null) return "empty";
  return Array.isArray(value) ? "a list" : `a ${typeof value}`;
}
