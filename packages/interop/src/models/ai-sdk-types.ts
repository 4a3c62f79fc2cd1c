import type { Json, JsonSchema } from "@toolmount/core";

/** Those parts of the AI SDK's `LanguageModelV3` and `LanguageModelV4` that the adapter uses. Source: @ai-sdk/provider 4. */
export interface AiSdkLanguageModel {
  readonly specificationVersion: string;
  readonly provider: string;
  readonly modelId: string;
  doGenerate(options: AiSdkRequest): PromiseLike<AiSdkAnswer>;
  doStream(options: AiSdkRequest): PromiseLike<{ readonly stream: ReadableStream<AiSdkPart> }>;
}

/** Data for one provider, by the provider's name. */
export type AiSdkOptions = Record<string, { [key: string]: Json }>;

/** Data of one provider in an answer, as JSON that is sent back as options. */
export type AiSdkMetadata = Record<string, { [key: string]: unknown }>;

export interface AiSdkRequest {
  prompt: AiSdkMessage[];
  tools?: AiSdkFunction[];
  toolChoice?: { type: "auto" };
  maxOutputTokens?: number;
  temperature?: number;
  responseFormat?: { type: "json"; schema: JsonSchema; name: string };
  reasoning?: "none" | "minimal" | "low" | "medium" | "high" | "xhigh";
  abortSignal?: AbortSignal;
  /** Adds each event of the server to the stream, as a part, in the form in which it was sent. */
  includeRawChunks?: boolean;
  providerOptions?: AiSdkOptions;
}

interface AiSdkFunction {
  type: "function";
  name: string;
  description: string;
  inputSchema: JsonSchema;
  strict?: boolean;
}

export type AiSdkMessage = (
  | { role: "system"; content: string }
  | { role: "user"; content: (AiSdkTextPart | AiSdkFilePart)[] }
  | { role: "assistant"; content: AiSdkAssistantPart[] }
  | { role: "tool"; content: AiSdkResultPart[] }
) & { providerOptions?: AiSdkOptions };

export interface AiSdkTextPart {
  type: "text";
  text: string;
  providerOptions?: AiSdkOptions;
}

export interface AiSdkFilePart {
  type: "file";
  mediaType: string;
  filename?: string;
  /** In base64. Specification v3 has only the text here and, in an output, the type `image-data` or `file-data`. */
  data: { type: "data"; data: string };
}

export type AiSdkAssistantPart =
  | AiSdkTextPart
  | { type: "reasoning"; text: string; providerOptions?: AiSdkOptions }
  | {
      type: "tool-call";
      toolCallId: string;
      toolName: string;
      input: unknown;
      providerOptions?: AiSdkOptions;
    };

export interface AiSdkResultPart {
  type: "tool-result";
  toolCallId: string;
  toolName: string;
  output:
    | { type: "text"; value: string }
    | { type: "error-text"; value: string }
    | { type: "content"; value: (AiSdkTextPart | AiSdkFilePart)[] };
}

/** A part of a stream, or of an answer in one piece; other types of parts are ignored. */
export interface AiSdkPart {
  readonly type: string;
  readonly id?: string;
  readonly delta?: string;
  readonly text?: string;
  readonly toolCallId?: string;
  readonly toolName?: string;
  readonly input?: unknown;
  readonly providerExecuted?: boolean;
  readonly providerMetadata?: AiSdkMetadata;
  readonly modelId?: string;
  readonly error?: unknown;
  /** With `includeRawChunks`: an event as the server sent it. */
  readonly rawValue?: unknown;
  readonly warnings?: readonly AiSdkWarning[];
  readonly usage?: AiSdkUsage;
  readonly finishReason?: { readonly unified: string; readonly raw: string | undefined };
}

export interface AiSdkWarning {
  readonly type: string;
  readonly feature?: string;
  readonly message?: string;
}

export interface AiSdkUsage {
  readonly inputTokens: { readonly total: number | undefined; readonly cacheRead: number | undefined };
  readonly outputTokens: { readonly total: number | undefined; readonly reasoning: number | undefined };
}

export interface AiSdkAnswer {
  readonly content: readonly AiSdkPart[];
  readonly usage: AiSdkUsage;
  readonly finishReason: { readonly unified: string; readonly raw: string | undefined };
  readonly warnings: readonly AiSdkWarning[];
  readonly providerMetadata?: AiSdkMetadata;
  readonly response?: { readonly id?: string; readonly modelId?: string; readonly body?: unknown };
}
