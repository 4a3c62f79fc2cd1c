import { isRecord, refusalOf } from "@toolmount/core/json";
import type { ReadResourceResult } from "@modelcontextprotocol/server";
import { isToolmountError, type Host, type ToolOutcome } from "@toolmount/core";
import { tryParse } from "../reading/members.ts";
import type { McpBlock, McpResult } from "../wire/shapes.ts";

/** Start of the addresses at which clients read what was cut from a result. The ref that follows cannot be guessed. */
const scheme = "toolmount://output/";

/** Characters of a large value that are shown instead of the whole. */
const shownLength = 16_384;

/** The host whose outputs are read, and the user who reads them. */
export interface OutputReader {
  readonly host: Pick<Host, "output">;
  /** The client's user, who can read only what was cut from this user's own results. */
  readonly userId?: string | undefined;
}

/** Returns the whole of a cut result, as the resource that `uri` names; undefined for any other address. */
export function readOutput({ host, userId }: OutputReader, uri: string): ReadResourceResult | undefined {
  if (!uri.startsWith(scheme)) return undefined;
  const text = wholeOf(host, uri.slice(scheme.length), userId);
  return text === undefined ? undefined : { contents: [{ uri, mimeType: "text/plain", text }] };
}

/**
 * Adds to a cut result a link to the whole text. If the data were only larger than the host's limit, the client also gets them
 * as structured content and without an error, because the call has succeeded.
 */
export function withWhole(host: Pick<Host, "output">, outcome: ToolOutcome, rendered: McpResult): McpResult {
  const { truncated, code } = outcome.result;
  if (truncated === undefined) return rendered;
  const whole = wholeOf(host, truncated.ref);
  if (whole === undefined) return rendered;
  const linked = { ...rendered, content: [...rendered.content, linkTo(outcome.tool, truncated)] };
  // A value that was too large to be kept whole has been cut, so it is no JSON.
  const data = refusalOf(whole) === null ? tryParse(whole) : undefined;
  if (!isRecord(data) || !(code === "OUTPUT_TOO_LARGE" || rendered.structuredContent !== undefined))
    return linked;
  const { isError: _, ...made } = linked;
  if (code !== "OUTPUT_TOO_LARGE") return { ...made, structuredContent: data };
  const [, ...others] = made.content;
  const shown = `${whole.slice(0, shownLength)}\n… [${truncated.bytes} bytes in all]`;
  return { ...made, content: [{ type: "text", text: shown }, ...others], structuredContent: data };
}

function linkTo(tool: string, { bytes, ref }: { readonly bytes: number; readonly ref: string }): McpBlock {
  const description = "The whole of what was cut here; it is kept for some time";
  const named = { uri: scheme + ref, name: `output of ${tool}`, description, size: bytes };
  return { type: "resource_link", ...named };
}

function wholeOf(host: Pick<Host, "output">, ref: string, userId?: string): string | undefined {
  try {
    return host.output(ref, { limit: Number.MAX_SAFE_INTEGER, userId }).text;
  } catch (error) {
    if (isToolmountError(error) && error.code === "OUTPUT_NOT_FOUND") return undefined;
    throw error;
  }
}
