import type { JsonSchema } from "@toolmount/core";
import { pointed } from "@toolmount/core/text";
import { isRecord } from "./guards.ts";

/** Maximum number of values in a schema, and its deepest nesting. A part that is used twice counts twice. */
const maxValues = 200_000;
const maxDepth = 200;

/** Maximum number of parts of a schema that are compared with one value, where each reference counts as the part to which it leads. */
const maxPartsOfValue = 10_000;

/**
 * Throws for a schema with which a small value could keep the host busy: its references double its parts at each level, or lead
 * back to themselves for the same value. With 24 such levels, a schema has 1.5 KB, and a check compares 16 million parts.
 */
export function requireModestSchema(schema: JsonSchema): void {
  requireModestTree(schema);
  const index = indexOf(schema);
  const known = new Map<object, number>();
  for (const node of index.bases.keys())
    if (partsForValue(node, index, known) > maxPartsOfValue)
      throw new Error(`its references expand to more than ${maxPartsOfValue} parts for one value`);
}

/** Throws for a schema that is too large to print or copy. A program can build a large schema from few objects. */
export function requireModestTree(schema: JsonSchema): void {
  let left = maxValues;
  const visit = (node: unknown, depth: number): void => {
    if (--left < 0) throw new Error(`it has more than ${maxValues} values`);
    if (typeof node !== "object" || node === null) return;
    if (depth > maxDepth) throw new Error(`it is nested deeper than ${maxDepth} levels`);
    for (const member of Object.values(node)) visit(member, depth + 1);
  };
  visit(schema, 0);
}

type Node = Readonly<Record<string, unknown>>;

/** The parts to which references can lead, by absolute address. */
interface Index {
  /** The address of the document to which each part belongs. */
  readonly bases: ReadonlyMap<Node, string>;
  /** Documents by address, and parts with an anchor by address and anchor. */
  readonly targets: ReadonlyMap<string, Node>;
  /** Parts with a dynamic anchor. To which of them a reference leads depends on the path to it. */
  readonly dynamic: ReadonlyMap<string, readonly Node[]>;
}

/** Keywords whose values are data, not schemas. */
const dataKeywords = new Set(["const", "enum", "default", "examples"]);
/** Keywords whose members have names chosen by the author. */
const tables = new Set(["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"]);

function indexOf(schema: JsonSchema): Index {
  const bases = new Map<Node, string>();
  const targets = new Map<string, Node>([[origin, schema]]);
  const dynamic = new Map<string, Node[]>();
  const visit = (node: unknown, base: string, isTable: boolean): void => {
    if (Array.isArray(node)) return node.forEach((item) => visit(item, base, false));
    if (!isRecord(node) || bases.has(node)) return;
    const { $id: id, $anchor: anchor, $dynamicAnchor: moving } = isTable ? {} : (node as Node);
    const own = typeof id === "string" ? address(id, base) : base;
    bases.set(node, own);
    if (typeof id === "string") targets.set(own, node);
    for (const name of [anchor, moving]) if (typeof name === "string") targets.set(`${own}#${name}`, node);
    if (typeof moving === "string") dynamic.set(moving, [...(dynamic.get(moving) ?? []), node]);
    for (const [key, member] of Object.entries(node))
      if (isTable || !dataKeywords.has(key)) visit(member, own, !isTable && tables.has(key));
  };
  visit(schema, origin, false);
  return { bases, targets, dynamic };
}

const origin = "schema:/";

/** Returns an address without its fragment. A text that is not an address stays as it is. */
function address(reference: string, base: string): string {
  return URL.parse(reference, base)?.href.replace(/#.*$/, "") ?? reference;
}

/** Counts the parts that are compared with a value which `node` describes. A part counts once for each path to it. */
function partsForValue(node: Node, index: Index, known: Map<object, number>): number {
  const before = known.get(node);
  if (before === onTheWay) throw new Error("one of its parts refers to itself for the same value");
  if (before !== undefined) return before;
  known.set(node, onTheWay);
  let parts = 1;
  for (const part of partsOf(node, index)) parts += partsForValue(part, index, known);
  known.set(node, parts);
  return parts;
}

const onTheWay = -1;

function partsOf(node: Node, index: Index): readonly Node[] {
  const inLists = ["allOf", "anyOf", "oneOf"].flatMap((keyword) => node[keyword] ?? []);
  const single = ["not", "if", "then", "else"].map((keyword) => node[keyword]);
  const dependent = ["dependentSchemas", "dependencies"].flatMap((keyword) =>
    Object.values(node[keyword] ?? {}),
  );
  return [...inLists, ...single, ...dependent, ...referred(node, index)].filter(isRecord);
}

/** Returns the parts to which a part refers. An unknown reference has no target; the budget of steps limits it. */
function referred(node: Node, { bases, targets, dynamic }: Index): readonly unknown[] {
  const base = bases.get(node) ?? origin;
  const { $ref: ref, $dynamicRef: moving, $recursiveRef: recursive } = node;
  return [
    ...[ref, moving, recursive].map((each) =>
      typeof each === "string" ? targetOf(each, base, targets) : null,
    ),
    ...(typeof moving === "string" ? (dynamic.get(moving.replace(/^.*#/, "")) ?? []) : []),
  ];
}

function targetOf(reference: string, base: string, targets: ReadonlyMap<string, Node>): unknown {
  const document = address(reference, base);
  const fragment = /#(.*)$/.exec(reference)?.[1] ?? "";
  if (fragment !== "" && !fragment.startsWith("/")) return targets.get(`${document}#${fragment}`);
  const target = targets.get(document);
  return fragment === "" ? target : pointed(target, `#${fragment}`);
}
