import type { ParseResult } from "../contract/ports.ts";
import type { StandardSchema } from "../contract/standard-schema.ts";
import { issuesOf } from "./issues.ts";
import { plainWords } from "./plain-rule.ts";

/** The methods of a Zod schema that are faster than the Standard Schema interface. */
interface SafeParser {
  safeParse(value: unknown, words?: typeof plainWords): ZodResult;
  safeParseAsync(value: unknown, words?: typeof plainWords): Promise<ZodResult>;
  meta?(): Readonly<Record<string, unknown>> | undefined;
  /** What Zod offers to libraries: https://zod.dev/library-authors */
  readonly _zod: {
    readonly def: Readonly<Record<string, unknown>>;
    /** The schema from which this schema was made. */
    readonly parent?: SafeParser;
    readonly toJSONSchema?: () => unknown;
    run(payload: ZodPayload, context: { readonly async: boolean }): ZodPayload | Promise<ZodPayload>;
  };
}

interface ZodPayload {
  readonly value: unknown;
  readonly issues: unknown[];
}

type ZodResult =
  | { success: true; data: unknown }
  | { success: false; error: { issues: readonly { path: readonly PropertyKey[]; message: string }[] } };

type Parse = (value: unknown) => ParseResult | Promise<ParseResult>;

export function isZod(schema: object): schema is SafeParser {
  return "_zod" in schema && typeof (schema as Partial<SafeParser>).safeParse === "function";
}

/** Returns the parser of a Zod schema of these kinds. It is synchronous, unless a function of the author is asynchronous. */
export function zodParser(schema: SafeParser, kinds: ReadonlySet<unknown>): Parse {
  const callsAuthor = [...kinds].some((kind) => withFunctions.has(kind));
  if (callsAuthor) return carefulParser(schema);
  return (value) => {
    const result = schema.safeParse(value);
    return result.success
      ? { ok: true, value: result.data as Record<string, unknown> }
      : settleZod(schema.safeParse(value, plainWords));
  };
}

function settleZod(result: ReturnType<SafeParser["safeParse"]>): ParseResult {
  return result.success
    ? { ok: true, value: result.data as Record<string, unknown> }
    : { ok: false, issues: issuesOf(result.error.issues) };
}

/**
 * Makes the parser for a schema with functions of its author. Zod's synchronous parser starts an asynchronous function, then
 * throws: its promise is lost, and ends the process when it rejects. So the asynchronous mode runs first, which returns
 * a promise only if a function does. A second parse makes the issues of a refused value.
 */
function carefulParser(schema: SafeParser): Parse {
  let isAsync = false;
  return (value) => {
    if (isAsync) return schema.safeParseAsync(value, plainWords).then(settleZod);
    // oxlint-disable-next-line no-underscore-dangle -- Zod's own name
    const result = schema._zod.run({ value, issues: [] }, { async: true });
    if (!(result instanceof Promise))
      return result.issues.length === 0
        ? { ok: true, value: result.value as Record<string, unknown> }
        : settleZod(schema.safeParse(value, plainWords));
    isAsync = true;
    return result.then((parsed): ParseResult | Promise<ParseResult> =>
      parsed.issues.length === 0
        ? { ok: true, value: parsed.value as Record<string, unknown> }
        : schema.safeParseAsync(value, plainWords).then(settleZod),
    );
  };
}

/** Validates with a Standard Schema. The issues of a Zod schema are in our words. */
export async function validateStandard(
  schema: StandardSchema,
  value: unknown,
): Promise<Awaited<ReturnType<StandardSchema["~standard"]["validate"]>>> {
  if (!isZod(schema)) return schema["~standard"].validate(value);
  const result = await schema.safeParseAsync(value, plainWords);
  return result.success ? { value: result.data } : { issues: result.error.issues };
}

/** Kinds of Zod schemas and checks that call functions of their author. */
const withFunctions: ReadonlySet<unknown> = new Set(["custom", "transform", "pipe", "function", "promise"]);

