import type { JsonObject } from "@toolmount/core";
import { copyJson } from "@toolmount/loader/commands";
import { isMap, parseDocument, type Document } from "yaml";

/** The members of a map, or why they cannot be read. */
type FlowMap =
  | { readonly ok: true; readonly value: JsonObject }
  | { readonly ok: false; readonly problem: string };

/** Reads the members of a map as YAML writes them between braces: `a: 1, b: two words, c: [3]`. */
export function parseFlowMap(text: string): FlowMap {
  const document = parseDocument(`{${text}\n}`, { merge: false, prettyErrors: false });
  const [error] = document.errors;
  if (error !== undefined) return { ok: false, problem: error.message.split("\n", 1)[0]! };
  const bare = isMap(document.contents)
    ? document.contents.items.find(({ value }) => value === null)
    : undefined;
  if (bare !== undefined) return { ok: false, problem: problemOf(String(bare.key)) };
  const written = jsOf(document);
  if (written === undefined)
    return { ok: false, problem: "a name with * before it cannot be used here: write the value again" };
  if (typeof written !== "object" || written === null || Array.isArray(written))
    return { ok: false, problem: "they are not names with values" };
  const copied = copyJson(written as Readonly<Record<string, unknown>>);
  return copied.ok ? { ok: true, value: copied.value } : { ok: false, problem: copied.problem };
}

/**
 * Returns the value of a YAML document. Undefined if the document has an alias, because aliases can turn a short text into a huge
 * value.
 */
function jsOf(document: Document): unknown {
  try {
    return document.toJS({ maxAliasCount: 0 });
  } catch {
    return undefined;
  }
}

/** Says what is wrong with a member that has no value: no blank follows its colon, or it is a value without a name. */
function problemOf(written: string): string {
  const [name = "", ...rest] = written.split(":");
  return rest.length > 0 && /^[\w-]+$/.test(name)
    ? `write a blank after "${name}:"`
    : `"${written.slice(0, 100)}" has no name before it`;
}
