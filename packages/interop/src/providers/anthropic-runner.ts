import { randomUUID } from "node:crypto";
import type { ToolInfo } from "@toolmount/core";
import { AgentCalls, type AgentContext, type AgentHost } from "./agent-calls.ts";
import { toAnthropic, type AnthropicContent, type AnthropicTool } from "./anthropic.ts";
import { outcomeText } from "../schema/definition.ts";

/** A tool of a host in the form in which the tool runner of Anthropic's client runs it. */
export interface AnthropicRunnableTool extends AnthropicTool {
  readonly run: (
    input: unknown,
    context?: { readonly toolUse: { readonly id: string }; readonly signal?: AbortSignal | null | undefined },
  ) => Promise<AnthropicContent[]>;
  readonly parse: (input: unknown) => unknown;
}

/** Tools of a host for the tool runner of Anthropic's client. */
export interface AnthropicRunnerExport {
  readonly tools: AnthropicRunnableTool[];
  /** Returns the ids of calls that have begun to wait for a person since these tools were made. */
  waiting(): readonly string[];
}

/**
 * Returns tools of a host for `client.beta.messages.toolRunner`. A failed call becomes an error result for the model. The
 * runner has no approvals: after each message, ask `runner.generateToolResponse()` and `waiting()`. While a call waits, store
 * the messages and leave the loop. Later, a new runner with the same messages makes the call again with the same id, and the
 * host resumes it.
 */
export function toAnthropicRunner(
  host: AgentHost,
  infos: readonly Pick<ToolInfo, "name" | "description" | "inputSchema">[],
  context: AgentContext = {},
): AnthropicRunnerExport {
  const calls = new AgentCalls(host, context);
  const exported = toAnthropic(infos);
  const waiting = new Set<string>();
  return {
    waiting: () => [...waiting],
    tools: exported.tools.map((tool) => ({
      ...tool,
      parse: (input) => input,
      run: async (input, { toolUse, signal } = { toolUse: { id: randomUUID() } }) => {
        const { id } = toolUse;
        const call = {
          id,
          name: exported.names.fromProvider(tool.name),
          arguments: JSON.stringify(input ?? {}),
        };
        const outcome = await calls.run(call, { abortSignal: signal ?? undefined });
        if (outcome.status === "pending") waiting.add(id);
        else waiting.delete(id);
        const { content, is_error: isError } = exported.writeResult(outcome);
        if (isError !== true) return content;
        throw new Error(outcomeText(outcome).replace(/^Error: /, "")); // the runner turns this into an error result
      },
    })),
  };
}
