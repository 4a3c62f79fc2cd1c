// Maps results in both directions, in one file, so that a new version of the protocol changes only this one.
import {
  data,
  failure,
  omissionLine,
  type ContentBlock,
  type Json,
  type JsonObject,
  type PartialResult,
  type ToolOutcome,
} from "@toolmount/core";
import { isRecord } from "@toolmount/core/json";
import type { McpBlock, McpResult } from "./shapes.ts";

/** Key under `_meta` of a served result for those facts of the call for which MCP has no field. */
export const outcomeMetaKey = "dev.toolmount/outcome";

/**
 * Renders the outcome of a call as an MCP result. A failed call has `isError`; a pending one does not. Only data of the tool
 * become `structuredContent`; the status, the code and the ticket of a call are in `_meta`.
 */
export function toMcpResult(outcome: ToolOutcome): McpResult {
  const { result, status } = outcome;
  const { _meta: given, structuredContent, ...members } = ownMembers(result.meta);
  const meta = { ...(isRecord(given) ? given : {}), [outcomeMetaKey]: factsOf(outcome) };
  if (result.error !== undefined)
    return {
      ...members,
      content: [...failureOf(result.error, result.content), ...nextStepOf(outcome), ...notesOf(outcome)],
      ...(structuredContent !== undefined && { structuredContent }),
      ...(status === "pending" ? {} : { isError: true }),
      _meta: meta,
    };
  return {
    ...members,
    content: [...contentOf(result.data, result.content ?? []), ...notesOf(outcome)],
    ...((isRecord(result.data) || structuredContent !== undefined) && { structuredContent: result.data }),
    _meta: meta,
  };
}

/** Key under `meta` of our result for those members of an MCP result for which ours has no field. */
const mcpKey = "mcp";

function ownMembers(meta: JsonObject = {}): Readonly<Record<string, unknown>> {
  const own = meta[mcpKey];
  return isRecord(own) ? own : {};
}

/** Returns the blocks of a failure, after its sentence if they do not already say it. */
function failureOf(error: string, blocks: readonly ContentBlock[] = []): McpBlock[] {
  const said = textsOf(blocks);
  const isSaid = said === error || (error.endsWith(" …") && said.startsWith(error.slice(0, -2)));
  return [...(isSaid ? [] : [text(error)]), ...blocks.map(toMcpBlock)];
}

function textsOf(blocks: readonly { readonly type: string; readonly text?: unknown }[]): string {
  return blocks.flatMap((block) => (block.type === "text" ? String(block.text) : [])).join("\n");
}

/** Returns what a model can do about a call that waits. */
function nextStepOf({ tool, status, result, ticket }: ToolOutcome): McpBlock[] {
  if (status !== "pending" || ticket === undefined) return [];
  const reason = waitsFor({ result });
  const next =
    reason === "client"
      ? ""
      : `It has not run yet. To get its result when ${reason === "run" ? "it has ended" : "a person has approved it"}, call ${tool} again with the same arguments. `;
  return [text(`${next}Ticket: ${ticket}`)];
}

/** Returns what a call waits for if that is not a person: `client` or `run`. */
export function waitsFor({ result: { details } }: Pick<ToolOutcome, "result">): unknown {
  return isRecord(details) ? details["waitsFor"] : undefined;
}

/** Turns a result that does not fit its tool's `outputSchema` into an error, because only then does a client read the text. */
export function withoutStructuredData({ structuredContent: _, ...result }: McpResult): McpResult {
  const note = text(
    "Warning: this is not what the tool's outputSchema describes, so it is given as text only",
  );
  return { ...result, content: [...result.content, note], isError: true };
}

function factsOf({ runId, status, result, ticket }: ToolOutcome): JsonObject {
  return {
    runId,
    status,
    ...(ticket !== undefined && { ticket }),
    ...(result.code !== undefined && { code: result.code }),
    ...(result.error !== undefined && result.details !== undefined && { details: result.details }),
    ...(result.truncated !== undefined && { truncated: { ...result.truncated } }),
    ...(result.omitted !== undefined && { omitted: result.omitted.map((omission) => ({ ...omission })) }),
  };
}

/** Returns the blocks that a tool gave, unchanged, and its data as a text if no block is a text. */
function contentOf(value: unknown, blocks: readonly ContentBlock[]): McpBlock[] {
  const given = blocks.map(toMcpBlock);
  if (blocks.some(({ type }) => type === "text")) return given;
  if (value === null && given.length > 0) return given;
  return [text(typeof value === "string" ? value : JSON.stringify(value ?? null)), ...given];
}

