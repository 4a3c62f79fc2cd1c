import { ProtocolError, ProtocolErrorCode, type CallToolResult } from "@modelcontextprotocol/server";
import type { ToolInfo, ToolOutcome } from "@toolmount/core";
import { fitsOutputSchema } from "@toolmount/core/schemas";
import { isRecord } from "@toolmount/core/json";
import { toMcpResult, withoutStructuredData } from "../wire/result.ts";
import { withWhole } from "./outputs.ts";
import type { ServedSession } from "./served-session.ts";
import { isListed, type Era } from "./tool-list.ts";

/** Renders the answer to a call. An unknown tool is an error of the protocol; everything else is a result for the model. */
export async function render(
  answer: object,
  { era, served }: { readonly era: Era; readonly served: ServedSession },
): Promise<CallToolResult> {
  // The answer is a task or a question to the client.
  if (!isOutcome(answer)) return answer as CallToolResult;
  const { status, result, tool } = answer;
  const own = serverError(result);
  // If a mounted server needs a capability that the client lacks, the client has to get its error.
  if (own?.code === ProtocolErrorCode.MissingRequiredClientCapability) throw own;
  if (status === "not_found")
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, result.error ?? `Unknown tool: ${tool}`);
  const whole = withWhole(served.host, answer, toMcpResult(answer));
  const { structuredContent, ...others } = whole;
  // Before 2026, structured content must be an object.
  const rendered = era === "modern" || isRecord(structuredContent) ? whole : others;
  const info = served.host.coordinator.get("tools", tool) as Pick<ToolInfo, "outputSchema"> | null;
  if (!isListed(info?.outputSchema, era)) return rendered;
  // Clients check results that are not errors, so a result must have the data that the schema promises or be an error.
  const made = status === "ok" ? result.data : rendered.structuredContent;
  if (rendered.isError === true || made === undefined) return { ...rendered, isError: true };
  return (await fitsOutputSchema(served.host, tool, made))
    ? { ...rendered, structuredContent: rendered.structuredContent ?? made }
    : withoutStructuredData(rendered);
}

export function isOutcome(answer: object): answer is ToolOutcome {
  return "runId" in answer && "status" in answer && "result" in answer;
}

/** Returns the protocol error with which a mounted server ended a call; undefined if it ended in another way. */
export function serverError({ code, error = "", details }: ToolOutcome["result"]): ProtocolError | undefined {
  if (code !== "MCP_ERROR" || !isRecord(details) || typeof details["code"] !== "number") return undefined;
  return new ProtocolError(details["code"], error, details["data"]);
}
