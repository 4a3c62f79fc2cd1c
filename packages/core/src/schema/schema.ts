import { messageOf, ToolmountError } from "../contract/errors.ts";
import { failure, type PartialResult } from "../contract/result.ts";
import { isRecord, type JsonSchema } from "../json/json.ts";
import type { Issue, ParseResult, SchemaCompiler } from "../contract/ports.ts";
import { formatPath, issuesOf } from "./issues.ts";
import { arePlain, isZod, partsOf, zodParser } from "./zod-parser.ts";
import { isStandardSchema, type StandardSchema, type ToolSchema } from "../contract/standard-schema.ts";

/** A schema as the host uses it: its JSON Schema and its parser. */
export interface PreparedSchema {
  /** The JSON Schema. It is printed once, and if `texts` is given, only at its first use. */
  readonly json: JsonSchema;
  /** All texts of `json`, and perhaps more. If given, `json` describes an object. */
  readonly texts?: readonly string[];
  /** Parses a value. It is asynchronous only for schemas with asynchronous refinements. */
  readonly parse: (value: unknown) => ParseResult | Promise<ParseResult>;
  /** Whether the parser is known to accept and return exactly the JSON that `json` describes. */
  readonly isPlain: boolean;
}

/** Prints a schema as JSON Schema and creates its parser. Throws `SCHEMA_NOT_JSON`, `TOOL_INVALID` or `EXTENSION_MISSING`. */
export function prepareSchema(
  tool: string,
  schema: ToolSchema,
  compiler: SchemaCompiler | null,
): PreparedSchema {
  requireSchema(tool, schema);
  if (isStandardSchema(schema)) return prepareStandard(tool, schema, compiler);
  return prepareJsonSchema(tool, schema, compiler);
}

/** Returns a schema's parser for a tool without a host, where the schema need not be printable as JSON Schema. */
export function parserAlone(tool: string, schema: ToolSchema): PreparedSchema["parse"] {
  requireSchema(tool, schema);
  const isPrinted = !isStandardSchema(schema) || schema["~standard"].jsonSchema !== undefined;
  return isPrinted ? prepareSchema(tool, schema, null).parse : slowParser(schema);
}

/** Names under which other libraries keep the schema of the arguments. */
const otherNames = ["inputSchema", "input_schema", "parameters", "args", "arguments"] as const;

/** Keywords of JSON Schema. Every schema that is not empty has one of them. */
const keyword =
  /^(?:\$.*|x-.*|type|properties|required|additionalProperties|patternProperties|propertyNames|(?:any|one|all)Of|not|if|enum|const|title|description|default|examples|items|(?:min|max)Properties|definitions|dependen.*|unevaluated.*)$/;

/** Throws `TOOL_INVALID` with a hint if a schema is missing, or is neither a library's schema nor JSON Schema. */
export function requireSchema(tool: string, schema: unknown, definition: object = {}): void {
  const refuse = (problem: string): never => {
    throw new ToolmountError("TOOL_INVALID", { tool: String(tool).slice(0, 128), problem });
  };
  if (schema === undefined) {
    const other = otherNames.find((name) => name in definition);
    return refuse(
      other === undefined ? "it has no schema" : `it has no schema; did you mean schema: …, for ${other}?`,
    );
  }
  if (isStandardSchema(schema)) return;
  if (!isRecord(schema)) return refuse("its schema is not an object");
  const keys = Object.keys(schema);
  if (keys.length === 0 || keys.some((key) => keyword.test(key))) return;
  const shown = keys.slice(0, 3).join(", ");
  refuse(
    `its schema is neither Zod's nor JSON Schema: it has only ${shown}; write z.object({ ${keys[0]}: z.string() }), or { type: "object", properties: { ${keys[0]}: { type: "string" } } }`,
  );
}

function prepareJsonSchema(
  tool: string,
  schema: JsonSchema,
  compiler: SchemaCompiler | null,
): PreparedSchema {
  if (compiler === null) throw compilerMissing(`the JSON Schema of "${tool}"`);
  try {
    const parse = compiler.compile(schema);
    return { json: schema, parse, isPlain: parse.isExact === true };
  } catch (cause) {
    throw new ToolmountError(
      "TOOL_INVALID",
      { tool, problem: `its schema is not valid: ${messageOf(cause)}` },
      { cause },
    );
  }
}

function compilerMissing(what: string): ToolmountError {
  const module = "@toolmount/interop";
  return new ToolmountError("EXTENSION_MISSING", { what, module, install: `npm install ${module}` });
}

/** Maximum number of parts that a schema may print as. Even a few objects can exceed it, if they are used repeatedly. */
const maxParts = 100_000;

function prepareStandard(
  tool: string,
  schema: StandardSchema,
  compiler: SchemaCompiler | null,
): PreparedSchema {
  const zod = isZod(schema) ? { schema, ...partsOf(schema) } : null;
  if (zod !== null && zod.size > maxParts) {
    const problem = `its schema prints as more than ${maxParts} parts: a part that is used twice is printed twice`;
    throw new ToolmountError("TOOL_INVALID", { tool, problem });
  }
  const isPlain = zod !== null && arePlain(zod.kinds);
  const parse = zod === null ? slowParser(schema) : zodParser(zod.schema, zod.kinds);
  let printed: JsonSchema | undefined;
  const print = () => (printed ??= printSchema(tool, schema, "input", compiler));
  if (isPlain && !zod.kinds.has("odd") && (schema as { type?: unknown }).type === "object")
    return Object.defineProperty({ json: {}, parse, isPlain, texts: zod.texts }, "json", { get: print });
  if (!isPlain) requireSameTypes(tool, print(), printSchema(tool, schema, "output", compiler), "");
  return { json: print(), parse: guardPrototypeNames(print(), parse), isPlain };
}

