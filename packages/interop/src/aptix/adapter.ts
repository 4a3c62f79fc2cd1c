import { isDeepStrictEqual } from "node:util";
import {
  failure,
  type AdapterServices,
  type ToolAdapter,
  type ToolContext,
  type ToolDefinition,
} from "@toolmount/core";
import {
  aptixClassOf,
  inspectAptixClass,
  mentions,
  readAptixSchema,
  refusal,
  refuse,
  type AgentToolExecutionContext,
  type AptixClass,
  type AptixInstance,
  type AptixSchema,
  type Breach,
} from "./tool-class.ts";
import { breachesOf, findServices, makeInstance } from "./injection.ts";
import { fromInvokeResult } from "./invoke-result.ts";
import { isRecord, parseJson } from "../schema/guards.ts";
import { withAptixBinding } from "../schema/aptix-binding.ts";

/**
 * The adapter for Aptix tools, as classes or instances, with static constants, `GetSchema()` and `ExecuteAsync(json, context,
 * signal)`.
 *
 * The rules of Aptix's registry are checked when a tool is mounted (`TOOL_INVALID`, with the rule in the details). A class is
 * instantiated with the services of `findServices`: `IAdminLogger` is the host's log, the others are capabilities.
 */
export const aptixAdapter: ToolAdapter = {
  name: "aptix",
  recognises: (thing) => aptixClassOf(thing) !== null,
  adapt: (thing, services) => adapt(thing, aptixClassOf(thing)!, services),
};

function adapt(thing: unknown, type: AptixClass, services: AdapterServices): ToolDefinition {
  refuse(type, inspectAptixClass(type));
  const schema = readAptixSchema(type) as AptixSchema;
  const { flag, instance } = typeof thing === "function" ? prepareClass(type, services) : given(type, thing);
  if (flag === undefined)
    services.logger.warn(
      { tool: schema.name },
      "a class does not say where it runs (IsToolFullyExecutedOnServer): the host runs it",
    );
  warnOutOfStep(type.ToolUsageMetadata as string, schema, services);
  const className = type.name || schema.name;
  return {
    name: schema.name,
    description: schema.description,
    usage: type.ToolUsageMetadata as string,
    ...(typeof type.ToolSummary === "string" ? { summary: type.ToolSummary } : {}),
    schema: withAptixBinding(schema.parameters),
    execution: flag === false ? "client" : "server",
    origin: "aptix",
    failures: {
      className,
      describe: () => failure(`${className} failed to process arguments.`, { code: "TOOL_FAILED" }),
    },
    execute: async (params, context) =>
      fromInvokeResult(
        schema.name,
        await instance().ExecuteAsync(argumentText(params, context), contextOf(context), context.abortSignal),
      ),
  };
}

/** Logs a warning about arguments that the usage text does not mention, and about those without a type. */
function warnOutOfStep(usage: string, { name, parameters }: AptixSchema, { logger }: AdapterServices): void {
  const declared = Object.entries(parameters["properties"] as Readonly<Record<string, unknown>>);
  const missing = declared.map(([argument]) => argument).filter((argument) => !mentions(usage, argument));
  if (missing.length > 0)
    logger.warn({ tool: name, arguments: missing }, "a usage text leaves out arguments of its schema");
  const untyped = declared.flatMap(([argument, schema]) => (hasType(schema) ? [] : [argument]));
  if (untyped.length > 0) logger.warn({ tool: name, untyped }, "parameters of a schema have no type");
}

/** Keywords of JSON Schema. A parameter without any of them counts as one without a type. */
const typing = ["type", "$ref", "enum", "const", "anyOf", "oneOf", "allOf"] as const;

function hasType(schema: unknown): boolean {
  return isRecord(schema) && typing.some((keyword) => schema[keyword] !== undefined);
}

/**
 * Instantiates a class when it is mounted or, if a service does not exist yet, when all modules of the plan are mounted. If a
 * service is still missing then, the class is refused. In a host without a plan, the instance gets null for it at once.
 */
