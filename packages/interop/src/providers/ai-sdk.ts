import type { CallContext, Host, ToolInfo } from "@toolmount/core";
import { outcomeText } from "../schema/definition.ts";
import { aiSchemaMark } from "../schema/foreign-schema.ts";
import { isRecord } from "../schema/guards.ts";

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
  const own = { [aiSchemaMark]: true, validate: (value: unknown) => ({ success: true, value }) };
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
