import { isDeepStrictEqual } from "node:util";
import { ToolmountError } from "../contract/errors.ts";
import { isRecord, type Json, type JsonSchema } from "../json/json.ts";
import { nearestNames } from "../text/nearest.ts";
import type { Issue, ParseResult } from "../contract/ports.ts";
import type { PreparedSchema } from "./schema.ts";

/** How a plan shows one argument of a tool to the model. The tool's own schema still has the last word. */
export interface ArgumentShape {
  readonly description?: string | undefined;
  /** Taken when the argument is not sent. */
  readonly default?: Json | undefined;
  /** Neither shown to the model nor taken from it: `value` stands in its place, else the default, else nothing. */
  readonly hidden?: boolean | undefined;
  readonly value?: Json | undefined;
}

/** Shapes by the name of the argument. */
export type ArgumentShapes = Readonly<Record<string, ArgumentShape>>;

/**
 * Shows other arguments than a schema declares, and puts in what is not shown before the schema parses.
 *
 * Throws `TOOL_INVALID` with the `argument` in its details: for one that the schema does not have, a value that it does not
 * take, and a hidden one that is required and has no value.
 */
export function reshapeArguments(
  tool: string,
  schema: PreparedSchema,
  shapes: ArgumentShapes,
): PreparedSchema {
  const declared = propertiesOf(schema.json);
  const defaults: Record<string, Json> = {};
  const fixed = new Map<string, Json | undefined>();
  for (const [name, shape] of Object.entries(shapes)) {
    if (!Object.hasOwn(declared, name)) refuseUnknown(tool, name, Object.keys(declared));
    const { hidden = false, value } = shape;
    if (value !== undefined && !hidden)
      refuse(tool, name, `"value" is for a hidden one; write "default", or add hidden: true`, "value");
    const own = isRecord(declared[name]) ? (declared[name]["default"] as Json | undefined) : undefined;
    const filled = value === undefined ? shape.default : value;
    if (filled !== undefined)
      requireFit(tool, schema, name, filled, value === undefined ? "default" : "value");
    const kept = filled === undefined ? own : filled;
    if (hidden) fixed.set(name, kept);
    else if (shape.default !== undefined) defaults[name] = shape.default;
    if (hidden && kept === undefined && requiredOf(schema.json).includes(name))
      refuse(tool, name, "it is required: a hidden argument needs a value");
  }
  const sent = Object.fromEntries([...fixed].filter(([, value]) => value !== undefined));
  return {
    json: show(schema.json, declared, shapes, defaults),
    parse: (value) => {
      if (!isRecord(value)) return schema.parse(value);
      const stray = [...fixed].filter(
        ([name, own]) => Object.hasOwn(value, name) && !isDeepStrictEqual(value[name], own),
      );
      if (stray.length > 0) return unrecognised(stray.map(([name]) => name));
      return schema.parse({ ...defaults, ...value, ...sent });
    },
  };
}

/** What a model may see. */
function show(
  json: JsonSchema,
  declared: Readonly<Record<string, unknown>>,
  shapes: ArgumentShapes,
  defaults: Readonly<Record<string, Json>>,
): JsonSchema {
  const isHidden = (name: string) => Object.hasOwn(shapes, name) && shapes[name]?.hidden === true;
  const properties = Object.entries(declared)
    .filter(([name]) => !isHidden(name))
    .map(([name, property]) => {
      const { description, default: filled } = (Object.hasOwn(shapes, name) ? shapes[name] : undefined) ?? {};
      const more = {
        ...(description !== undefined && { description }),
        ...(filled !== undefined && { default: filled }),
      };
      return [name, isRecord(property) ? { ...property, ...more } : property];
    });
  const required = requiredOf(json).filter((name) => !isHidden(name) && !Object.hasOwn(defaults, name));
  const { required: _, ...rest } = json;
  return {
    ...rest,
    properties: Object.fromEntries(properties) as Record<string, unknown>,
    ...(required.length > 0 && { required }),
  };
}

function propertiesOf(json: JsonSchema): Readonly<Record<string, unknown>> {
  return isRecord(json["properties"]) ? json["properties"] : {};
}

function requiredOf(json: JsonSchema): readonly string[] {
  const { required } = json as { readonly required?: unknown };
  return Array.isArray(required) ? required.filter((name) => typeof name === "string") : [];
}

/** Asynchronous schemas cannot be asked here; calls will tell. */
function requireFit(
  tool: string,
  { parse }: PreparedSchema,
  name: string,
  value: Json,
  member: string,
): void {
  const result = parse({ [name]: value });
  if (result instanceof Promise) return void result.catch(() => {});
  const issue = result.ok ? undefined : result.issues.find(({ path }) => path[0] === name);
  if (issue !== undefined) refuse(tool, name, `its ${member} does not fit: ${issue.message}`, member);
}

function unrecognised(names: readonly string[]): ParseResult {
  const issues = names.map((name): Issue => ({ path: [name], message: `Unrecognized key: "${name}"` }));
  return { ok: false, issues };
}

function refuseUnknown(tool: string, argument: string, known: readonly string[]): never {
  const [near] = nearestNames(argument, known);
  const hint =
    near === undefined ? `it takes: ${known.slice(0, 20).join(", ") || "none"}` : `did you mean "${near}"?`;
  throw new ToolmountError("TOOL_INVALID", {
    tool,
    argument,
    problem: `it has no argument "${argument.slice(0, 100)}"; ${hint}`,
  });
}

/** `member` is the part of the shape that is wrong. */
function refuse(tool: string, argument: string, problem: string, member?: string): never {
  throw new ToolmountError("TOOL_INVALID", {
    tool,
    argument,
    ...(member !== undefined && { member }),
    problem: `argument "${argument}": ${problem}`,
  });
}
