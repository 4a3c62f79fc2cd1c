import type { ToolContext, ToolDefinition } from "@toolmount/core";
import { failure } from "@toolmount/core";
import { answerOf } from "../schema/foreign-result.ts";
import { readSchema } from "../schema/foreign-schema.ts";
import { foreignTool } from "../schema/foreign-tool.ts";
import { readText, type Members } from "../schema/guards.ts";

/** Makes the run context that a tool of OpenAI Agents reads. Each call counts as a separate run. */
function runContext({ signal }: { readonly signal: AbortSignal | undefined }) {
  return { context: {}, signal, isToolApproved: () => undefined, usage: {} };
}

/**
 * Returns a function tool of OpenAI Agents as a definition of ours. Its `invoke` gets the arguments as a text and parses them.
 * `needsApproval` is asked with the arguments, `isEnabled` before each call, and `timeoutMs` becomes the tool's timeout.
 */
export function fromOpenAIAgentsTool(tool: Members): ToolDefinition {
  const name = readText(tool["name"]);
  const { timeoutMs, needsApproval } = tool;
  return foreignTool({
    name,
    description: tool["description"],
    arguments: { schema: readSchema(name, tool["parameters"]).schema },
    ...(typeof timeoutMs === "number" && { timeout: timeoutMs }),
    ...(typeof needsApproval === "function" && {
      requiresConfirmation: async (params: unknown) =>
        (await Reflect.apply(needsApproval, tool, [runContext({ signal: undefined }), params])) !== false,
    }),
    run: async (input, context) => {
      if (!(await isEnabled(tool, context)))
        return failure(`"${name}" is not enabled now`, { code: "NOT_ENABLED" });
      const details = { signal: context.abortSignal, toolCall: callOf(name, input, context) };
      const invoke = tool["invoke"] as (...given: readonly unknown[]) => unknown;
      const run = runContext({ signal: context.abortSignal });
      return answerOf(await Reflect.apply(invoke, tool, [run, JSON.stringify(input), details]));
    },
  });
}

function callOf(name: string, input: unknown, { callId }: ToolContext) {
  return { type: "function_call", callId, name, arguments: JSON.stringify(input), status: "in_progress" };
}

async function isEnabled(tool: Members, { abortSignal }: ToolContext): Promise<boolean> {
  const { isEnabled: asked } = tool;
  if (typeof asked !== "function") return asked !== false;
  return (await Reflect.apply(asked, tool, [runContext({ signal: abortSignal }), undefined])) !== false;
}
