import type { CallRequest, ToolDefinition, ToolOutcome } from "@toolmount/core";
import { defineForeign, sentSchema, type ForeignWork, type OfferedTool } from "../schema/definition.ts";
import { isRecord, readText } from "../schema/guards.ts";
import { seenOf, type ImageType } from "./seen-content.ts";
import { createNameMap, type NameMap } from "./tool-names.ts";

/** Anthropic's rule for names of tools. Source: its tool-use reference. */
const rule = { allowed: /[a-zA-Z0-9_-]/, maxLength: 64 };

/** A tool in the form of Anthropic's Messages API. */
export interface AnthropicTool {
  readonly name: string;
  readonly description: string;
  readonly input_schema: AnthropicSchema;
}

/** The schema of a tool's input, which describes an object. */
type AnthropicSchema = { type: "object"; [keyword: string]: unknown };

/** The block that answers a `tool_use`. */
export interface AnthropicResult {
  readonly type: "tool_result";
  readonly tool_use_id: string;
  readonly content: AnthropicContent[];
  readonly is_error?: true;
}

/** A content block of a tool result in Anthropic's Messages API. */
export type AnthropicContent =
  | { readonly type: "text"; readonly text: string }
  | {
      readonly type: "image";
      readonly source: {
        readonly type: "base64";
        readonly media_type: ImageType;
        readonly data: string;
      };
    }
  | {
      readonly type: "document";
      readonly title: string;
      readonly source: {
        readonly type: "base64";
        readonly media_type: "application/pdf";
        readonly data: string;
      };
    };

/** Tools in the form of Anthropic's Messages API, and the translation of its calls. */
export interface AnthropicExport {
  readonly tools: AnthropicTool[];
  readonly names: NameMap;
  /** Reads a `tool_use` block as a request to the host. */
  readCall(block: unknown): CallRequest;
  writeResult(outcome: ToolOutcome): AnthropicResult;
}

/** Offers tools to Anthropic. */
export function toAnthropic(infos: readonly OfferedTool[]): AnthropicExport {
  const names = createNameMap(
    infos.map(({ name }) => name),
    rule,
  );
  return {
    names,
    tools: infos.map(({ name, description, inputSchema }) => ({
      name: names.toProvider(name),
      description,
      input_schema: { ...sentSchema(inputSchema), type: "object" },
    })),
    readCall: (block) => readCall(block, names),
    writeResult,
  };
}

function readCall(block: unknown, names: NameMap): CallRequest {
  const { id, name, input } = isRecord(block) ? block : {};
  return {
    ...(typeof id === "string" ? { id } : {}),
    name: names.fromProvider(readText(name)),
    arguments: isRecord(input) ? input : {},
  };
}

/** Writes an outcome as a block. An error has only its text, because the server refuses more in an error. */
function writeResult(outcome: ToolOutcome): AnthropicResult {
  const { text, images, files } = seenOf(outcome);
  const isError = outcome.status !== "ok";
  const said: AnthropicContent[] = text === "" ? [] : [{ type: "text", text }];
  const shown = images.map(({ mimeType, data }): AnthropicContent => ({
    type: "image",
    source: { type: "base64", media_type: mimeType, data },
  }));
  const documents = files.map(({ name, mimeType, data }): AnthropicContent => ({
    type: "document",
    title: name,
    source: { type: "base64", media_type: mimeType, data },
  }));
  return {
    type: "tool_result",
    tool_use_id: outcome.callId,
    content: isError ? said : [...said, ...shown, ...documents],
    ...(isError ? { is_error: true } : {}),
  };
}

/** Returns an Anthropic tool definition, with a function for its work, as a definition of ours. */
export function fromAnthropicTool(
  definition: Readonly<Record<string, unknown>>,
  work: ForeignWork,
): ToolDefinition {
  const { name, description, input_schema: schema } = definition;
  return defineForeign(
    definition,
    readText(name),
    readText(description),
    isRecord(schema) ? schema : undefined,
    work,
  );
}
