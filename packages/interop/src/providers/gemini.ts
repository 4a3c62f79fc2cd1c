import type { CallRequest, Json, ToolDefinition, ToolOutcome } from "@toolmount/core";
import { defineForeign, type ForeignWork, type OfferedTool } from "../schema/definition.ts";
import { isRecord, readText } from "../schema/guards.ts";
import { createNameMap, type NameMap } from "./tool-names.ts";

/** What Gemini allows in the name of a function. Source: its reference of FunctionDeclaration. */
const rule = { allowed: /[a-zA-Z0-9_.-]/, first: /[a-zA-Z_]/, maxLength: 64 };

/** A function declaration in the form of Gemini's API. */
export interface GeminiFunction {
  readonly name: string;
  readonly description: string;
  readonly parametersJsonSchema: Readonly<Record<string, unknown>>;
}

/** The part that answers a `functionCall`. */
export interface GeminiResponse {
  readonly functionResponse: {
    readonly id?: string;
    readonly name: string;
    /** `waitingCall`: a person has to be asked first, and the call has this id. */
    readonly response: { readonly output: Json } | { readonly error: string; readonly waitingCall?: string };
  };
}

/** Tools in the form of Gemini's API, and the translation of its calls. */
export interface GeminiExport {
  readonly tools: [{ functionDeclarations: GeminiFunction[] }];
  readonly names: NameMap;
  /** A part with a `functionCall` as a request to the host. */
  readCall(part: unknown): CallRequest;
  writeResponse(outcome: ToolOutcome): GeminiResponse;
}

/** Offers tools to Gemini, with whole JSON Schemas but without `$schema`, which it refuses. */
export function toGemini(infos: readonly OfferedTool[]): GeminiExport {
  const names = createNameMap(
    infos.map(({ name }) => name),
    rule,
  );
  return {
    names,
    tools: [
      {
        functionDeclarations: infos.map(({ name, description, inputSchema }) => ({
          name: names.toProvider(name),
          description,
          parametersJsonSchema: withoutDialect(inputSchema),
        })),
      },
    ],
    readCall: (part) => readCall(part, names),
    writeResponse: (outcome) => writeResponse(outcome, names),
  };
}

function withoutDialect({ $schema: _, ...schema }: Readonly<Record<string, unknown>>) {
  return schema;
}

function readCall(part: unknown, names: NameMap): CallRequest {
  const call = isRecord(part) && isRecord(part["functionCall"]) ? part["functionCall"] : part;
  const { id, name, args } = isRecord(call) ? call : {};
  return {
    ...(typeof id === "string" ? { id } : {}),
    name: names.fromProvider(readText(name)),
    arguments: isRecord(args) ? args : {},
  };
}

function writeResponse({ callId, runId, tool, result }: ToolOutcome, names: NameMap): GeminiResponse {
  const response =
    result.error === undefined ? { output: (result.data ?? null) as Json } : { error: result.error };
  // A call without an id got the id of its run, which the model never saw.
  return {
    functionResponse: { ...(callId === runId ? {} : { id: callId }), name: names.toProvider(tool), response },
  };
}

/** A function declaration of Gemini, with its work, as a definition of ours. */
export function fromGeminiFunction(
  declaration: Readonly<Record<string, unknown>>,
  work: ForeignWork,
): ToolDefinition {
  const { name, description } = declaration;
  const schema = [declaration["parametersJsonSchema"], declaration["parameters"]].find(isRecord);
  return defineForeign(declaration, readText(name), readText(description), schema, work);
}
