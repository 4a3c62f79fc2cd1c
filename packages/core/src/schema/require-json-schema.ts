import { isDeepStrictEqual } from "node:util";
import { ToolmountError } from "../contract/errors.ts";
import { frozenCopy } from "../json/freeze.ts";
import { isRecord, type JsonSchema } from "../json/json.ts";
import type { PreparedSchema } from "./schema.ts";

/** Maximum number of properties that are probed, which is enough for any schema that a model can use. */
const maxProbes = 200;

/** Throws `SCHEMA_NOT_JSON` for coercion and for unstable parsing. Both are tried out, because a printed schema shows neither. */
export function requireJsonSchema(tool: string, prepared: PreparedSchema): void {
  if (prepared.isPlain) return;
  const { json, parse } = prepared;
  let left = maxProbes;
  for (const { path, node } of places(json, [])) {
    if (left-- <= 0) break;
    requireNoCoercion(tool, parse, path, node);
  }
  requireSameAgain(tool, parse, sampleOf(json, 0));
}

/** Yields every declared property of nested plain objects. Unions and references are only checked with the sample. */
function* places(
  node: JsonSchema,
  path: readonly string[],
): Generator<{ readonly path: readonly string[]; readonly node: JsonSchema }> {
  const properties = node["properties"];
  if (!isRecord(properties) || path.length > 6) return;
  for (const [key, child] of Object.entries(properties)) {
    if (!isRecord(child)) continue;
    yield { path: [...path, key], node: child };
    yield* places(child, [...path, key]);
  }
}

const probes: Readonly<Record<string, readonly unknown[]>> = {
  number: ["1", true],
  integer: ["1", true],
  boolean: ["true", 1],
  string: [1, true],
};

function requireNoCoercion(
  tool: string,
  parse: PreparedSchema["parse"],
  path: readonly string[],
  node: JsonSchema,
): void {
  for (const probe of probes[String(node["type"])] ?? []) {
    if (!accepts(parse, path, probe)) continue;
    throw new ToolmountError("SCHEMA_NOT_JSON", {
      tool,
      problem: `"${path.join(".")}" is declared as ${String(node["type"])} but accepts the ${typeof probe} ${JSON.stringify(probe)}`,
    });
  }
}

/** Whether a value at a path has no issue there. Issues of other places do not count. */
function accepts(parse: PreparedSchema["parse"], path: readonly string[], value: unknown): boolean {
  const result = attempt(
    parse,
    path.reduceRight((inner, key) => ({ [key]: inner }), value as object),
  );
  if (result === null) return false;
  if (result.ok) return true;
  return !result.issues.some(
    (issue) => issue.path.length <= path.length && issue.path.every((part, at) => String(part) === path[at]),
  );
}

function requireSameAgain(tool: string, parse: PreparedSchema["parse"], sample: unknown): void {
  const first = attempt(parse, sample);
  if (!first?.ok) return;
  const second = attempt(parse, first.value);
  if (second?.ok && isDeepStrictEqual(first.value, second.value)) return requireJson(tool, first.value);
  throw new ToolmountError("SCHEMA_NOT_JSON", {
    tool,
    problem: "parsing its output again changes it",
  });
}

function requireJson(tool: string, value: unknown): void {
  try {
    frozenCopy(value);
  } catch (cause) {
    throw new ToolmountError(
      "SCHEMA_NOT_JSON",
      { tool, problem: `its output ${(cause as Error).message}` },
      { cause },
    );
  }
}

/** Parses a value. Null for asynchronous and throwing parsers, which cannot be probed: the first call shows their errors. */
function attempt(parse: PreparedSchema["parse"], value: unknown) {
  try {
    const result = parse(value);
    if (!(result instanceof Promise)) return result;
    result.catch(() => {});
    return null;
  } catch {
    return null;
  }
}

function sampleOf(node: JsonSchema, depth: number): unknown {
  if ("default" in node) return node["default"];
  if ("const" in node) return node["const"];
  if (Array.isArray(node["enum"])) return node["enum"][0];
  switch (node["type"]) {
    case "string":
      return "a".repeat(Math.max(1, Math.min(64, Number(node["minLength"] ?? 1))));
    case "number":
    case "integer":
      return Number(node["minimum"] ?? 1);
    case "boolean":
      return true;
    case "array":
      return isRecord(node["items"]) && depth < 8 ? [sampleOf(node["items"], depth + 1)] : [];
    case "object":
      return sampleObject(node, depth);
    default:
      return null;
  }
}

function sampleObject(node: JsonSchema, depth: number): unknown {
  const properties = isRecord(node["properties"]) && depth < 8 ? node["properties"] : {};
  return Object.fromEntries(
    Object.entries(properties).map(([key, child]) => [
      key,
      isRecord(child) ? sampleOf(child, depth + 1) : null,
    ]),
  );
}