/** Kinds that return the JSON that they print. A schema of only these needs no probes, which are half of the cost of a mount. */
const plainKinds: ReadonlySet<unknown> = new Set(
  "object string number int boolean null enum literal array tuple record union intersection optional nullable default any unknown never readonly lazy greater_than less_than multiple_of min_length max_length length_equals number_format string_format odd".split(
    " ",
  ),
);

/** Whether a Zod schema of these kinds accepts and returns exactly the JSON that it prints. */
export function arePlain(kinds: ReadonlySet<unknown>): boolean {
  return [...kinds].every((kind) => plainKinds.has(kind));
}

/** Facts of a Zod schema: its kinds, with `odd` if Zod may refuse to print it, and its texts, at least all that it prints. */
interface ZodParts {
  readonly kinds: Set<unknown>;
  readonly texts: string[];
  /** Number of schemas that Zod prints. A schema that is used twice is printed twice. */
  readonly size: number;
}

export function partsOf(schema: object): ZodParts {
  const parts = { kinds: new Set<unknown>(), texts: [] as string[] };
  return { ...parts, size: addParts(schema, parts, new Map()) };
}

/** Counts the schemas in a Zod schema. A schema that is used twice counts twice. */
export function zodSize(schema: object): number {
  return partsOf(schema).size;
}

function addParts(node: unknown, parts: Omit<ZodParts, "size">, sizes: Map<object, number>): number {
  if (typeof node === "string" && !plainKinds.has(node)) parts.texts.push(node);
  if (typeof node !== "object" || node === null) return 0;
  const known = sizes.get(node);
  if (known !== undefined) return known;
  // The size counts as 0 while the parts of the node are visited, because a schema in itself is printed as a reference.
  sizes.set(node, 0);
  const { _zod: zod } = node as Partial<SafeParser>;
  if (zod === undefined) addKeys(node, parts);
  else addKinds(node as SafeParser, parts);
  let size = zod === undefined ? 0 : 1;
  const { getter } = zod?.def ?? {};
  if (typeof getter === "function") size += addParts((getter as () => unknown)(), parts, sizes);
  for (const member of Object.values(zod?.def ?? node)) size += addParts(member, parts, sizes);
  sizes.set(node, size);
  return size;
}

function addKeys(node: object, { kinds, texts }: Omit<ZodParts, "size">): void {
  if (node instanceof RegExp) texts.push(node.source);
  if (!Array.isArray(node)) texts.push(...Object.keys(node));
  // The text of a symbol has parentheses; letters outside of ASCII may look like ASCII letters.
  const isPlain = (key: PropertyKey) =>
    !(key in Object.prototype) && /^[\x20-\x27\x2a-\x7e]*$/.test(String(key));
  if (!Reflect.ownKeys(node).every(isPlain)) kinds.add("odd");
}

function addKinds(schema: SafeParser, { kinds, texts }: Omit<ZodParts, "size">): void {
  const { _zod: zod } = schema;
  const { type, check, coerce } = zod.def;
  for (const kind of [type, check, coerce === true && "coerce"])
    if (typeof kind === "string") kinds.add(kind);
  if (oddKinds.has(type) || oddKinds.has(check) || (type !== undefined && isOdd(schema, texts)))
    kinds.add("odd");
}

/** Plain kinds that Zod refuses to print for some values. */
const oddKinds: ReadonlySet<unknown> = new Set("tuple record intersection lazy multiple_of".split(" "));

/** Whether a schema has a value that is not JSON, metadata other than title and description, or its own printer. */
function isOdd(schema: SafeParser, texts: string[]): boolean {
  const { _zod: zod } = schema;
  const { def, parent, toJSONSchema } = zod;
  const { title = "", description = "", ...others } = schema.meta?.() ?? {};
  texts.push(String(title), String(description));
  const values = [title, description, ...((def["values"] as unknown[] | undefined) ?? [])];
  if ("defaultValue" in def) values.push(def["defaultValue"]);
  const isJson = (value: unknown) => value === null || ["string", "number", "boolean"].includes(typeof value);
  if (schema.meta === undefined || toJSONSchema !== undefined || !values.every(isJson)) return true;
  // A schema inherits the metadata, except for the id, of the schema from which it was made.
  return Object.keys(others).length > 0 || (parent !== undefined && isOdd(parent, []));
}
