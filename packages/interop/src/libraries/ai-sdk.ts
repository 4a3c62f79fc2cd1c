import { data, failure, ToolmountError, type PartialResult, type ToolContext } from "@toolmount/core";
import type { ToolDefinition } from "@toolmount/core";
import { approvalFlags } from "../schema/approval-flags.ts";
import { foreignTool } from "../schema/foreign-tool.ts";
import { fromModelOutput, plainValue } from "../schema/foreign-result.ts";
import { readSchema } from "../schema/foreign-schema.ts";

type Members = Readonly<Record<string, unknown>>;

/**
 * Returns a tool of the AI SDK, version 4 or later, as a definition of ours with the given name. Without `execute`, it runs at
 * the client. If the tool needs approval, its call asks for it; `toModelOutput` decides what a model reads. Throws
 * `TOOL_INVALID` for a tool that its provider runs, and for one of OpenAI Agents, which has `invoke` instead.
 */
export function fromAiSdkTool(name: string, tool: Members): ToolDefinition {
  const { description, execute, type } = tool;
  const refuse = (problem: string) => {
    throw new ToolmountError("TOOL_INVALID", { tool: name, problem });
  };
  if (typeof execute !== "function" && typeof tool["invoke"] === "function") refuse(foreignInvoke);
  const isProviders = type === "provider" || type === "provider-defined";
  if (isProviders && typeof execute !== "function")
    refuse(
      `it is ${String(tool["id"])}, which its provider runs; leave it in the program that asks the model`,
    );
  return foreignTool({
    ...approvalFlags(tool),
    name,
    description: typeof description === "function" ? describeBy(description as Describe, name) : description,
    arguments: readSchema(name, tool["inputSchema"] ?? tool["parameters"]),
    execution: typeof execute === "function" ? "server" : "client",
    run: async (input, context) =>
      typeof execute === "function"
        ? modelOutput(
            tool,
            input,
            await lastOf(Reflect.apply(execute, tool, [input, optionsOf(context)]), context),
          )
        : failure(`"${name}" runs at the client`),
  });
}

const foreignInvoke =
  "it has invoke and no execute, so it is not a tool of the AI SDK; export it, and the plan mounts a tool of LangChain or OpenAI Agents as it is";

type Describe = (...given: readonly unknown[]) => unknown;

/** Calls a function that returns the description. The SDK calls it for each request, but here it is called only once. */
function describeBy(describe: Describe, name: string): unknown {
  try {
    return describe({ context: {} });
  } catch {
    throw new ToolmountError("TOOL_INVALID", {
      tool: name,
      problem: "its description is a function that needs the program's context",
    });
  }
}

function optionsOf({ callId, abortSignal }: ToolContext) {
  return { toolCallId: callId, abortSignal, messages: [], context: {} };
}

/**
 * Returns the result of a tool. If it yields several values, the last is the result, and each next one is reported as progress.
 */
async function lastOf(returned: unknown, context: ToolContext): Promise<unknown> {
  const value: unknown = await returned;
  if (typeof value !== "object" || value === null || !(Symbol.asyncIterator in value)) return value;
  let last: unknown = null;
  let count = 0;
  for await (const next of value as AsyncIterable<unknown>) {
    if (count > 0) context.progress({ progress: count });
    last = next;
    count++;
  }
  return last;
}

/** Returns what a model reads: the output as `toModelOutput` of the tool's version converts it, else the output itself. */
async function modelOutput(tool: Members, input: unknown, output: unknown): Promise<PartialResult> {
  const convert = tool["toModelOutput"];
  const older = tool["experimental_toToolResultContent"];
  if (typeof convert === "function") return await convertOutput(tool, convert, input, output);
  if (typeof older === "function")
    return fromModelOutput({ type: "content", value: Reflect.apply(older, tool, [output]) as unknown })!;
  return data(plainValue(output));
}

/**
 * Calls `toModelOutput`. Version 6 and later pass `{ toolCallId, input, output }`, version 5 passes the output. A tool does not
 * say which it expects, so the newer form is tried first.
 */
async function convertOutput(tool: Members, convert: unknown, input: unknown, output: unknown) {
  let read = false;
  const asked = {
    toolCallId: "",
    input,
    get output() {
      read = true;
      return output;
    },
  };
  const apply = async (given: unknown): Promise<unknown> =>
    await Reflect.apply(convert as () => unknown, tool, [given]);
  const newer = await apply(asked).then(fromModelOutput, () => undefined);
  const made = read && newer !== undefined ? newer : fromModelOutput(await apply(output));
  if (made !== undefined) return made;
  throw new Error("its toModelOutput returned no output for a model");
}