function printSchema(
  tool: string,
  schema: StandardSchema,
  side: "input" | "output",
  compiler: SchemaCompiler | null,
): JsonSchema {
  const { jsonSchema: printer, vendor } = schema["~standard"];
  if (printer === undefined && compiler === null)
    throw compilerMissing(`the schema of "${tool}", of ${vendor},`);
  let printed: Readonly<Record<string, unknown>> | undefined;
  try {
    printed = printer?.[side]({ target: "draft-2020-12" }) ?? compiler?.print?.(schema, side);
  } catch (cause) {
    throw new ToolmountError("SCHEMA_NOT_JSON", { tool, problem: messageOf(cause) }, { cause });
  }
  if (printed === undefined)
    throw new ToolmountError("SCHEMA_NOT_JSON", {
      tool,
      problem: `its library (${vendor}) cannot print JSON Schema`,
    });
  const { $schema: _, ...rest } = printed;
  return withoutSafeIntegerBounds(rest) as JsonSchema;
}

/** Removes the range of safe integers that Zod prints for every integer: it costs tokens and is of no use to a model. */
function withoutSafeIntegerBounds(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(withoutSafeIntegerBounds);
  if (!isRecord(node)) return node;
  const copy: Record<string, unknown> = { ...node };
  if (copy["minimum"] === Number.MIN_SAFE_INTEGER) delete copy["minimum"];
  if (copy["maximum"] === Number.MAX_SAFE_INTEGER) delete copy["maximum"];
  for (const [key, value] of Object.entries(copy))
    if (typeof value === "object") copy[key] = withoutSafeIntegerBounds(value);
  return copy;
}

/** Throws `SCHEMA_NOT_JSON` if input and output have different types, as with a pipe or a codec. */
function requireSameTypes(tool: string, input: JsonSchema, output: JsonSchema, path: string): void {
  // Compared as text, because the type of a value that may be null is printed as a list of two types.
  if (String(input["type"]) !== String(output["type"]))
    throw new ToolmountError("SCHEMA_NOT_JSON", {
      tool,
      problem: `${path === "" ? "it" : `"${path}"`} takes ${String(input["type"])} and returns ${String(output["type"])}`,
    });
  for (const [key, inner, outer] of childrenOf(input, output))
    requireSameTypes(tool, inner, outer, path === "" ? key : `${path}.${key}`);
}

function* childrenOf(input: JsonSchema, output: JsonSchema): Generator<[string, JsonSchema, JsonSchema]> {
  const given = input["properties"];
  const made = output["properties"];
  if (isRecord(given) && isRecord(made))
    for (const key of Object.keys(given))
      if (isRecord(given[key]) && isRecord(made[key])) yield [key, given[key], made[key]];
  if (isRecord(input["items"]) && isRecord(output["items"])) yield ["[]", input["items"], output["items"]];
}

function slowParser(schema: StandardSchema): PreparedSchema["parse"] {
  return (value) => {
    const result = schema["~standard"].validate(value);
    return result instanceof Promise ? result.then(settleStandard) : settleStandard(result);
  };
}

function settleStandard(result: Awaited<ReturnType<StandardSchema["~standard"]["validate"]>>): ParseResult {
  return result.issues === undefined
    ? { ok: true, value: result.value as Record<string, unknown> }
    : { ok: false, issues: issuesOf(result.issues) };
}

/** Passes a copy without a prototype to the parser: Zod would read an absent key such as `constructor` from the prototype. */
function guardPrototypeNames(json: JsonSchema, parse: PreparedSchema["parse"]): PreparedSchema["parse"] {
  const declared = isRecord(json["properties"]) ? Object.keys(json["properties"]) : [];
  if (!declared.some((key) => key in Object.prototype)) return parse;
  return (value) => parse(isRecord(value) ? Object.assign(Object.create(null) as object, value) : value);
}

export function issueSentence({ path, message }: Issue): string {
  const last = path.at(-1);
  if (message.startsWith(`${formatPath(path)} `)) return message;
  return last === undefined || names(message, String(last)) ? message : `${formatPath(path)}: ${message}`;
}

/** Whether a sentence names a key: in quotes, or as a word of more than two characters. */
function names(sentence: string, key: string): boolean {
  if ([`'${key}'`, `"${key}"`, `\`${key}\``].some((quoted) => sentence.includes(quoted))) return true;
  const words = sentence.toLowerCase().split(/[^a-z0-9_]+/);
  return key.length > 2 && words.includes(key.toLowerCase());
}

/** Longest error text that reaches a model, in characters. */
const maxText = 8_000;

/** Returns the failure for arguments that do not fit the schema. A single issue is the error itself; several form a list. */
export function invalidArguments(issues: readonly Issue[]): PartialResult<never> {
  const sentences = issues.map(issueSentence);
  const error = sentences.length === 1 ? sentences[0]! : `invalid arguments: ${sentences.join("; ")}`;
  return failure(error.slice(0, maxText), {
    code: "INVALID_ARGUMENTS",
    details: { issues: issues.map(({ path, message }) => ({ path: formatPath(path), message })) },
  });
}
