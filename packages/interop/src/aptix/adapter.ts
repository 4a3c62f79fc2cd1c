import { isDeepStrictEqual } from "node:util";
import { messageOf } from "@toolmount/core/errors";
import {
  failure,
  ToolmountError,
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
  servicesOf,
  type AptixClass,
  type AptixInstance,
  type AptixSchema,
  type Breach,
} from "./tool-class.ts";
import { createAptixLogger } from "./logger.ts";
import { fromInvokeResult } from "./invoke-result.ts";
import { isRecord, parseJson } from "../schema/guards.ts";
import { withAptixBinding } from "../schema/aptix-binding.ts";

/**
 * Renders Aptix tools, classes or instances: static constants, `GetSchema()`, `ExecuteAsync(json, context, signal)`.
 *
 * The rules of its registry hold when a tool is mounted (`TOOL_INVALID`, with the rule in the details). A class is made
 * with the services that its static `inject` names: `IAdminLogger` is the host's log, the others are capabilities.
 */
export const aptixAdapter: ToolAdapter = {
  name: "aptix",
  recognises: (thing) => aptixClassOf(thing) !== null,
  adapt: (thing, services) => adapt(thing, aptixClassOf(thing)!, services),
};

function adapt(thing: unknown, type: AptixClass, services: AdapterServices): ToolDefinition {
  refuse(type, inspectAptixClass(type));
  const schema = readAptixSchema(type) as AptixSchema;
  const tool = typeof thing === "function" ? construct(type, services) : (thing as AptixInstance);
  refuse(type, inspectInstance(type, tool));
  if (tool.IsToolFullyExecutedOnServer === undefined)
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
    execution: tool.IsToolFullyExecutedOnServer === false ? "client" : "server",
    origin: "aptix",
    failures: {
      className,
      describe: () => failure(`${className} failed to process arguments.`, { code: "TOOL_FAILED" }),
    },
    execute: async (params, context) =>
      fromInvokeResult(
        schema.name,
        await tool.ExecuteAsync(argumentText(params, context), contextOf(context), context.abortSignal),
      ),
  };
}

/** Warns of arguments that the usage text does not mention, and of those without a type. */
function warnOutOfStep(usage: string, { name, parameters }: AptixSchema, { logger }: AdapterServices): void {
  const declared = Object.entries(parameters["properties"] as Readonly<Record<string, unknown>>);
  const missing = declared.map(([argument]) => argument).filter((argument) => !mentions(usage, argument));
  if (missing.length > 0)
    logger.warn({ tool: name, arguments: missing }, "a usage text leaves out arguments of its schema");
  const untyped = declared.flatMap(([argument, schema]) => (hasType(schema) ? [] : [argument]));
  if (untyped.length > 0) logger.warn({ tool: name, untyped }, "parameters of a schema have no type");
}

/** Keywords of which each says what a value may be. */
const typing = ["type", "$ref", "enum", "const", "anyOf", "oneOf", "allOf"] as const;

function hasType(schema: unknown): boolean {
  return isRecord(schema) && typing.some((keyword) => schema[keyword] !== undefined);
}

function refuse(type: AptixClass, breaches: readonly Breach[]): void {
  if (breaches.length === 0) return;
  const tool = typeof type.ToolName === "string" && type.ToolName !== "" ? type.ToolName : type.name;
  throw new ToolmountError("TOOL_INVALID", {
    tool: tool.slice(0, 128),
    problem: breaches.map(({ problem }) => problem).join("; "),
    rule: breaches[0]!.rule,
    rules: breaches.map(({ rule }) => rule),
  });
}

/** A service that is not registered is null: the tool reports it when it is called. */
function construct(type: AptixClass, services: AdapterServices): AptixInstance {
  const { logger } = services;
  refuse(type, waitsForMore(type));
  const parts = servicesOf(type).map((name) => {
    if (name === "IAdminLogger") return createAptixLogger(logger);
    const service = services.getCapability(name);
    if (service === null)
      logger.warn(
        { tool: type.ToolName, service: name },
        "a service of a tool is not there; the tool got null",
      );
    return service;
  });
  try {
    return new type(...parts);
  } catch (cause) {
    throw new ToolmountError(
      "TOOL_INVALID",
      {
        tool: String(type.ToolName),
        problem: `its constructor throws: ${messageOf(cause).slice(0, 500)}`,
        rule: "constructible",
      },
      { cause },
    );
  }
}

/** A parameter of the constructor that no name of `inject` fills would be undefined. */
function waitsForMore(type: AptixClass): readonly Breach[] {
  const named = servicesOf(type).length;
  if (type.length <= named) return [];
  const problem = `its constructor takes ${type.length} services and its static inject names ${named}; write them in order, such as: static inject = ["IAdminLogger"]`;
  return [{ rule: "constructible", problem }];
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

/** The model's own text, unless the arguments were changed or completed on their way; then what they are now. */
function argumentText(params: unknown, { rawArguments }: ToolContext): string {
  if (rawArguments !== undefined && isDeepStrictEqual(parseJson(rawArguments), params)) return rawArguments;
  return JSON.stringify(params);
}

function contextOf({ sessionId, userId, conversationId }: ToolContext) {
  return {
    SessionId: sessionId ?? null,
    UserId: userId ?? null,
    Request: { ConversationId: conversationId ?? null },
  };
}
