import { data, ToolmountError, type PartialResult, type ToolDefinition } from "@toolmount/core";
import { approvalFlags } from "../schema/approval-flags.ts";
import { answerOf, fromMcpResult } from "../schema/foreign-result.ts";
import { ArgumentsRefused, readSchema } from "../schema/foreign-schema.ts";
import { foreignTool } from "../schema/foreign-tool.ts";
import { isRecord, readText, type Members } from "../schema/guards.ts";

type Work = (...given: readonly unknown[]) => unknown;

/**
 * Returns a tool of Anthropic's helpers `betaZodTool` and `betaTool` as a definition of ours; `parse` is called before `run`.
 */
export function fromAnthropicRunnable(tool: Members): ToolDefinition {
  const name = readText(tool["name"]);
  const { input_schema: schema, parse, run } = tool;
  if (!isRecord(schema))
    throw new ToolmountError("TOOL_INVALID", {
      tool: name,
      problem: `its type is ${String(tool["type"])}, whose schema only Anthropic's models know; leave it in the program that asks the model`,
    });
  const own = readSchema(name, schema).schema;
  return foreignTool({
    ...approvalFlags(tool),
    name,
    description: tool["description"],
    arguments:
      typeof parse === "function" ? { schema: own, parse: parseWith(tool, parse as Work) } : { schema: own },
    run: async (input, { abortSignal }) =>
      answerOf(await Reflect.apply(run as Work, tool, [input, { signal: abortSignal }])),
  });
}

function parseWith(tool: Members, parse: Work) {
  return (value: unknown): unknown => {
    try {
      return Reflect.apply(parse, tool, [value]);
    } catch (cause) {
      throw new ArgumentsRefused(cause instanceof Error ? cause.message : String(cause), { cause });
    }
  };
}

/**
 * Returns a tool of Anthropic's agent SDK as a definition of ours: it has a Zod shape, and a `handler` that answers like an MCP
 * server.
 */
export function fromAgentSdkTool(tool: Members): ToolDefinition {
  const name = readText(tool["name"]);
  const handler = tool["handler"] as Work;
  return foreignTool({
    ...approvalFlags(tool),
    name,
    description: tool["description"],
    arguments: readSchema(name, tool["inputSchema"] ?? tool["parameters"]),
    run: async (input, context) => mcpOrPlain(await Reflect.apply(handler, tool, [input, extraOf(context)])),
  });
}

function extraOf({ abortSignal, sessionId, callId }: Parameters<ToolDefinition["execute"]>[1]) {
  return { signal: abortSignal, sessionId, requestId: callId };
}

function mcpOrPlain(returned: unknown): PartialResult {
  if (isRecord(returned) && Array.isArray(returned["content"])) return fromMcpResult(returned);
  return returned === undefined ? data(null) : answerOf(returned);
}
