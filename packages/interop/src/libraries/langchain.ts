import { failure, type PartialResult, type ToolDefinition } from "@toolmount/core";
import { approvalFlags } from "../schema/approval-flags.ts";
import { answerOf } from "../schema/foreign-result.ts";
import { readSchema } from "../schema/foreign-schema.ts";
import { foreignTool } from "../schema/foreign-tool.ts";
import { isRecord } from "../schema/guards.ts";

/**
 * Returns a LangChain tool as a definition of ours. Its `invoke` parses the arguments again. A `ToolMessage` with the status
 * `error` is a failure; images and files in a message become content.
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
      // Only a whole tool call is answered with a message, which says whether the call failed and contains its images.
      const isOwn = "lc_namespace" in tool;
      const call = isOwn ? { type: "tool_call", id: callId, name: tool.name, args } : args;
      return fromToolMessage(await tool.invoke(call as never, config as never));
    },
  });
}

/** Reads what `invoke` returned for a tool call: a message, or a value that cannot be in a message. */
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