/** Returns warnings, what the result leaves out, and texts that gates add for a model, as blocks. */
function notesOf({ result, injections = [] }: ToolOutcome): McpBlock[] {
  const warnings = (result.warnings ?? []).map((warning) => text(`Warning: ${warning}`));
  const omitted = (result.omitted ?? []).map((omission) => text(omissionLine(omission)));
  return [...warnings, ...omitted, ...injections.map((injection) => text(injection.text))];
}

function text(value: string): McpBlock {
  return { type: "text", text: value };
}

function toMcpBlock(block: ContentBlock): McpBlock {
  const { meta, ...own } = block;
  if (own.type !== "file") return { ...meta, ...own };
  const { uri, name = uri, text: body, data: blob } = own;
  const mimeType = own.mimeType === undefined ? {} : { mimeType: own.mimeType };
  if (body === undefined && blob === undefined)
    return { ...meta, type: "resource_link", uri, name, ...mimeType };
  const { resource: inner, ...outer } = meta ?? {};
  const kept = isRecord(inner) ? inner : {};
  const content = body === undefined ? { blob: blob ?? "" } : { text: body };
  return { ...outer, type: "resource", resource: { ...kept, uri, ...mimeType, ...content } };
}

/**
 * Returns an MCP server's answer to a call as a result of ours. Every block and member is kept, also those for which we have no
 * field.
 */
export function fromMcpResult({ content, structuredContent, isError, ...members }: McpResult): PartialResult {
  const said = textsOf(content);
  const [first] = content;
  const isPlainText = content.length === 1 && first?.type === "text" && Object.keys(first).length === 2;
  // A failure's text that is too long for one sentence is kept as a block.
  const isShort = isPlainText && first.text.length <= maxSentence;
  const blocks = (isError === true ? isShort : isPlainText) ? {} : { content: content.map(fromMcpBlock) };
  if (isError === true)
    return failure(said || "the MCP server reported an error without a text", {
      ...blocks,
      meta: keptMembers({ ...members, structuredContent }),
    });
  const meta = keptMembers(members);
  if (structuredContent !== undefined) {
    // Since 2026, structured content need not be an object. Other values are kept here, so that they differ from a text.
    const own = isRecord(structuredContent) ? meta : keptMembers({ ...members, structuredContent });
    return data<unknown>(structuredContent, { content: content.map(fromMcpBlock), meta: own });
  }
  if (isPlainText) return data<unknown>(first.text, { meta });
  return data<unknown>(content.some(({ type }) => type === "text") ? said : null, { ...blocks, meta });
}

/** Longest text of a failure that needs no block besides its sentence, in characters. */
const maxSentence = 4_000;

/** Members that concern only the connection on which a result was sent. */
const ofConnection: ReadonlySet<string> = new Set(["resultType", "requestState", "inputRequests"]);

function keptMembers(members: Readonly<Record<string, unknown>>): JsonObject | undefined {
  const kept = Object.entries(members).filter(
    ([name, value]) => value !== undefined && !ofConnection.has(name),
  );
  return kept.length === 0 ? undefined : { [mcpKey]: Object.fromEntries(kept) as JsonObject };
}

function fromMcpBlock(block: McpBlock): ContentBlock {
  if (block.type === "resource") return fromEmbedded(block);
  if (block.type === "text") {
    const { type, text: value, ...rest } = block;
    return { type, text: value, ...metaOf(rest) };
  }
  if (block.type === "resource_link") {
    const { type: _, uri, name, mimeType, ...rest } = block;
    return { type: "file", uri, name, ...(mimeType !== undefined && { mimeType }), ...metaOf(rest) };
  }
  const { type, data: base64, mimeType, ...rest } = block;
  return { type, data: base64, mimeType, ...metaOf(rest) };
}

function fromEmbedded({ resource, type: _, ...rest }: Extract<McpBlock, { type: "resource" }>): ContentBlock {
  const { uri, mimeType, ...others } = resource;
  const { text: body, blob, ...inner } = others as typeof others & { text?: string; blob?: string };
  return {
    type: "file",
    uri,
    ...(mimeType !== undefined && { mimeType }),
    ...(body === undefined ? { data: blob ?? "" } : { text: body }),
    ...metaOf({ ...rest, ...(Object.keys(inner).length > 0 && { resource: inner }) }),
  };
}

function metaOf(rest: object): { meta?: JsonObject } {
  return Object.keys(rest).length === 0 ? {} : { meta: rest as Record<string, Json> };
}
