import {
  data,
  failure,
  ToolmountError,
  type CallContext,
  type Host,
  type PartialResult,
  type ToolContext,
  type ToolDefinition,
  type ToolInfo,
  type ToolSchema,
} from "@toolmount/core";
import { foreignDefinition } from "@toolmount/core/internal";
import { approvalFlags } from "../schema/approval-flags.ts";
import { outcomeText } from "../schema/definition.ts";
import { isRecord } from "../schema/guards.ts";

/** The mark of the AI SDK's own schemas. Source: provider-utils, schema.ts. */
const schemaMark = Symbol.for("vercel.ai.schema");

/** What the AI SDK gives a tool beside its input. */
export interface AiSdkCallOptions {
  readonly toolCallId?: string | undefined;
  readonly abortSignal?: AbortSignal | undefined;
  readonly messages?: readonly unknown[] | undefined;
}

/** A tool that the AI SDK 7 accepts: its type is part of the SDK's `ToolSet`. */
export interface AiSdkTool {
  readonly description: string;
  readonly inputSchema: AiSdkSchema;
  readonly execute: (input: unknown, options?: AiSdkCallOptions) => Promise<unknown>;
}

/** A schema in the form of the AI SDK, typed as a Standard Schema. The host alone checks arguments. */
interface AiSdkSchema {
  readonly jsonSchema: Readonly<Record<string, unknown>>;
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => { readonly value: unknown };
  };
}

/**
 * Tools of a host as the AI SDK's `tools`. A failed call throws its text, as the SDK's tools do, and the SDK passes the
 * text to the model. The host alone checks arguments.
 */
export function toAiSdkTools(
  host: Pick<Host, "call">,
  infos: readonly Pick<ToolInfo, "name" | "description" | "inputSchema">[],
  context: CallContext = {},
): Record<string, AiSdkTool> {
  return Object.fromEntries(
    infos.map(({ name, description, inputSchema }) => [
      name,
      {
        description,
        inputSchema: schemaOf(inputSchema),
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

/** The SDK recognises its own mark first; the Standard Schema is what its types know. */
function schemaOf(jsonSchema: ToolInfo["inputSchema"]): AiSdkSchema {
  const own = { [schemaMark]: true, validate: (value: unknown) => ({ success: true, value }) };
  return {
    ...own,
    jsonSchema,
    "~standard": { version: 1, vendor: "toolmount", validate: (value) => ({ value }) },
  };
}

/** The error of a failed call, thrown to the AI SDK. */
export class AiSdkToolFailure extends Error {
  override readonly name = "AiSdkToolFailure";
  readonly code: string | undefined;

  constructor(message: string, code: string | undefined) {
    super(message);
    this.code = code;
  }
}

/**
 * A tool of the AI SDK as a definition of ours, under a name. Without an `execute` it runs at the client. A tool that
 * needs an approval asks. Throws `TOOL_INVALID` for a tool of OpenAI Agents, which has `invoke` instead.
 */
export function fromAiSdkTool(name: string, tool: Readonly<Record<string, unknown>>): ToolDefinition {
  const { description, execute } = tool;
  if (typeof execute !== "function" && typeof tool["invoke"] === "function")
    throw new ToolmountError("TOOL_INVALID", { tool: name, problem: foreignInvoke });
  const schema = readSchema(tool["inputSchema"] ?? tool["parameters"]);
  return foreignDefinition({
    ...approvalFlags(tool),
    name,
    description: typeof description === "string" ? description : "",
    schema,
    execution: typeof execute === "function" ? "server" : "client",
    execute: async (input, context) =>
      typeof execute === "function"
        ? lastOf(Reflect.apply(execute, tool, [input, optionsOf(context)]), context)
        : failure(`"${name}" runs at the client`),
  });
}

const foreignInvoke =
  "it has invoke and no execute, so it is not a tool of the AI SDK; for LangChain use fromLangChainTool, for OpenAI Agents wrap its invoke in defineTool";

function readSchema(given: unknown): ToolSchema {
  const lazy: unknown =
    typeof given === "function" && !("~standard" in given) ? (given as () => unknown)() : given;
  if (typeof lazy !== "object" || lazy === null || !("jsonSchema" in lazy)) return lazy as ToolSchema;
  const isOwn = schemaMark in lazy || !("~standard" in lazy);
  return (isOwn ? lazy.jsonSchema : lazy) as ToolSchema;
}

function optionsOf({ callId, abortSignal }: ToolContext) {
  return { toolCallId: callId, abortSignal, messages: [] };
}

/** The last value of a tool that yields is its result; earlier values are progress. */
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
