import type { CallRequest, ToolDefinition, ToolOutcome } from "@toolmount/core";
import { defineForeign, outcomeText, type ForeignWork, type OfferedTool } from "../schema/definition.ts";
import { isRecord, readText } from "../schema/guards.ts";
import { createNameMap, type NameMap } from "./tool-names.ts";

/** What Anthropic allows in the name of a tool. Source: its tool-use reference. */
const rule = { allowed: /[a-zA-Z0-9_-]/, maxLength: 64 };

/** A tool as Anthropic's Messages API lists it. */
export interface AnthropicTool {
  readonly name: string;
  readonly description: string;
  readonly input_schema: Readonly<Record<string, unknown>>;
}

/** The block that answers a `tool_use`. */
export interface AnthropicResult {
  readonly type: "tool_result";
  readonly tool_use_id: string;
  readonly content: readonly AnthropicContent[];
  readonly is_error?: true;
}

/** A content block of a tool result in Anthropic's Messages API. */
export type AnthropicContent =
  | { readonly type: "text"; readonly text: string }
  | {
      readonly type: "image";
      readonly source: { readonly type: "base64"; readonly media_type: string; readonly data: string };
    };

/** Tools as Anthropic's Messages API takes them, and the way back from its calls. */
export interface AnthropicExport {
  readonly tools: readonly AnthropicTool[];
  readonly names: NameMap;
  /** A `tool_use` block as a request to the host. */
  readCall(block: unknown): CallRequest;
  writeResult(outcome: ToolOutcome): AnthropicResult;
}

/** Offers tools to Anthropic. Unions at the top of a schema are left out, since it refuses them. */
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
      input_schema: withoutTopUnions(inputSchema),
    })),
    readCall: (block) => readCall(block, names),
    writeResult,
  };
}

/** Anthropic refuses unions at the top of an input schema; the host checks the arguments by the whole schema anyway. */
function withoutTopUnions(schema: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { anyOf: _any, oneOf: _one, allOf: _all, ...rest } = schema;
  return { type: "object", ...rest };
}

function readCall(block: unknown, names: NameMap): CallRequest {
  const { id, name, input } = isRecord(block) ? block : {};
  return {
    ...(typeof id === "string" ? { id } : {}),
    name: names.fromProvider(readText(name)),
    arguments: isRecord(input) ? input : {},
  };
}

function writeResult(outcome: ToolOutcome): AnthropicResult {
  const { result, callId } = outcome;
  const images = (result.content ?? []).flatMap((block): AnthropicContent[] =>
    block.type === "image"
      ? [{ type: "image", source: { type: "base64", media_type: block.mimeType, data: block.data } }]
      : [],
  );
  const text = outcomeText(outcome);
  return {
    type: "tool_result",
    tool_use_id: callId,
    content: [...(text === "" ? [] : [{ type: "text" as const, text }]), ...images],
    ...(outcome.status === "ok" ? {} : { is_error: true }),
  };
}

/** One of Anthropic's tool definitions, with its work, as a definition of ours. */
export function fromAnthropicTool(
  definition: Readonly<Record<string, unknown>>,
  work: ForeignWork,
): ToolDefinition {
  const { name, description, input_schema: schema } = definition;
  return defineForeign(readText(name), readText(description), isRecord(schema) ? schema : undefined, work);
}
