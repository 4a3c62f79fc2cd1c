import {
  data,
  failure,
  type CallContext,
  type Host,
  type PartialResult,
  type ToolContext,
  type ToolDefinition,
  type ToolInfo,
  type ToolSchema,
} from "@toolmount/core";
import { outcomeText } from "../schema/definition.ts";
import { isRecord } from "../schema/guards.ts";

/** By this the AI SDK knows a schema of its own. Source: provider-utils, schema.ts. */
const schemaMark = Symbol.for("vercel.ai.schema");

/** What the AI SDK tells a tool beside its input. */
export interface AiSdkCallOptions {
  readonly toolCallId?: string | undefined;
  readonly abortSignal?: AbortSignal | undefined;
  readonly messages?: readonly unknown[] | undefined;
}

/** A tool as the AI SDK takes it. */
export interface AiSdkTool {
  readonly description: string;
  readonly inputSchema: { readonly jsonSchema: Readonly<Record<string, unknown>> };
  execute(input: unknown, options?: AiSdkCallOptions): Promise<unknown>;
}

/**
 * Tools of a host as the AI SDK's `tools`. A call that fails throws its text, as tools of the SDK do, and the SDK tells
 * the model. Arguments are checked by the host alone.
 */
export function toAiSdkTools(
  host: Pick<Host, "call">,
  infos: readonly Pick<ToolInfo, "name" | "description" | "inputSchema">[],
  context: CallContext = {},
): Readonly<Record<string, AiSdkTool>> {
  return Object.fromEntries(
    infos.map(({ name, description, inputSchema }) => [
      name,
      {
        description,
        inputSchema: {
          [schemaMark]: true,
          jsonSchema: inputSchema,
          validate: (value: unknown) => ({ success: true, value }),
        },
        execute: async (input: unknown, options: AiSdkCallOptions = {}) => {
          const outcome = await host.call(
            { id: options.toolCallId, name, arguments: isRecord(input) ? input : JSON.stringify(input) },
            { ...context, abortSignal: options.abortSignal ?? context.abortSignal },
          );
          if (outcome.result.error !== undefined)
            throw new AiSdkToolFailure(outcomeText(outcome), outcome.result.code);
          return outcome.result.data;
        },
      },
    ]),
  );
}

/** Thrown to the AI SDK by a call that failed. */
export class AiSdkToolFailure extends Error {
  override readonly name = "AiSdkToolFailure";
  readonly code: string | undefined;

  constructor(message: string, code: string | undefined) {
    super(message);
    this.code = code;
  }
}

/** A tool made with the AI SDK, under the name it is to have. Without an `execute` it runs at the client. */
export function fromAiSdkTool(name: string, tool: Readonly<Record<string, unknown>>): ToolDefinition {
  const { description, execute } = tool;
  const schema = readSchema(tool["inputSchema"] ?? tool["parameters"]);
  return {
    name,
    description: typeof description === "string" ? description : "",
    schema,
    execution: typeof execute === "function" ? "server" : "client",
    execute: async (input, context) =>
      typeof execute === "function"
        ? lastOf(Reflect.apply(execute, tool, [input, optionsOf(context)]), context)
        : failure(`"${name}" runs at the client`),
  };
}

function readSchema(given: unknown): ToolSchema {
  const lazy: unknown =
    typeof given === "function" && !("~standard" in given) ? (given as () => unknown)() : given;
  const isOwn = typeof lazy === "object" && lazy !== null && "jsonSchema" in lazy && !("~standard" in lazy);
  return (isOwn ? lazy.jsonSchema : lazy) as ToolSchema;
}

function optionsOf({ callId, abortSignal }: ToolContext) {
  return { toolCallId: callId, abortSignal, messages: [] };
}

/** Of a tool that yields, the last value is the answer; those before it are progress. */
async function lastOf(returned: unknown, context: ToolContext): Promise<PartialResult> {
  const value: unknown = await returned;
  if (typeof value !== "object" || value === null || !(Symbol.asyncIterator in value)) return data(value);
  let last: unknown = null;
  let count = 0;
  for await (const next of value as AsyncIterable<unknown>) {
    if (count > 0) context.progress({ progress: count });
    last = next;
    count++;
  }
  return data(last);
}
