import { createRequire } from "node:module";
import type { JsonSchema, StandardSchema } from "@toolmount/core";
import { isStandardSchema as hasStandard } from "@toolmount/core/schemas";
import { z } from "zod";
import type * as Printers from "../carried/printers.ts";
import { isRecord } from "./guards.ts";

// A schema is printed synchronously, so a printer is loaded by `require` with the first schema; most hosts never need one.
const require = createRequire(import.meta.url);

/** Whether to print what a schema's parse accepts, or what it returns. */
type Side = "input" | "output";

/** Prints the schema of a library as JSON Schema; undefined if the library is unknown and cannot print it itself. */
export function printLibrary(given: object, side: Side): unknown {
  if (isZod3(given)) {
    const { printZod3 } = require("#printers") as typeof Printers;
    return printZod3(given as never, { pipeStrategy: side, effectStrategy: "input" });
  }
  const standard = isStandardSchema(given) ? given["~standard"] : undefined;
  const own = standard?.jsonSchema?.[side]({ target: "draft-2020-12" });
  if (own !== undefined) return own;
  if ("_zod" in given) return z.toJSONSchema(given as z.ZodType, { io: side });
  if (isArkType(given)) return given.toJsonSchema();
  if (standard?.vendor !== "valibot") return undefined;
  const { printValibot } = require("#printers") as typeof Printers;
  return printValibot(given as never, { typeMode: side, errorMode: "throw" });
}

/**
 * Prints the schema of a definition, whose arguments may be parsed twice. Throws for a Zod 3 schema that changes values, or
 * that accepts values which JSON cannot hold, because its printer does not report that.
 */
export function printDefinition(given: object, side: Side): JsonSchema | undefined {
  const unfit = isZod3(given) ? findUnfit(given, new Set()) : undefined;
  if (unfit !== undefined) throw new Error(`${unfit} cannot be represented in JSON Schema`);
  const printed = printLibrary(given, side);
  return isRecord(printed) ? (JSON.parse(JSON.stringify(printed)) as JsonSchema) : undefined;
}

/** Kinds of Zod 3 schemas whose values do not exist in JSON. */
const notJson = new Set(
  ["Date", "BigInt", "Map", "Set", "Symbol", "Function", "Undefined", "Void", "NaN", "Promise"].map(
    (name) => `Zod${name}`,
  ),
);

/** Returns the first part of a Zod 3 schema that JSON Schema cannot describe; undefined if there is none. */
function findUnfit(schema: Zod3, seen: Set<object>): string | undefined {
  if (seen.has(schema)) return undefined;
  seen.add(schema);
  // oxlint-disable-next-line no-underscore-dangle -- Zod's own name
  const { _def: definition } = schema;
  const { typeName, effect, shape, getter } = definition as Zod3Definition;
  if (notJson.has(typeName)) return typeName.slice(3);
  if (effect !== undefined && effect.type !== "refinement")
    return effect.type === "preprocess" ? "A preprocess" : "A transform";
  const parts = [...Object.values(definition), ...Object.values(shape?.() ?? {}), getter?.()].flat();
  for (const part of parts) {
    const unfit = isZod3(part) ? findUnfit(part, seen) : undefined;
    if (unfit !== undefined) return unfit;
  }
  return undefined;
}

interface Zod3Definition {
  readonly typeName: string;
  readonly effect?: { readonly type: string };
  readonly shape?: () => Readonly<Record<string, unknown>>;
  readonly getter?: () => unknown;
}

/** Those members of a Zod 3 schema that are used here. */
export interface Zod3 {
  readonly _def: { readonly typeName: string };
  safeParseAsync(value: unknown): Promise<{
    readonly success: boolean;
    readonly data?: unknown;
    readonly error?: { readonly issues: readonly Zod3Issue[] };
  }>;
}

export function isZod3(given: unknown): given is Zod3 {
  if (typeof given !== "object" || given === null || "_zod" in given || !("_def" in given)) return false;
  // oxlint-disable-next-line no-underscore-dangle -- Zod's own name
  const { _def: definition } = given;
  return isRecord(definition) && typeof definition["typeName"] === "string";
}

/** Whether a value can check others. A JSON Schema that Zod printed has the same member, but without a check. */
export function isStandardSchema(given: unknown): given is StandardSchema {
  return hasStandard(given) && typeof given["~standard"].validate === "function";
}

interface ArkType {
  toJsonSchema(): unknown;
}

export function isArkType(given: unknown): given is ArkType {
  const isHolder = (typeof given === "object" || typeof given === "function") && given !== null;
  return isHolder && typeof (given as Partial<ArkType>).toJsonSchema === "function" && "arkKind" in given;
}

interface Zod3Issue {
  readonly message: string;
  readonly path?: readonly unknown[] | undefined;
}
