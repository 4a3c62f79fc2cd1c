import { isRecord } from "@toolmount/core/json";
import { pointed } from "@toolmount/core/text";
import type { Note } from "../wire/shapes.ts";
import { maxLevels, readSchema, shorten } from "./keywords.ts";

/**
 * Reads the schema of a tool's arguments, which always becomes that of an object. Keywords with values that no compiler takes
 * are left out, each with a sentence; a schema without such keywords is returned as it is.
 */
export function readInputSchema(given: unknown, note: Note): Readonly<Record<string, unknown>> {
  const say: Note = (problem) => note(`its schema ${problem}`);
  const schema = given === true || given === undefined || given === null ? {} : given;
  if (!isRecord(schema)) say("is no object; any arguments are passed on");
  if (!isRecord(schema)) return { type: "object" };
  const { type } = schema;
  const whole = withoutLost(schema, schemaOf(schema), (reference) =>
    say(`refers to ${shorten(reference)}, which it does not have; any value is passed on there`),
  ) as typeof schema;
  if (type === "object") return readSchema(whole, say);
  if (!(Array.isArray(type) && type.includes("object"))) say(`has ${saidType(type)}; taken as an object`);
  return readSchema({ ...whole, type: "object" }, say);
}

/**
 * Reads the schema of a tool's results. Returns undefined for one that is left out: for lost references and, before 2026, if it
 * does not describe an object.
 */
export function readOutputSchema(given: unknown, isLegacy: boolean, note: Note): unknown {
  const say: Note = (problem) => note(`its outputSchema ${problem}`);
  if (!isRecord(given)) return undefined;
  const lost: string[] = [];
  withoutLost(given, schemaOf(given), (reference) => lost.push(reference));
  if (lost.length > 0) say(`refers to ${shorten(lost[0])}, which it does not have; left out`);
  if (lost.length > 0) return undefined;
  const type = given["type"] ?? undefined;
  if (!isLegacy || type === "object") return readSchema(given, say);
  if (type === undefined) return readSchema({ ...given, type: "object" }, say);
  say(`has ${saidType(type)}, which no result has; left out`);
  return undefined;
}

interface WholeSchema {
  readonly root: Readonly<Record<string, unknown>>;
  /**
   * Whether a part has an `$id` by which the compiler finds it. The parts are searched at most once, as there may be thousands
   * of references.
   */
  readonly hasIds: () => boolean;
}

function schemaOf(root: Readonly<Record<string, unknown>>): WholeSchema {
  let hasIds: boolean | undefined;
  return { root, hasIds: () => (hasIds ??= JSON.stringify(root).includes('"$id"')) };
}

/**
 * Returns a schema without the references to parts that it does not have, because the compiler would refuse the whole tool for
 * one of them. `onLost` gets each such reference. Nothing is fetched.
 */
function withoutLost(value: unknown, schema: WholeSchema, onLost: Note, levels = maxLevels): unknown {
  if (typeof value !== "object" || value === null || levels === 0) return value;
  if (Array.isArray(value)) {
    const parts = value.map((part) => withoutLost(part, schema, onLost, levels - 1));
    return parts.every((part, at) => part === value[at]) ? value : parts;
  }
  const { $ref } = value as { readonly $ref?: unknown };
  const isLost = typeof $ref === "string" && !refersWithin($ref, schema);
  if (isLost) onLost($ref);
  const kept = Object.entries(value).filter(([name]) => !isLost || name !== "$ref");
  const read = kept.map(([name, part]) => [name, withoutLost(part, schema, onLost, levels - 1)] as const);
  const isSame = !isLost && read.every(([, part], at) => part === kept[at]![1]);
  return isSame ? value : Object.fromEntries(read);
}

/** Whether a reference can be resolved, by a pointer that leads somewhere or by a name that the compiler looks up. */
function refersWithin(reference: string, { root, hasIds }: WholeSchema): boolean {
  if (/%(?![0-9a-f]{2})/i.test(reference)) return false;
  if (!reference.startsWith("#/")) return reference.startsWith("#") || hasIds();
  return pointed(root, reference) !== undefined;
}

function saidType(type: unknown): string {
  return type === undefined || type === null ? "no type" : `the type ${JSON.stringify(type).slice(0, 50)}`;
}
