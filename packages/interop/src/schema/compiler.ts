import { createRequire } from "node:module";
import { messageOf } from "@toolmount/core/errors";
import type { CompiledSchema, JsonSchema, ParseResult, SchemaCompiler } from "@toolmount/core";
import { canonicalJson } from "@toolmount/core/json";
import type { Ajv, ErrorObject, Options, ValidateFunction } from "ajv";
import type * as Engines from "../carried/ajv.ts";
import { bindAsAptix, hasAptixBinding } from "./aptix-binding.ts";
import { isRecord } from "./guards.ts";
import { issuesOf } from "./issues.ts";
import { printDefinition } from "./library-printers.ts";
import { dropOptionalNulls } from "./optional-nulls.ts";
import { withoutIdleIds } from "./own-ids.ts";
import { isPlainSchema } from "./plain-schema.ts";
import { regexEngine } from "./regex-engine.ts";
import { requireModestSchema } from "./schema-work.ts";
import { countMembers, countSteps, TooManySteps, type StepBudget } from "./step-budget.ts";
import { prepareUndeclared } from "./undeclared.ts";
import { dropWrongDefaults } from "./wrong-defaults.ts";

// A schema is compiled synchronously, so ajv is loaded by `require` with the first schema; most hosts never need it.
const require = createRequire(import.meta.url);

/** Largest schema that is compiled, in characters of JSON. */
const maxSchemaLength = 500_000;

/** Number of members above which only the first fault of a value is reported, because each fault is an object. */
const maxMembersForAllFaults = 2_000;

const options: Options = {
  // Schemas from elsewhere have additional keywords, which only their authors understand.
  strict: false,
  strictNumbers: true,
  ownProperties: true,
  useDefaults: true,
  validateFormats: false,
  logger: false,
  code: { regExp: regexEngine },
  // A large part with many references would otherwise be compiled once for each of them.
  inlineRefs: 10,
};

/**
 * Makes the compiler of plain JSON Schemas, which uses ajv: draft-04 to draft-07 (as draft-07), 2019-09 and 2020-12. It
 * considers only own properties, refuses infinite numbers, does not check formats, and matches patterns in limited time.
 * References out of the schema are refused, and so is a schema that would compare one value with very many parts.
 */
export function createSchemaCompiler(): SchemaCompiler {
  const engines = new Map<string, Engine>();
  return {
    print: printDefinition,
    compile(schema) {
      requireModestSchema(schema);
      const text = JSON.stringify(schema);
      if (text.length > maxSchemaLength) throw new Error(`it has more than ${maxSchemaLength} characters`);
      // `$schema` only decides which engine compiles the schema. Ajv refuses the address of an edition that it does not have,
      // such as draft-04's.
      const { $schema: _, ...rest } = JSON.parse(text) as JsonSchema;
      if (text.includes('"$async"')) throw new Error('"$async" is not taken');
      const { schema: plain, hasIds } = withoutIdleIds(rest, text);
      const isPlain = isPlainSchema(plain);
      const needs = { tracks: text.includes('"unevaluated'), isPlain };
      const engineOf = engineFor(hasIds ? new Map() : engines, dialectOf(schema), needs);
      const prepare = () => prepareParser({ schema, text, plain }, engineOf);
      // A plain schema cannot be wrong, so it is compiled only at the first call.
      return isPlain && !hasAptixBinding(schema) ? late(prepare) : prepare();
    },
  };
}

function late(prepare: () => CompiledSchema): CompiledSchema {
  let made: CompiledSchema | undefined;
  return Object.assign((value: unknown) => (made ??= prepare())(value), { isExact: true });
}

interface Engine {
  readonly ajv: Ajv;
  readonly budget: StepBudget;
}

type Dialect = "07" | "2019" | "2020";
/** The faults that a check reports: only the first one, or all. */
type Faults = "first" | "all";

/**
 * Returns the edition of a schema: the one that it names, else the one whose keywords it uses, else 2020-12, as in MCP.
 */
function dialectOf(schema: JsonSchema): Dialect {
  const said = typeof schema["$schema"] === "string" ? schema["$schema"] : "";
  if (said.includes("2020-12")) return "2020";
  if (said.includes("2019-09")) return "2019";
  if (/draft-0[4-7]/.test(said) || (said === "" && usesOldTuples(schema))) return "07";
  if (said !== "" && !said.startsWith("http://json-schema.org/schema"))
    throw new Error(
      `"$schema" is ${JSON.stringify(said.slice(0, 100))}; known are draft-07, 2019-09 and 2020-12`,
    );
  return "2020";
}

/** Whether a schema has a list under `items`, which is not allowed any more after 2019-09. */
function usesOldTuples(node: unknown, depth = 0): boolean {
  if (typeof node !== "object" || node === null || depth > 30) return false;
  return Object.entries(node).some(
    ([key, value]) => (key === "items" && Array.isArray(value)) || usesOldTuples(value, depth + 1),
  );
}

interface Needs {
  /** Whether the engine tracks evaluated members, which only some schemas need. */
  readonly tracks: boolean;
  /** Whether the schema is plain, and so need not be checked itself. */
  readonly isPlain: boolean;
}

/** Returns a function that makes an engine of a dialect when it is first needed. */
function engineFor(made: Map<string, Engine>, dialect: Dialect, needs: Needs): (faults: Faults) => Engine {
  return (faults) => {
    const name = `${dialect} ${faults} ${needs.tracks} ${needs.isPlain}`;
    const engine = made.get(name) ?? makeEngine(dialect, faults, needs);
    made.set(name, engine);
    return engine;
  };
}

