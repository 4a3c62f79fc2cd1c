import { isDeepStrictEqual } from "node:util";
import { ToolmountError } from "../contract/errors.ts";
import type { ArgumentOverrides } from "../contract/host.ts";
import { isRecord, type Json, type JsonSchema } from "../json/json.ts";
import { nearestNames } from "../text/nearest.ts";
import type { Issue, ParseResult } from "../contract/ports.ts";
import type { PreparedSchema } from "./schema.ts";

/** Applies a plan's overrides to arguments before the tool's schema parses them. Throws `TOOL_INVALID` with the `argument`. */
export function overrideArguments(
  tool: string,
  schema: PreparedSchema,
  overrides: ArgumentOverrides,
): PreparedSchema {
  const declared = propertiesOf(schema.json);
  const defaults: Record<string, Json> = {};
  const fixed = new Map<string, Json | undefined>();
  for (const [name, override] of Object.entries(overrides)) {
    if (!Object.hasOwn(declared, name)) refuseUnknown(tool, name, Object.keys(declared));
    const { hidden = false, default: filled } = override;
    const own = isRecord(declared[name]) ? (declared[name]["default"] as Json | undefined) : undefined;
    if (filled !== undefined) requireFit(tool, schema, name, filled);
    const kept = filled === undefined ? own : filled;
    if (hidden) fixed.set(name, kept);
    else if (filled !== undefined) defaults[name] = filled;
    if (hidden && kept === undefined && requiredOf(schema.json).includes(name))
      refuse(tool, name, "it is required: a hidden argument needs a default");
  }
  const sent = Object.fromEntries([...fixed].filter(([, value]) => value !== undefined));
  return {
    json: publicSchema(schema.json, declared, overrides, defaults),
    isPlain: false,
    parse: (value) => {
      if (!isRecord(value)) return schema.parse(value);
      const stray = [...fixed].filter(
        ([name, own]) => Object.hasOwn(value, name) && !isDeepStrictEqual(value[name], own),
      );
      if (stray.length > 0) return unrecognized(stray.map(([name]) => name));
      return schema.parse({ ...defaults, ...value, ...sent });
    },
  };
}

function publicSchema(
  json: JsonSchema,
  declared: Readonly<Record<string, unknown>>,
  overrides: ArgumentOverrides,
  defaults: Readonly<Record<string, Json>>,
): JsonSchema {
  const isHidden = (name: string) => Object.hasOwn(overrides, name) && overrides[name]?.hidden === true;
  const properties = Object.entries(declared)
    .filter(([name]) => !isHidden(name))
    .map(([name, property]) => {
      const { description, default: filled } =
        (Object.hasOwn(overrides, name) ? overrides[name] : undefined) ?? {};
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

/** Checks a default value. If the schema is asynchronous, only the first call reports a value that does not fit. */
function requireFit(tool: string, { parse }: PreparedSchema, name: string, value: Json): void {
  const result = parse({ [name]: value });
  if (result instanceof Promise) return void result.catch(() => {});
  const issue = result.ok ? undefined : result.issues.find(({ path }) => path[0] === name);
  if (issue !== undefined) refuse(tool, name, `its default does not fit: ${issue.message}`, "default");
}

function unrecognized(names: readonly string[]): ParseResult {
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

/** Throws `TOOL_INVALID`. `member` is the part of the override that is wrong. */
function refuse(tool: string, argument: string, problem: string, member?: string): never {
  throw new ToolmountError("TOOL_INVALID", {
    tool,
    argument,
    ...(member !== undefined && { member }),
    problem: `argument "${argument}": ${problem}`,
  });
}
