import { isDeepStrictEqual } from "node:util";
import type { FlowLines } from "@toolmount/record/internal";
import {
  isMap,
  isSeq,
  parseDocument,
  stringify,
  type Document,
  type Node,
  type YAMLMap,
  type YAMLSeq,
} from "yaml";
import type { EditedSection, NewEntry } from "@toolmount/loader/commands";

const sections: readonly EditedSection[] = ["tools", "hooks"];

export function idsOf(text: string): string[] {
  const document = parse(text);
  return sections.flatMap((section) => {
    const list = document.get(section);
    return isSeq(list) ? list.items.flatMap((item) => (isMap(item) ? [idOfMap(item)] : [])) : [];
  });
}

/** Returns a plan's text with an entry at the end of a section. Comments and the style of the file stay. */
export function addEntry(text: string, section: EditedSection, entry: NewEntry): string {
  const document = parse(text);
  const list = listOf(document, section);
  const present = Object.fromEntries(Object.entries(entry).filter(([, value]) => value !== undefined));
  const spliced = appendText(text, list, present);
  list.add(document.createNode(present));
  return choose(spliced, document, text);
}

/** Returns a plan's text with lines at the end of a list of its policy. Comments stay. */
export function addPolicyLines(text: string, list: string, lines: readonly string[]): string {
  const document = parse(text);
  if (!isMap(document.get("policy"))) document.set("policy", document.createNode({}));
  if (!isSeq(document.getIn(["policy", list]))) document.setIn(["policy", list], document.createNode([]));
  const written = document.getIn(["policy", list]) as YAMLSeq;
  for (const line of lines) written.add(document.createNode(line));
  return choose(undefined, document, text);
}

export function policyLines(text: string, list: string): readonly unknown[] {
  const written = parse(text).getIn(["policy", list]);
  return isSeq(written) ? written.toJSON() : [];
}

/**
 * Returns a plan's text with lines at the end of the lists `results` and `into` of its flows. Without lines, writes `flows: on`
 * if it has no flows. Comments stay.
 */
export function addFlowLines(text: string, lines: FlowLines): string {
  const document = parse(text);
  const flows = ["policy", "flows"];
  if (!isMap(document.get("policy"))) document.set("policy", document.createNode({}));
  if (lines.results.length + lines.into.length === 0) {
    if (!document.hasIn(flows)) document.setIn(flows, document.createNode("on"));
    return choose(undefined, document, text);
  }
  if (!isMap(document.getIn(flows))) document.setIn(flows, document.createNode({}));
  for (const section of ["results", "into"] as const) {
    const at = [...flows, section];
    if (!isSeq(document.getIn(at))) document.setIn(at, document.createNode([]));
    const list = document.getIn(at) as YAMLSeq;
    for (const line of lines[section]) list.add(flowLine(document, line));
  }
  return choose(undefined, document, text);
}

/** Creates the node of a line. Its lists and maps are written inside brackets on one line, as in the documentation. */
function flowLine(document: Document, line: object): YAMLMap {
  const node = document.createNode(line) as YAMLMap;
  for (const { value } of node.items) if (isMap(value) || isSeq(value)) value.flow = true;
  return node;
}

/** Returns a plan's text without the entry with this id; undefined if there is no such entry. */
export function removeEntryText(text: string, id: string): string | undefined {
  const document = parse(text);
  for (const section of sections) {
    const list = document.get(section);
    if (!isSeq(list)) continue;
    const at = list.items.findIndex((item) => isMap(item) && idOfMap(item) === id);
    if (at === -1) continue;
    const spliced = removeText(text, list, at);
    list.delete(at);
    if (list.items.length === 0) list.flow = true;
    return choose(spliced, document, text);
  }
  return undefined;
}

/** Returns the value of a YAML text, without checking that it is a plan. */
export function valueOf(text: string): unknown {
  return parse(text).toJS();
}

function parse(text: string): Document {
  return parseDocument(text, { uniqueKeys: false });
}

function idOfMap(item: YAMLMap): string {
  const name: unknown = item.get("id") ?? item.get("module");
  return typeof name === "string" ? name : "";
}

function listOf(document: Document, section: string): YAMLSeq {
  if (!isSeq(document.get(section))) document.set(section, document.createNode([]));
  const list = document.get(section) as YAMLSeq;
  if (list.items.length === 0) list.flow = false;
  return list;
}

/**
 * Returns `spliced`, which keeps the text outside the edit exactly, if it has the same value as the edited document. Otherwise
 * returns the printed document, with its comments.
 */
function choose(spliced: string | undefined, document: Document, before: string): string {
  if (spliced !== undefined && isDeepStrictEqual(parse(spliced).toJS(), document.toJS())) return spliced;
  const indentSeq = !/^[\w-]+:[^\S\n]*(?:#.*)?\n(?:[^\S\n]*#.*\n)*-[^\S\n]/m.test(before);
  return withLinesOf(document.toString({ lineWidth: 0, indentSeq }), before);
}

/** Restores lines that the printer changed only in spaces: it writes `[a]` as `[ a ]`. */
function withLinesOf(printed: string, before: string): string {
  const bare = (line: string) => line.replaceAll(/(?<=[[{]) +| +(?=[\]}])/g, "");
  const known = new Map(before.split("\n").map((line) => [bare(line), line]));
  const kept = printed
    .split("\n")
    .map((line) => known.get(bare(line)) ?? line)
    .join("\n");
  return isDeepStrictEqual(parse(kept).toJS(), parse(printed).toJS()) ? kept : printed;
}

/**
 * Returns the text with one more item at the end of a list. Undefined if the list is empty or does not begin with a dash on a
 * line.
 */
function appendText(text: string, list: YAMLSeq, item: unknown): string | undefined {
  const first = list.range?.[0];
  const last = list.items.at(-1) as Node | undefined;
  if (list.flow === true || first === undefined || last?.range == null || text[first] !== "-")
    return undefined;
  const indent = text.slice(lineStart(text, first), first);
  const end = lineEnd(text, last.range[1]);
  const lines = stringify([item], { lineWidth: 0 }).trimEnd().split("\n");
  return `${text.slice(0, end)}\n${lines.map((line) => indent + line).join("\n")}${text.slice(end) || "\n"}`;
}

/** Returns the text without one item of a list. Undefined for a list in brackets and for the only item of a list. */
function removeText(text: string, list: YAMLSeq, index: number): string | undefined {
  const item = list.items[index] as Node | undefined;
  if (list.flow === true || list.items.length < 2 || item?.range == null) return undefined;
  const dash = text.lastIndexOf("-", item.range[0]);
  return text.slice(0, lineStart(text, dash)) + text.slice(lineEnd(text, item.range[1]) + 1);
}

function lineStart(text: string, offset: number): number {
  return text.lastIndexOf("\n", offset - 1) + 1;
}

/** Returns the offset at the end of the line on which a value ends. A comment on this line belongs to the value. */
function lineEnd(text: string, offset: number): number {
  let end = offset;
  while (end > 0 && /\s/.test(text[end - 1]!)) end--;
  const next = text.indexOf("\n", end);
  return next === -1 ? text.length : next;
}
