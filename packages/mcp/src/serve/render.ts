import { ProtocolError, ProtocolErrorCode, type CallToolResult } from "@modelcontextprotocol/server";
import type { ToolInfo, ToolOutcome } from "@toolmount/core";
import { fitsOutputSchema } from "@toolmount/core/schemas";
import { isRecord } from "@toolmount/core/json";
import { toMcpResult, withoutStructuredData } from "../wire/result.ts";
import { withWhole } from "./outputs.ts";
import type { ServedSession } from "./served-session.ts";
import { isListed, type Era } from "./tool-list.ts";

/** A tool that is not there is an error of the protocol; everything else is a result that a model can read. */
export async function render(
  outcome: ToolOutcome,
  { era, served }: { readonly era: Era; readonly served: ServedSession },
): Promise<CallToolResult> {
  const { status, result, tool } = outcome;
  const own = serverError(result);
  // A mounted server that needs a capability which the client lacks says so by an error, which the client has to see.
  if (own?.code === ProtocolErrorCode.MissingRequiredClientCapability) throw own;
  if (status === "not_found")
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, result.error ?? `Unknown tool: ${tool}`);
  const whole = withWhole(served.host, outcome, toMcpResult(outcome));
  const { structuredContent, ...others } = whole;
  // Before 2026, structured content is an object.
  const rendered = era === "modern" || isRecord(structuredContent) ? whole : others;
  const info = served.host.coordinator.get("tools", tool) as Pick<ToolInfo, "outputSchema"> | null;
  if (!isListed(info?.outputSchema, era)) return rendered;
  // Clients validate what is not an error: it has the data that the schema promises, or it is an error.
  const made = status === "ok" ? result.data : rendered.structuredContent;
  if (rendered.isError === true || made === undefined) return { ...rendered, isError: true };
  return (await fitsOutputSchema(served.host, tool, made))
    ? { ...rendered, structuredContent: rendered.structuredContent ?? made }
    : withoutStructuredData(rendered);
}

/** The error of the protocol with which a mounted server ended a call; undefined for every other end. */
export function serverError({ code, error = "", details }: ToolOutcome["result"]): ProtocolError | undefined {
  if (code !== "MCP_ERROR" || !isRecord(details) || typeof details["code"] !== "number") return undefined;
  return new ProtocolError(details["code"], error, details["data"]);
}
