import type { CallRequest, Json, ToolDefinition, ToolOutcome } from "@toolmount/core";
import { defineForeign, sentSchema, type ForeignWork, type OfferedTool } from "../schema/definition.ts";
import { isRecord, readText } from "../schema/guards.ts";
import { contentOf, unseenImage, type ResultImage, type SeenContent } from "./seen-content.ts";
import { createNameMap, type NameMap } from "./tool-names.ts";

/** Gemini's rule for names of functions. Source: its reference of FunctionDeclaration. */
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
    /** With `waitingCall`, which is the id of the call, a person has to be asked first. */
    readonly response: (
      | { readonly output: Json }
      | { readonly error: string; readonly waitingCall?: string }
    ) & {
      /** Texts of text files, and a sentence for each image or file that Gemini cannot read. */
      readonly content?: readonly string[];
    };
  };
}

/** A part with an image or a file of a result. */
export interface GeminiData {
  readonly inlineData: { readonly mimeType: string; readonly data: string };
}

/** Tools in the form of Gemini's API, and the translation of its calls. */
export interface GeminiExport {
  readonly tools: [{ functionDeclarations: GeminiFunction[] }];
  readonly names: NameMap;
  /** Reads a part with a `functionCall` as a request to the host. */
  readCall(part: unknown): CallRequest;
  writeResponse(outcome: ToolOutcome): GeminiResponse;
  /**
   * Writes the parts that answer a call: its response, then its images and files. If a content answers several calls, all
   * responses have to come first.
   */
  writeParts(outcome: ToolOutcome): [GeminiResponse, ...GeminiData[]];
}

/** Offers tools to Gemini. `$schema` is left out, because Gemini refuses it. */
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
          parametersJsonSchema: withoutDialect(sentSchema(inputSchema)),
        })),
      },
    ],
    readCall: (part) => readCall(part, names),
    writeResponse: (outcome) => writeResponse(outcome, names, contentOf(outcome.result.content)),
    writeParts(outcome) {
      const content = contentOf(outcome.result.content);
      return [writeResponse(outcome, names, content), ...dataOf(content)];
    },
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

function writeResponse(
  { callId, runId, tool, result }: ToolOutcome,
  names: NameMap,
  { images, notes }: SeenContent,
): GeminiResponse {
  const unseen = images.filter(isUnseen).map(({ mimeType }) => unseenImage(mimeType));
  const content = [...notes, ...unseen];
  const said = content.length === 0 ? {} : { content };
  const response =
    result.error === undefined
      ? { output: (result.data ?? null) as Json, ...said }
      : { error: result.error, ...said };
  // A call without an id got the id of its run, which the model does not know.
  return {
    functionResponse: { ...(callId === runId ? {} : { id: callId }), name: names.toProvider(tool), response },
  };
}

/** Returns a result's images and files as separate parts, because only newer models accept them inside of the response. */
function dataOf({ images, files }: SeenContent): GeminiData[] {
  return [...images.filter((image) => !isUnseen(image)), ...files].map(({ mimeType, data }) => ({
    inlineData: { mimeType, data },
  }));
}

/** Whether Gemini cannot read an image, which is the case for GIF. Source: "Image understanding" of its API. */
function isUnseen({ mimeType }: ResultImage): boolean {
  return mimeType === "image/gif";
}

/** Returns a function declaration of Gemini, with a function for its work, as a definition of ours. */
export function fromGeminiFunction(
  declaration: Readonly<Record<string, unknown>>,
  work: ForeignWork,
): ToolDefinition {
  const { name, description } = declaration;
  const schema = [declaration["parametersJsonSchema"], declaration["parameters"]].find(isRecord);
  return defineForeign(declaration, readText(name), readText(description), schema, work);
}
