import { createRequire } from "node:module";
import { messageOf } from "@toolmount/core/errors";
import { ToolmountError, type JsonSchema, type ToolSchema } from "@toolmount/core";
import { prepareSchema, requireJsonSchema } from "@toolmount/core/schemas";
import { z } from "zod";
import { isRecord } from "./guards.ts";
import { isArkType, isStandardSchema, isZod3, printLibrary, type Zod3 } from "./library-printers.ts";
import { repairSchema } from "./repair.ts";

// A schema is read synchronously, so Zod 3 is loaded by `require`, and only for a plain object whose members are schemas of Zod
// 3.
const require = createRequire(import.meta.url);

/** Mark of the AI SDK's own schemas. Source: provider-utils, schema.ts. */
export const aiSchemaMark = Symbol.for("vercel.ai.schema");

/** The schema of a tool of another library. */
export interface ForeignSchema {
  /** The schema by which the host checks arguments. */
  readonly schema: ToolSchema;
  /**
   * The library's own parse, called before the tool's work, for a schema that the host knows only in its printed form. Throws
   * {@link ArgumentsRefused}. Absent if the host's check uses the library's parse already.
   */
  readonly parse?: (value: unknown) => unknown;
}

/** The error for arguments that fit the printed schema, but that the library's own schema refuses. */
export class ArgumentsRefused extends Error {
  override readonly name = "ArgumentsRefused";
}

const empty: JsonSchema = { type: "object", properties: {} };

/**
 * Reads a schema of Zod 3 or 4, Valibot, ArkType, TypeBox, the AI SDK, a Standard Schema that prints JSON Schema, or plain JSON
 * Schema; `undefined` means no arguments. Throws `SCHEMA_NOT_JSON` for a schema that cannot be printed.
 */
export function readSchema(tool: string, given: unknown): ForeignSchema {
  if (given === undefined || given === null) return { schema: empty };
  if (typeof given === "function" && !isStandardSchema(given) && !isArkType(given))
    return readSchema(tool, (given as () => unknown)());
  if (isRecord(given) && aiSchemaMark in given) return readAiSchema(tool, given);
  if (isStandardSchema(given) || isZod3(given) || isArkType(given)) return readParser(tool, given);
  if (!isRecord(given)) return refuse(tool, `it is a ${typeof given}`);
  if (isRecord(given["jsonSchema"])) return { schema: repairSchema(given["jsonSchema"]).schema };
  if (isShape(given)) return readParser(tool, shapeToObject(given));
  return { schema: repairSchema(given).schema };
}

/** Reads a schema of `jsonSchema()` or `zodSchema()`, which has its JSON Schema; its `validate` is the library's parse. */
function readAiSchema(tool: string, given: Readonly<Record<string, unknown>>): ForeignSchema {
  const { jsonSchema, validate } = given;
  if (isRecord(jsonSchema) && typeof jsonSchema["then"] === "function")
    throw new ToolmountError("SCHEMA_NOT_JSON", { tool, problem: printedLater });
  if (!isRecord(jsonSchema)) return refuse(tool, "its jsonSchema is not an object");
  const schema = repairSchema(jsonSchema).schema;
  if (typeof validate !== "function") return { schema };
  const parse = async (value: unknown): Promise<unknown> => {
    const result = (await Reflect.apply(validate, given, [value])) as {
      readonly success: boolean;
      readonly value?: unknown;
      readonly error?: unknown;
    };
    if (result.success) return result.value;
    throw new ArgumentsRefused(messageOf(result.error));
  };
  return { schema, parse };
}

/**
 * Reads a schema of a library that can parse. If it prints the JSON Schema of what it accepts, the host checks with it
 * directly. Otherwise the host checks with a printed schema, and the library parses before the tool's work.
 */
function readParser(tool: string, given: object): ForeignSchema {
  if (isStandardSchema(given) && given["~standard"].jsonSchema !== undefined && isStable(tool, given))
    return { schema: given };
  return { schema: print(tool, given), parse: (value) => parseBy(given, value) };
}

function isStable(tool: string, schema: ToolSchema): boolean {
  try {
    requireJsonSchema(tool, prepareSchema(tool, schema, null));
    return true;
  } catch (error) {
    if (error instanceof ToolmountError && error.code === "SCHEMA_NOT_JSON") return false;
    throw error;
  }
}

async function parseBy(schema: object, value: unknown): Promise<unknown> {
  const standard = isStandardSchema(schema) ? schema["~standard"] : undefined;
  if (standard === undefined) {
    const parsed = await (schema as Zod3).safeParseAsync(value);
    if (parsed.success) return parsed.data;
    throw new ArgumentsRefused(sentences(parsed.error?.issues ?? []));
  }
  const result = await standard.validate(value);
  if (result.issues === undefined) return result.value;
  throw new ArgumentsRefused(sentences(result.issues));
}

interface Issue {
  readonly message: string;
  readonly path?: readonly unknown[] | undefined;
}

function sentences(issues: readonly Issue[]): string {
  return issues
    .slice(0, 10)
    .map(({ path = [], message }) => {
      const keys = path.map((part) => String(isRecord(part) ? part["key"] : part));
      return keys.length === 0 ? message : `${keys.join(".")}: ${message}`;
    })
    .join("; ");
}

/** Returns the JSON Schema of the values that a parser accepts. */
function print(tool: string, given: object): JsonSchema {
  try {
    const printed = printLibrary(given, "input");
    // Zod's printed schema has a member that would make it look like a Zod schema again; JSON drops it.
    if (isRecord(printed)) return JSON.parse(JSON.stringify(printed)) as JsonSchema;
  } catch (cause) {
    return refuse(tool, messageOf(cause), cause);
  }
  const { vendor } = (given as { "~standard"?: { vendor?: unknown } })["~standard"] ?? {};
  return refuse(
    tool,
    `its library${typeof vendor === "string" ? ` (${vendor})` : ""} cannot print JSON Schema`,
  );
}

/** Whether a value is a library's schema that can check values itself. */
export function isParser(given: unknown): boolean {
  return (
    isStandardSchema(given) || isZod3(given) || isArkType(given) || (isRecord(given) && aiSchemaMark in given)
  );
}

/** Whether a value is a plain object of Zod schemas, which MCP's SDK and Anthropic's agent SDK take as a schema. */
export function isShape(given: Readonly<Record<string, unknown>>): boolean {
  const values = Object.values(given);
  const isZod = (value: unknown) => isZod3(value) || (isStandardSchema(value) && "_zod" in value);
  return values.length > 0 && values.every(isZod);
}

/** Makes an object schema from a shape, with the library that made its members. */
function shapeToObject(shape: Readonly<Record<string, unknown>>): object {
  if (!Object.values(shape).some(isZod3)) return z.object(shape as z.ZodRawShape);
  const { z: z3 } = require("zod/v3") as { readonly z: { object(shape: object): object } };
  return z3.object(shape);
}

const printedLater =
  "its jsonSchema is a promise, and tools are read without waiting; wait for it in the module, and give the tool " +
  "jsonSchema(await schema.jsonSchema, schema)";

/** Advice for a person about a schema that cannot be printed. */
const howToPrint =
  "print it yourself and export the tool with that JSON Schema, or write the schema with Zod, Valibot or ArkType";

function refuse(tool: string, why: string, cause?: unknown): never {
  throw new ToolmountError("SCHEMA_NOT_JSON", { tool, problem: `${why}; ${howToPrint}` }, { cause });
}
