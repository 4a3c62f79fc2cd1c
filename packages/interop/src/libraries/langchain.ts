import { failure, type PartialResult, type ToolDefinition } from "@toolmount/core";
import { approvalFlags } from "../schema/approval-flags.ts";
import { answerOf } from "../schema/foreign-result.ts";
import { readSchema } from "../schema/foreign-schema.ts";
import { foreignTool } from "../schema/foreign-tool.ts";
import { isRecord } from "../schema/guards.ts";

/**
 * Returns a LangChain tool as a definition of ours: its name, description, schema, and `invoke`, which parses the arguments again.
 * A `ToolMessage` with status `error` is a failure; images and files of a message are content.
 */
export function fromLangChainTool(tool: {
  readonly name: string;
  readonly description: string;
  readonly schema: unknown;
  invoke(input: never, config?: never): unknown;
}): ToolDefinition {
  return foreignTool({
    ...approvalFlags(tool),
    name: tool.name,
    description: tool.description,
    arguments: { schema: readSchema(tool.name, tool.schema).schema },
    run: async (args, { abortSignal, callId, sessionId }) => {
      const config = { signal: abortSignal, configurable: { thread_id: sessionId } };
      // Only a whole call is answered with a message, which says whether it failed and has its images.
      const isOwn = "lc_namespace" in tool;
      const call = isOwn ? { type: "tool_call", id: callId, name: tool.name, args } : args;
      return fromToolMessage(await tool.invoke(call as never, config as never));
    },
  });
}

/** Reads what `invoke` returned for a tool call: a message, or a value that has no place in one. */
function fromToolMessage(returned: unknown): PartialResult {
  if (isRecord(returned) && returned["lg_name"] === "Command")
    return failure(
      "the tool returned a Command, which changes a graph of LangGraph, and this host runs no graph",
      {
        code: "COMMAND_REFUSED",
      },
    );
  if (!isRecord(returned) || !("tool_call_id" in returned)) return answerOf(returned);
  const { content, status } = returned;
  if (status === "error") return failure(typeof content === "string" ? content : JSON.stringify(content));
  return answerOf(content);
}
