import { isDeepStrictEqual } from "node:util";
import { messageOf, ToolmountError } from "@toolmount/core/errors";
import type { InvokeResult } from "./envelope.ts";
import { isRecord } from "../schema/guards.ts";

/** A tool's class in Aptix's form: the class has constants and a schema, its instances do the work. */
export interface AptixClass {
  new (...services: unknown[]): AptixInstance;
  readonly name: string;
  readonly ToolName?: unknown;
  readonly ToolUsageMetadata?: unknown;
  readonly ToolSummary?: unknown;
  readonly inject?: unknown;
  GetSchema?(): unknown;
}

export interface AptixInstance {
  readonly Name?: unknown;
  readonly IsToolFullyExecutedOnServer?: unknown;
  ExecuteAsync(argumentsJson: string, context: unknown, signal?: AbortSignal): unknown;
}

/** The ids of a call, in the form in which Aptix's tools read them. */
export interface AgentToolExecutionContext {
  readonly SessionId: string | null;
  readonly UserId: string | null;
  readonly Request: { readonly ConversationId: string | null };
}

/** The instance of an Aptix tool, which its class implements. */
export interface IAgentTool {
  readonly Name: string;
  readonly IsToolFullyExecutedOnServer: boolean;
  ExecuteAsync(
    argumentsJson: string,
    context: AgentToolExecutionContext,
    cancellationToken?: AbortSignal,
  ): Promise<InvokeResult>;
}

/** A rule that a tool breaks. The id `rule` does not change between versions. */
export interface Breach {
  readonly rule: string;
  readonly problem: string;
  /** The error that the tool threw, if there is one. */
  readonly cause?: unknown;
}

/** Returns the class of a mounted thing: the thing itself, or the class of the instance. Null for other things. */
export function aptixClassOf(thing: unknown): AptixClass | null {
  if (typeof thing === "function") return looksAptix(thing) ? (thing as unknown as AptixClass) : null;
  if (typeof thing !== "object" || thing === null) return null;
  if (typeof (thing as Partial<AptixInstance>).ExecuteAsync !== "function") return null;
  const { constructor } = thing as { constructor?: unknown };
  return (typeof constructor === "function" ? constructor : Object) as unknown as AptixClass;
}

/** Whether a function has one of the members of Aptix's tool classes, and so is meant as one, even if it is malformed. */
function looksAptix(thing: object): boolean {
  const { prototype } = thing as { prototype?: Partial<AptixInstance> };
  const marks = ["ToolName", "ToolUsageMetadata", "GetSchema"].some((name) => Object.hasOwn(thing, name));
  return marks || typeof prototype?.ExecuteAsync === "function";
}

/** A schema in Aptix's form, which is OpenAI's function tool object. */
export interface AptixSchema {
  readonly type: "function";
  readonly name: string;
  readonly description: string;
  readonly parameters: Readonly<Record<string, unknown>>;
}

/**
 * Checks a class by the rules of Aptix's registry (T11 §2, A5 §2, §7): constants, names, schema. The list is empty if the tool
 * may be registered.
 */
export function inspectAptixClass(type: AptixClass): readonly Breach[] {
  return [
    ...constant(type, "ToolName", "tool_name_constant"),
    ...constant(type, "ToolUsageMetadata", "usage_constant"),
    ...nameRules(type.ToolName),
    ...schemaRules(type),
  ];
}

/** Throws `TOOL_INVALID` with the broken rules, if there are any. */
export function refuse(type: AptixClass, breaches: readonly Breach[]): void {
  if (breaches.length > 0) throw refusal(type, breaches);
}

/** Returns the error for a class that breaks rules. */
export function refusal(type: AptixClass, breaches: readonly Breach[]): ToolmountError {
  const tool = typeof type.ToolName === "string" && type.ToolName !== "" ? type.ToolName : type.name;
  const details = {
    tool: tool.slice(0, 128),
    problem: breaches.map(({ problem }) => problem).join("; "),
    rule: breaches[0]!.rule,
    rules: breaches.map(({ rule }) => rule),
  };
  return new ToolmountError("TOOL_INVALID", details, { cause: breaches[0]!.cause });
}

function constant(
  type: AptixClass,
  member: "ToolName" | "ToolUsageMetadata",
  rule: string,
): readonly Breach[] {
  const own = Object.getOwnPropertyDescriptor(type, member);
  if (own === undefined) return [{ rule, problem: `it has no static ${member}` }];
  if (!("value" in own)) return [{ rule, problem: `its ${member} is computed; it must be a constant field` }];
  return typeof own.value === "string" && own.value.trim() !== ""
    ? []
    : [{ rule, problem: `its ${member} is empty` }];
}

function* nameRules(name: unknown): Generator<Breach> {
  if (typeof name !== "string" || name.trim() === "") return;
  if (!/^[a-zA-Z0-9_-]{1,64}$/.test(name))
    yield {
      rule: "name_grammar",
      problem: `its ToolName ${JSON.stringify(name.slice(0, 128))} has other signs than letters, digits, _ and -, or more than 64`,
    };
  else if (!/^[a-z][a-z0-9]*(_[a-z0-9]+)*$/.test(name))
    yield {
      rule: "name_snake_case",
      problem: `its ToolName ${JSON.stringify(name)} is not lower snake case`,
    };
}

function* schemaRules(type: AptixClass): Generator<Breach> {
  const schema =
    typeof type.GetSchema === "function" && type.GetSchema.length === 0
      ? readAptixSchema(type)
      : new Error("it has no static GetSchema() without parameters");
  if (schema instanceof Error) yield { rule: "schema_method", problem: schema.message };
  else if (!isDeepStrictEqual(schema, readAptixSchema(type)))
    yield { rule: "schema_method", problem: "its GetSchema() answers otherwise when it is asked again" };
  else yield* envelopeRules(type, schema);
}

function* envelopeRules(type: AptixClass, schema: AptixSchema): Generator<Breach> {
  if (typeof type.ToolName === "string" && schema.name !== type.ToolName)
    yield {
      rule: "names_agree",
      problem: `its schema is named ${JSON.stringify(schema.name)}, its ToolName is ${JSON.stringify(type.ToolName)}`,
    };
  if (schema.parameters["type"] !== "object" || !isRecord(schema.parameters["properties"]))
    yield {
      rule: "schema_envelope",
      problem: 'the parameters of its schema are not { type: "object", properties }',
    };
  else if (!Array.isArray(schema.parameters["required"]))
    yield { rule: "schema_required", problem: "the parameters of its schema have no list of required names" };
}

/** Returns the schema of a class, or the error that says why it is not valid. */
export function readAptixSchema(type: AptixClass): AptixSchema | Error {
  let given: unknown;
  try {
    given = type.GetSchema?.();
  } catch (cause) {
    return new Error(`its GetSchema() throws: ${messageOf(cause)}`, { cause });
  }
  if (!isRecord(given)) return new Error("its GetSchema() does not return an object");
  const { type: kind, name, description, parameters } = given;
  if (kind !== "function" || typeof name !== "string" || !isRecord(parameters))
    return new Error('its GetSchema() does not return { type: "function", name, description, parameters }');
  if (typeof description !== "string" || description.trim() === "")
    return new Error("its GetSchema() returns no description");
  return { type: "function", name, description, parameters };
}

/** Whether a usage text contains the name of an argument as a word, without regard to case. */
export function mentions(usage: string, argument: string): boolean {
  const name = argument.replaceAll(/[^\w]/g, String.raw`\$&`);
  return new RegExp(`(?<![\\w])${name}(?![\\w])`, "i").test(usage);
}
