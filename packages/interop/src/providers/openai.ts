import type { CallRequest, ToolDefinition, ToolOutcome } from "@toolmount/core";
import { defineForeign, sentSchema, type ForeignWork, type OfferedTool } from "../schema/definition.ts";
import { isRecord, readText, unwrapEnvelope } from "../schema/guards.ts";
import { dataUrl, seenOf } from "./seen-content.ts";
import { createNameMap, type NameMap } from "./tool-names.ts";

/** OpenAI's rule for names of functions. Source: its function-calling reference. */
export const openAINames = { allowed: /[a-zA-Z0-9_-]/, maxLength: 64 };

/** A function tool of the Responses API. */
export interface OpenAITool {
  readonly type: "function";
  readonly name: string;
  readonly description: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly strict: false;
}

/** Tools in the form of OpenAI's Responses API, and the translation of its calls. */
export interface OpenAIExport {
  readonly tools: OpenAITool[];
  readonly names: NameMap;
  /** Reads a `function_call` item, or a `tool_calls` entry of chat completions, as a request to the host. */
  readCall(item: unknown): CallRequest;
  /** Writes the item that answers a call. */
  writeOutput(outcome: ToolOutcome): OpenAIOutput;
}

/** The item that answers a call. Its output is a list of parts if the result has images or files. */
export interface OpenAIOutput {
  type: "function_call_output";
  call_id: string;
  output: string | OpenAIPart[];
}

/** A part of a result in the Responses API. */
export type OpenAIPart =
  | { type: "input_text"; text: string }
  | { type: "input_image"; detail: "auto"; image_url: string }
  | { type: "input_file"; filename: string; file_data: string };

/**
 * Offers tools to OpenAI without strict mode, which has no optional arguments. A schema that lists arguments and says nothing
 * about others is sent with `additionalProperties: false`.
 */
export function toOpenAI(infos: readonly OfferedTool[]): OpenAIExport {
  const names = createNameMap(
    infos.map(({ name }) => name),
    openAINames,
  );
  return {
    names,
    tools: infos.map(({ name, description, inputSchema }) => ({
      type: "function",
      name: names.toProvider(name),
      description,
      parameters: closed(withLists(sentSchema(inputSchema)), inputSchema),
      strict: false,
    })),
    readCall: (item) => readCall(item, names),
    writeOutput,
  };
}

function writeOutput(outcome: ToolOutcome): OpenAIOutput {
  const seen = seenOf(outcome);
  const isText = seen.images.length + seen.files.length === 0;
  const output = isText ? seen.text : openAIParts(seen);
  return { type: "function_call_output", call_id: outcome.callId, output };
}

/** Returns what a model sees of a result, as parts of the Responses API. */
export function openAIParts({ text, images, files }: ReturnType<typeof seenOf>): OpenAIPart[] {
  return [
    { type: "input_text", text },
    ...images.map((image) => ({
      type: "input_image" as const,
      detail: "auto" as const,
      image_url: dataUrl(image),
    })),
    ...files.map((file) => ({
      type: "input_file" as const,
      filename: file.name,
      file_data: dataUrl(file),
    })),
  ];
}

/** Returns the same tools in the form of chat completions. */
export function toChatTools({ tools }: OpenAIExport) {
  return tools.map(({ type, ...rest }) => ({ type, function: rest }));
}

/**
 * Adds empty lists to a schema: OpenAI refuses an object without properties, and Aptix requires the list of required names even
 * if it is empty (APTIX-52).
 */
function withLists(schema: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const properties = isRecord(schema["properties"]) ? {} : { properties: {} };
  const required = Array.isArray(schema["required"]) ? {} : { required: [] };
  return { type: "object", ...schema, ...properties, ...required };
}

/** Keywords with which a schema may allow arguments that its `properties` do not list. */
const openers = [
  "additionalProperties",
  "unevaluatedProperties",
  "patternProperties",
  "propertyNames",
  "dependentSchemas",
  "allOf",
  "anyOf",
  "oneOf",
  "if",
  "$ref",
];

/**
 * Closes a schema that lists arguments if the tool's `own` schema says nothing about others. A schema that lists none stays open,
 * as its tool may take some.
 */
function closed(
  schema: Readonly<Record<string, unknown>>,
  own: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const listsSome = Object.keys(Object(schema["properties"])).length > 0;
  const isSilent = openers.every((keyword) => own[keyword] === undefined);
  return listsSome && isSilent ? { ...schema, additionalProperties: false } : schema;
}

function readCall(item: unknown, names: NameMap): CallRequest {
  const call = isRecord(item) ? item : {};
  const inner = isRecord(call["function"]) ? call["function"] : call;
  const id = call["call_id"] ?? call["id"];
  return {
    ...(typeof id === "string" ? { id } : {}),
    name: names.fromProvider(readText(inner["name"])),
    arguments: typeof inner["arguments"] === "string" ? inner["arguments"] : "",
  };
}

/** Returns a function definition in any of OpenAI's forms, with a function for its work, as a definition of ours. */
export function fromOpenAITool(
  definition: Readonly<Record<string, unknown>>,
  work: ForeignWork,
): ToolDefinition {
  const inner = isRecord(definition["function"]) ? definition["function"] : definition;
  const schema = unwrapEnvelope({ ...inner, type: "function" });
  return defineForeign(inner, readText(inner["name"]), readText(inner["description"]), schema, work);
}
