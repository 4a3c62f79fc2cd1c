import { randomUUID } from "node:crypto";
import type { ContentBlock, ToolInfo } from "@toolmount/core";
import { outcomeText } from "../schema/definition.ts";
import { aiSchemaMark } from "../schema/foreign-schema.ts";
import { isRecord } from "../schema/guards.ts";
import { AgentCalls, type AgentCall, type AgentContext, type AgentHost } from "./agent-calls.ts";
import { imagesIn } from "./images.ts";

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
  /** Whether a person has to be asked. The question is stored in the host then, and is the SDK's approval request. */
  readonly needsApproval: (input: unknown, options: { readonly toolCallId: string }) => Promise<boolean>;
  readonly execute: (input: unknown, options?: AiSdkCallOptions) => Promise<unknown>;
  /** What the model reads of a result: its data, and its images. */
  readonly toModelOutput: (given: { readonly toolCallId: string; readonly output: unknown }) => AiSdkOutput;
}

/** A result as the SDK gives it to a provider. */
export type AiSdkOutput =
  | { readonly type: "text"; readonly value: string }
  | { readonly type: "json"; readonly value: JSONValue }
  | { readonly type: "content"; readonly value: (AiSdkText | AiSdkImage)[] };

/** JSON in the SDK's own words, which has no read-only members. */
type JSONValue = null | string | number | boolean | { [key: string]: JSONValue | undefined } | JSONValue[];

interface AiSdkText {
  readonly type: "text";
  readonly text: string;
}

interface AiSdkImage {
  readonly type: "file";
  readonly mediaType: string;
  readonly data: { readonly type: "data"; readonly data: string };
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
 * text to the model. The host alone checks arguments. A call for which the host asks a person is an approval request of the
 * SDK: one question, which is answered in the host ({@link answerAiSdkApprovals}), or with `answersAs` also in the SDK.
 */
export function toAiSdkTools(
  host: AgentHost,
  infos: readonly Pick<ToolInfo, "name" | "description" | "inputSchema">[],
  context: AgentContext = {},
): Record<string, AiSdkTool> {
  const images = new NewestImages();
  const calls = new AgentCalls(host, context);
  return Object.fromEntries(
    infos.map(({ name, description, inputSchema }) => [
      name,
      {
        description,
        inputSchema: schemaOf(inputSchema),
        needsApproval: (input, { toolCallId }) => calls.waits(callOf(name, input, toolCallId)),
        execute: async (
          input: unknown,
          { toolCallId = randomUUID(), abortSignal }: AiSdkCallOptions = {},
        ) => {
          const outcome = await calls.run(callOf(name, input, toolCallId), { abortSignal }, true);
          if (outcome.result.error !== undefined)
            throw new AiSdkToolFailure(outcomeText(outcome), outcome.result.code);
          images.keep(toolCallId, outcome.result.content ?? []);
          return outcome.result.data;
        },
        toModelOutput: ({ toolCallId, output }) => outputOf(output, images.of(toolCallId)),
      } satisfies AiSdkTool,
    ]),
  );
}

function callOf(name: string, input: unknown, id: string): AgentCall {
  return { id, name, arguments: isRecord(input) ? input : JSON.stringify(input) };
}

/** Images of the newest results. The SDK passes on only what `execute` returns, and asks for the rest by the call's id. */
class NewestImages {
  readonly #images = new Map<string, (AiSdkText | AiSdkImage)[]>();

  keep(callId: string, content: readonly ContentBlock[]): void {
    const found = imagesOf(content);
    if (found.length === 0) return;
    this.#images.set(callId, found);
    const [oldest] = this.#images.keys();
    if (this.#images.size > maxKept && oldest !== undefined) this.#images.delete(oldest);
  }

  of(callId: string): (AiSdkText | AiSdkImage)[] {
    return this.#images.get(callId) ?? [];
  }
}

/** The images of a result, and a sentence for each that a model cannot see. */
export function imagesOf(content: readonly ContentBlock[]): (AiSdkText | AiSdkImage)[] {
  const { images, notes } = imagesIn(content);
  return [
    ...notes.map((text) => ({ type: "text" as const, text })),
    ...images.map(({ data, mimeType: mediaType }) => ({
      type: "file" as const,
      mediaType,
      data: { type: "data" as const, data },
    })),
  ];
}

/** Results whose images are kept; older ones were sent long before. */
const maxKept = 32;

/** A result as a provider of the SDK takes it. */
export function outputOf(output: unknown, images: (AiSdkText | AiSdkImage)[]): AiSdkOutput {
  const text = typeof output === "string" ? output : JSON.stringify(output ?? null);
  if (images.length > 0) return { type: "content", value: [{ type: "text", text }, ...images] };
  if (typeof output === "string") return { type: "text", value: output };
  return { type: "json", value: (output ?? null) as JSONValue };
}

/** A schema in the SDK's form. The SDK recognises its own mark first; the Standard Schema is what its types know. */
export function schemaOf(jsonSchema: ToolInfo["inputSchema"]): AiSdkSchema {
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
