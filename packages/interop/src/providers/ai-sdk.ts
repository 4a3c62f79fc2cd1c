import { randomUUID } from "node:crypto";
import type { ContentBlock, ToolInfo } from "@toolmount/core";
import { outcomeText, sentSchema } from "../schema/definition.ts";
import { aiSchemaMark } from "../schema/foreign-schema.ts";
import { isRecord } from "../schema/guards.ts";
import { AgentCalls, type AgentCall, type AgentContext, type AgentHost } from "./agent-calls.ts";
import { contentOf, leftOut } from "./seen-content.ts";

/** Options that the AI SDK passes to a tool in addition to its input. */
export interface AiSdkCallOptions {
  readonly toolCallId?: string | undefined;
  readonly abortSignal?: AbortSignal | undefined;
  readonly messages?: readonly unknown[] | undefined;
}

/** The user and session for which the AI SDK's loop makes calls, and how results are passed on. */
export interface AiSdkContext extends AgentContext {
  /**
   * Whether the model gets the images and files of results. Default: true. With false, a sentence says that they were left out,
   * because the SDK's packages for Chat Completions write their base64 into the request as text.
   */
  readonly media?: boolean | undefined;
}

/** A tool that the AI SDK 7 accepts: its type is part of the SDK's `ToolSet`. */
export interface AiSdkTool {
  readonly description: string;
  readonly inputSchema: AiSdkSchema;
  /** Whether a person has to be asked. The host has then stored the question, which becomes the SDK's approval request. */
  readonly needsApproval: (input: unknown, options: { readonly toolCallId: string }) => Promise<boolean>;
  readonly execute: (input: unknown, options?: AiSdkCallOptions) => Promise<unknown>;
  /** Returns what the model reads of a result: its data, images and files. */
  readonly toModelOutput: (given: { readonly toolCallId: string; readonly output: unknown }) => AiSdkOutput;
}

/** A result in the form in which the SDK passes it to a provider. */
export type AiSdkOutput =
  | { readonly type: "text"; readonly value: string }
  | { readonly type: "json"; readonly value: JSONValue }
  | { readonly type: "content"; readonly value: AiSdkPart[] };

/** JSON in the SDK's own type, whose members are not read-only. */
type JSONValue = null | string | number | boolean | { [key: string]: JSONValue | undefined } | JSONValue[];

interface AiSdkFile {
  readonly type: "file";
  readonly mediaType: string;
  readonly filename?: string;
  readonly data: { readonly type: "data"; readonly data: string };
}

type AiSdkPart = { readonly type: "text"; readonly text: string } | AiSdkFile;

/** A schema in the AI SDK's form, with the type of a Standard Schema. Only the host checks arguments. */
interface AiSdkSchema {
  readonly jsonSchema: Readonly<Record<string, unknown>>;
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => { readonly value: unknown };
  };
}

/**
 * Returns tools of a host as the AI SDK's `tools`. A failed call throws its text, as the SDK's own tools do, and the SDK passes
 * the text to the model. Only the host checks arguments. If the host asks a person about a call, that becomes an approval
 * request of the SDK: one question, answered in the host ({@link answerAiSdkApprovals}) or, with `answersAs`, also in the SDK.
 */
export function toAiSdkTools(
  host: AgentHost,
  infos: readonly Pick<ToolInfo, "name" | "description" | "inputSchema">[],
  { media = true, ...context }: AiSdkContext = {},
): Record<string, AiSdkTool> {
  const newest = new NewestContent();
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
          newest.keep(toolCallId, partsOf(outcome.result.content, media));
          return outcome.result.data;
        },
        toModelOutput: ({ toolCallId, output }) => outputOf(output, newest.of(toolCallId)),
      } satisfies AiSdkTool,
    ]),
  );
}

function callOf(name: string, input: unknown, id: string): AgentCall {
  return { id, name, arguments: isRecord(input) ? input : JSON.stringify(input) };
}

/**
 * Images and files of the newest results. The SDK passes on only what `execute` returns, and asks for these later by the call's
 * id.
 */
class NewestContent {
  readonly #parts = new Map<string, AiSdkPart[]>();

  keep(callId: string, found: AiSdkPart[]): void {
    if (found.length === 0) return;
    this.#parts.set(callId, found);
    const [oldest] = this.#parts.keys();
    if (this.#parts.size > maxKept && oldest !== undefined) this.#parts.delete(oldest);
  }

  of(callId: string): AiSdkPart[] {
    return this.#parts.get(callId) ?? [];
  }
}

/** Returns the images and files of a result, after a text about those that the model cannot see. */
export function partsOf(content: readonly ContentBlock[] | undefined, media: boolean): AiSdkPart[] {
  const { images, files, notes } = contentOf(content);
  const said = media ? notes : [...notes, ...leftOut({ images, files })];
  const texts = said.length === 0 ? [] : [{ type: "text" as const, text: said.join("\n") }];
  if (!media) return texts;
  return [
    ...texts,
    ...images.map(({ data, mimeType: mediaType }) => ({
      type: "file" as const,
      mediaType,
      data: { type: "data" as const, data },
    })),
    ...files.map(({ name: filename, data, mimeType: mediaType }) => ({
      type: "file" as const,
      mediaType,
      filename,
      data: { type: "data" as const, data },
    })),
  ];
}

/** Number of results whose images and files are kept; older ones were sent long ago. */
const maxKept = 32;

/**
 * Returns a result in the form that the SDK's providers take, with only one text: for older models, Gemini's package would
 * write a response for each text.
 */
export function outputOf(output: unknown, parts: AiSdkPart[]): AiSdkOutput {
  const text = typeof output === "string" ? output : JSON.stringify(output ?? null);
  const [first, ...others] = parts;
  if (first?.type === "text") return withText(`${text}\n${first.text}`, others);
  if (first !== undefined) return withText(text, parts);
  if (typeof output === "string") return { type: "text", value: output };
  return { type: "json", value: (output ?? null) as JSONValue };
}

function withText(text: string, files: AiSdkPart[]): AiSdkOutput {
  if (files.length === 0) return { type: "text", value: text };
  return { type: "content", value: [{ type: "text", text }, ...files] };
}

/** Returns a schema in the SDK's form. At runtime, the SDK recognises its own mark; its types know only the Standard Schema. */
export function schemaOf(inputSchema: ToolInfo["inputSchema"]): AiSdkSchema {
  const own = { [aiSchemaMark]: true, validate: (value: unknown) => ({ success: true, value }) };
  return {
    ...own,
    jsonSchema: sentSchema(inputSchema),
    "~standard": { version: 1, vendor: "toolmount", validate: (value) => ({ value }) },
  };
}

/** The error for a failed call, which is thrown to the AI SDK. */
export class AiSdkToolFailure extends Error {
  override readonly name = "AiSdkToolFailure";
  readonly code: string | undefined;

  constructor(message: string, code: string | undefined) {
    super(message);
    this.code = code;
  }
}
