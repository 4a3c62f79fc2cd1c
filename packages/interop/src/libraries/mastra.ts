import { data, failure, type PartialResult, type ToolContext, type ToolDefinition } from "@toolmount/core";
import { approvalFlags } from "../schema/approval-flags.ts";
import { fromModelOutput, plainValue } from "../schema/foreign-result.ts";
import { readSchema } from "../schema/foreign-schema.ts";
import { foreignTool } from "../schema/foreign-tool.ts";
import { isRecord, readText, type Members } from "../schema/guards.ts";

/** Mark of Mastra's tools, from version 1 on. Source: `@mastra/core`, tools/tool. */
const mark = Symbol.for("mastra.core.tool.Tool");

/**
 * Returns a tool of Mastra's `createTool` as a definition of ours, with its `id` as the name. Mastra's check of arguments and
 * output answers with `{ error: true, message }`, and its built-in tools with `{ isError: true, content }`: both are failures
 * here. Before version 1, the arguments are a member of the first parameter.
 */
export function fromMastraTool(tool: Members): ToolDefinition {
  const name = readText(tool["id"]);
  const execute = tool["execute"] as (...given: readonly unknown[]) => unknown;
  const isOlder = !(mark in tool) && tool["constructor"]?.["name" as never] === "Tool";
  return foreignTool({
    ...approvalFlags(tool),
    name,
    description: tool["description"],
    arguments: { schema: readSchema(name, tool["inputSchema"]).schema },
    run: async (input, context) => {
      const suspension = { asked: false };
      const given = isOlder
        ? [{ context: input, ...common(context) }, common(context)]
        : [input, agentOf(context, suspension)];
      const output = await Reflect.apply(execute, tool, given);
      if (suspension.asked) return failure(suspended, { code: "SUSPENDED" });
      return answer(tool, output);
    },
  });
}

const suspended =
  "the tool suspended its run to ask for more; a call here cannot be resumed with Mastra's data, so it ended";

function common({ abortSignal, callId }: ToolContext) {
  return { abortSignal, toolCallId: callId, messages: [] };
}

/** Returns the context of a tool that an agent calls, but without `mastra`, storage and a workflow. */
function agentOf(context: ToolContext, suspension: { asked: boolean }) {
  const suspend = () => void (suspension.asked = true);
  return {
    ...common(context),
    agent: { agentId: "", toolCallId: context.callId, messages: [], suspend, threadId: context.sessionId },
    suspend,
  };
}

async function answer(tool: Members, output: unknown): Promise<PartialResult> {
  if (isRecord(output)) {
    const { error, isError, message, content } = output;
    const sentence = error === true ? message : isError === true ? content : undefined;
    if (typeof sentence === "string" && sentence !== "") return failure(sentence);
  }
  const convert = tool["toModelOutput"];
  if (typeof convert !== "function") return data(plainValue(output));
  const made = fromModelOutput(await Reflect.apply(convert, tool, [output]));
  if (made === undefined) throw new Error("its toModelOutput returned no output for a model");
  return made;
}

/** Whether a value is a Mastra tool: it has the mark or, from before the mark, the class name and an `inputSchema`. */
export function isMastraTool(tool: Members): boolean {
  if (typeof tool["id"] !== "string" || typeof tool["execute"] !== "function") return false;
  return mark in tool || (tool["constructor"]?.["name" as never] === "Tool" && "inputSchema" in tool);
}