function prepareClass(type: AptixClass, services: AdapterServices): Prepared {
  const { whenLinked, logger } = services;
  const lacking = breachesOf(findServices(type, services));
  refuse(
    type,
    lacking.filter(({ service }) => service === undefined),
  );
  if (whenLinked !== undefined && lacking.length > 0) return prepareLater(type, services, whenLinked);
  for (const { service } of lacking)
    logger.warn({ tool: type.ToolName, service }, "a service of a tool is not there; the tool got null");
  const made = construct(type, services);
  whenLinked?.(() => refuse(type, breachesOf(findServices(type, services))));
  return { flag: flagOf(type, made), instance: () => made };
}

interface Prepared {
  readonly flag: unknown;
  readonly instance: () => AptixInstance;
}

function prepareLater(
  type: AptixClass,
  services: AdapterServices,
  whenLinked: (work: () => void) => void,
): Prepared {
  const flag = declaredFlag(type);
  let made: AptixInstance | undefined;
  const instance = () => (made ??= construct(type, services));
  whenLinked(() => {
    refuse(type, breachesOf(findServices(type, services)));
    if ((flagOf(type, instance()) === false) !== (flag === false))
      throw refusal(type, [{ rule: "server_flag", problem: lateFlag }]);
  });
  return { flag, instance };
}

function construct(type: AptixClass, services: AdapterServices): AptixInstance {
  const made = makeInstance(type, findServices(type, services), services);
  if ("rule" in made) throw refusal(type, [made]);
  return made;
}

const lateFlag =
  "its IsToolFullyExecutedOnServer is known only after it is made; write it as a field or as a getter: get IsToolFullyExecutedOnServer() { return false; }";

function given(type: AptixClass, thing: unknown): Prepared {
  const tool = thing as AptixInstance;
  return { flag: flagOf(type, tool), instance: () => tool };
}

/**
 * Checks an instance. Returns its `IsToolFullyExecutedOnServer`, which decides whether the tool runs on the server or at the
 * client.
 */
function flagOf(type: AptixClass, tool: AptixInstance): unknown {
  refuse(type, inspectInstance(type, tool));
  return tool.IsToolFullyExecutedOnServer;
}

/**
 * Returns `IsToolFullyExecutedOnServer` of a class of which there is no instance yet, from its prototype or its source;
 * undefined if neither states it.
 */
function declaredFlag(type: AptixClass): boolean | undefined {
  try {
    const { IsToolFullyExecutedOnServer: flag } = type.prototype as Partial<AptixInstance>;
    if (typeof flag === "boolean") return flag;
  } catch {
    // The getter reads a member that only an instance has.
  }
  const source = Function.prototype.toString.call(type);
  const [, written] = /\bIsToolFullyExecutedOnServer\s*=\s*(true|false|!0|!1)/.exec(source) ?? [];
  return written === undefined ? undefined : written === "true" || written === "!0";
}

function* instanceRules(type: AptixClass, tool: AptixInstance): Generator<Breach> {
  if (typeof tool.ExecuteAsync !== "function")
    yield { rule: "tool_execute", problem: "it has no ExecuteAsync" };
  const { Name } = tool;
  if (Name !== tool.Name) yield { rule: "names_agree", problem: "its Name is another when it is read again" };
  else if (Name !== type.ToolName)
    yield {
      rule: "names_agree",
      problem: `its Name is ${JSON.stringify(Name) ?? "missing"}, its ToolName is ${JSON.stringify(type.ToolName)}`,
    };
  const { IsToolFullyExecutedOnServer: flag } = tool;
  if (flag !== undefined && typeof flag !== "boolean")
    yield { rule: "server_flag", problem: "its IsToolFullyExecutedOnServer is neither true nor false" };
}

function inspectInstance(type: AptixClass, tool: AptixInstance): readonly Breach[] {
  try {
    return [...instanceRules(type, tool)];
  } catch {
    return [{ rule: "names_agree", problem: "its Name or IsToolFullyExecutedOnServer throws" }];
  }
}

/** Returns the model's own text, unless the arguments were changed or completed since; then it returns their present JSON. */
function argumentText(params: unknown, { rawArguments }: ToolContext): string {
  if (rawArguments !== undefined && isDeepStrictEqual(parseJson(rawArguments), params)) return rawArguments;
  return JSON.stringify(params);
}

function contextOf({ sessionId, userId, conversationId }: ToolContext): AgentToolExecutionContext {
  return {
    SessionId: sessionId ?? null,
    UserId: userId ?? null,
    Request: { ConversationId: conversationId ?? null },
  };
}
