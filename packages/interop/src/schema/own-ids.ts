import { isRecord } from "./guards.ts";

/** Keywords whose values are no schemas. */
export const valueKeywords: ReadonlySet<string> = new Set(["const", "default", "enum", "examples"]);

/** A schema, and whether it still has ids by which its parts find each other. */
interface WithIds {
  readonly schema: Readonly<Record<string, unknown>>;
  readonly hasIds: boolean;
}

/**
 * Removes ids that no reference of the schema needs. An engine remembers ids beyond the schema that has them: one tool could
 * take the id of a part that other tools refer to, or that of JSON Schema itself, and then no other schema compiles.
 */
export function withoutIdleIds(schema: Readonly<Record<string, unknown>>, text: string): WithIds {
  const ids = text.split('"$id":"').length - 1;
  if (ids === 0) return { schema, hasIds: false };
  const references = text.match(/"\$(?:ref|dynamicRef|recursiveRef)":"[^"]?/g) ?? [];
  if (references.length === 0) return { schema: withoutIds(schema) as WithIds["schema"], hasIds: false };
  const areLocal = references.every((reference) => reference.endsWith('"#'));
  if (ids > 1 || typeof schema["$id"] !== "string" || !areLocal) return { schema, hasIds: true };
  const { $id: _, ...others } = schema;
  return { schema: others, hasIds: false };
}

function withoutIds(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(withoutIds);
  if (!isRecord(node)) return node;
  const kept = Object.entries(node).filter(([name, value]) => name !== "$id" || typeof value !== "string");
  return Object.fromEntries(
    kept.map(([name, value]) => [name, valueKeywords.has(name) ? value : withoutIds(value)]),
  );
}