function loadEngine(dialect: Dialect): new (options: Options) => Ajv {
  const { Ajv: Ajv07, Ajv2019, Ajv2020 } = require("#ajv") as typeof Engines;
  return { "07": Ajv07, "2019": Ajv2019, "2020": Ajv2020 }[dialect];
}

function makeEngine(dialect: Dialect, faults: Faults, { tracks, isPlain }: Needs): Engine {
  const Engine = loadEngine(dialect);
  // A schema itself is checked once, by the engine that reports the first fault, because compiling that check takes 50 ms.
  const validateSchema = faults === "first" && !isPlain;
  const ajv = new Engine({ ...options, allErrors: faults === "all", validateSchema });
  // To track what is evaluated, which only `unevaluated…` keywords need, a check looks at every part of a union. Ajv does so
  // for these dialects by default.
  if (!tracks) ajv.opts.unevaluated = false;
  // The older word for "$id", which libraries also write for a name; ajv would throw for it.
  ajv.removeKeyword("id");
  ajv.removeKeyword("uniqueItems");
  // Ajv compares each item with every other; here the items' texts are collected in a set.
  ajv.addKeyword({
    keyword: "uniqueItems",
    type: "array",
    schemaType: "boolean",
    error: { message: "must not have the same item twice" },
    validate: (asked: boolean, items: readonly unknown[]) =>
      !asked || new Set(items.map(canonicalJson)).size === items.length,
  });
  return { ajv, budget: countSteps(ajv, require("#ajv") as typeof Engines) };
}

/** A schema as it was given, as JSON text, and as that text is parsed again. */
interface WrittenSchema {
  readonly schema: JsonSchema;
  readonly text: string;
  readonly plain: JsonSchema;
}

function prepareParser(written: WrittenSchema, engineOf: (faults: Faults) => Engine): CompiledSchema {
  const { schema, plain, text } = written;
  // Of such an argument, a model often sends the null that its definition shows.
  const nullIsDefault = text.includes('"default":null');
  const engine = engineOf("first");
  const check = compileWith(engine, plain, text.includes('"default"'));
  // The check for all faults is compiled when a value first fails, which never happens for most schemas of most hosts.
  let checkAll: ValidateFunction | undefined;
  const prepare = preparation(written);
  const undeclared = prepareUndeclared(plain);
  return (given) => {
    const value = prepare(given);
    const isValid = attempt(check, value, engine);
    if (isValid === null) return { ok: false, issues: [tooComplex] };
    if (isValid) return accepted(value, undeclared);
    const meant = nullIsDefault ? prepare(dropOptionalNulls(given, schema, hasNullAsDefault)) : value;
    if (meant !== value && attempt(check, meant, engine)) return accepted(meant, undeclared);
    if (countMembers(value, maxMembersForAllFaults) >= maxMembersForAllFaults) return refused(check);
    checkAll ??= compileWith(engineOf("all"), plain);
    return attempt(checkAll, prepare(given), engineOf("all")) === null ? refused(check) : refused(checkAll);
  };
}

function hasNullAsDefault(schema: unknown): boolean {
  return isRecord(schema) && schema["default"] === null;
}

const tooComplex = {
  path: [],
  message: "the value cannot be checked: its schema refers to itself too often for a value of this form",
};

/** Checks a value; returns null if that takes too many steps, or deeper recursion than the stack allows. */
function attempt(check: (value: unknown) => unknown, value: unknown, { budget }: Engine): boolean | null {
  try {
    return budget.limit(value, () => check(value) === true);
  } catch (error) {
    if (error instanceof TooManySteps || error instanceof RangeError) return null;
    throw error;
  }
}

function refused({ errors }: ValidateFunction): ParseResult {
  return { ok: false, issues: issuesOf((errors ?? []) as readonly ErrorObject[]) };
}

/**
 * Compiles a schema and then removes it, because other schemas must not find its `$id`. With `hasDefaults`, it first loses those
 * that it refuses itself.
 */
function compileWith(engine: Engine, schema: JsonSchema, hasDefaults = false): ValidateFunction {
  const { ajv } = engine;
  try {
    if (hasDefaults) dropWrongDefaults(schema, ajv, (check, value) => attempt(check, value, engine) === true);
    return ajv.compile(schema);
  } catch (cause) {
    const problem = messageOf(cause);
    throw new Error(problem.slice(0, 500), { cause });
  } finally {
    ajv.removeSchema(schema);
  }
}

function accepted(value: unknown, undeclared: ((value: object) => readonly string[]) | null): ParseResult {
  const record = value as Readonly<Record<string, unknown>>;
  const warnings = undeclared === null || !isRecord(value) ? [] : undeclared(value);
  return warnings.length === 0 ? { ok: true, value: record } : { ok: true, value: record, warnings };
}

/** Makes the function that prepares a value for its check. It writes defaults into a copy, never into the given value. */
function preparation({ schema, text, plain }: WrittenSchema): (value: unknown) => unknown {
  const names = isRecord(plain["properties"]) ? Object.keys(plain["properties"]) : [];
  const bare = names.some((name) => name in Object.prototype);
  const binds = hasAptixBinding(schema);
  const copies = text.includes('"default"');
  if (!bare && !binds && !copies) return (value) => value;
  return (given) => {
    const value = binds ? bindAsAptix(given, plain) : given;
    const copy = copies ? structuredClone(value) : value;
    return bare && isRecord(copy) ? Object.assign(Object.create(null) as object, copy) : copy;
  };
}
