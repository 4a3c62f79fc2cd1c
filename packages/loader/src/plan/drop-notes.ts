import type { Json, JsonObject } from "@toolmount/core";
import { isList, isRecord } from "../diagnostics/json.ts";

/** A plan without its `x-` keys: those of the plan itself, of its entries and of their tool overrides. */
export function dropNotes(plan: JsonObject): JsonObject {
  const entryLists = new Set(["tools", "hooks", "providers"]);
  const kept = Object.entries(plan).filter(isNoNote);
  return Object.fromEntries(kept.map(([key, inner]) => [key, entryLists.has(key) ? drop(inner) : inner]));
}

/** Keys whose values belong to modules. */
const opaque = new Set(["config", "source", "run"]);

function drop(value: Json): Json {
  if (isList(value)) return value.map(drop);
  if (!isRecord(value)) return value;
  const kept = Object.entries(value).filter(isNoNote);
  return Object.fromEntries(kept.map(([key, inner]) => [key, opaque.has(key) ? inner : drop(inner)]));
}

function isNoNote([key]: readonly [string, unknown]): boolean {
  return !key.startsWith("x-");
}
