import type { JsonObject, JsonSchema } from "@toolmount/core";
import { ToolmountError } from "@toolmount/core/errors";

declare module "@toolmount/core" {
  interface MountPoints {
    /** Named by the prefix that a plan writes: `model: name:model`. */
    models: ModelProvider;
  }
}

/**
 * One item of a conversation, in the form of OpenAI's Responses API: a message, a call, its output, reasoning. What only
 * one provider understands of an item (a signature, encrypted reasoning) is in its `provider_metadata`, as
 * `{ provider, metadata }`, and is given back to that provider unchanged.
 */
export type ModelItem = JsonObject;

/** A tool as a request offers it. */
export interface ModelTool {
  readonly name: string;
  readonly description: string;
  readonly schema: JsonSchema;
  /** The schema follows the rules of strict mode. */
  readonly strict: boolean;
}

/** Settings of a request. A model ignores those that it does not have, and reports it as `omitted`. */
export interface ModelSettings {
  readonly stream: boolean;
  readonly temperature?: number | undefined;
  readonly maxOutputTokens?: number | undefined;
  readonly parallelToolCalls: boolean;
  readonly reasoning?:
    | { readonly effort?: string | undefined; readonly summary?: string | undefined }
    | undefined;
  /** The last answer is JSON of this schema. */
  readonly output?: { readonly schema: JsonSchema; readonly strict: boolean } | undefined;
  /** Whether the server stores the response. Only the Responses API does. */
  readonly store: boolean;
}

/** One request to a model. */
export interface ModelRequest {
  readonly instructions: string;
  /** The conversation, or with `previousResponseId` only its new items. */
  readonly items: readonly ModelItem[];
  readonly previousResponseId: string | null;
  readonly tools: readonly ModelTool[];
  readonly settings: ModelSettings;
}

/** Requests, and the tokens they used. */
export interface ModelUsage {
  readonly requests: number;
  readonly inputTokens: number;
  /** Of the input, those that the server read from its cache. */
  readonly cachedTokens: number;
  readonly outputTokens: number;
  /** Of the output, those of reasoning. */
  readonly reasoningTokens: number;
}

/** A part of an answer, in the order in which it arrives. `index` is the place of its item in the answer. */
export type ModelPart =
  | { readonly type: "begin"; readonly index: number; readonly kind: string }
  | { readonly type: "text"; readonly index: number; readonly text: string }
  | { readonly type: "reasoning"; readonly index: number; readonly text: string }
  /** A finished item. */
  | { readonly type: "item"; readonly index: number; readonly item: ModelItem }
  /** The model cannot take a part of the request, which was left out. */
  | { readonly type: "omitted"; readonly what: string }
  /** The last part. `items` are those of the whole answer. */
  | {
      readonly type: "finish";
      readonly items: readonly ModelItem[];
      readonly usage: ModelUsage;
      readonly responseId: string | null;
      /** The model that answered. */
      readonly model: string;
      /** Why the answer was cut: `max_output_tokens`, `content_filter`, …; null for a complete answer. */
      readonly incomplete: string | null;
    };

/** What a model can do. */
export interface ModelAbilities {
  readonly tools: boolean;
  /** Without it, several calls of one answer cannot be asked for. */
  readonly parallelCalls: boolean;
  /** Without it, an answer arrives in one piece. */
  readonly streaming: boolean;
  /** Whether a server keeps the conversation, so that only new items are sent. */
  readonly serverState: boolean;
}

/** What a model's server takes of a conversation. A host changes the rest before it sends a request. */
export interface ModelRules {
  /** The pattern of a whole id of a call. Another id is replaced in the call and in its output. */
  readonly callId: RegExp;
  /** Media types of images, such as `image/png`. */
  readonly images: readonly string[];
  /** Most bytes of one image. */
  readonly maxImageBytes: number;
  /** Most pixels on a side of an image. */
  readonly maxImageSide?: number | undefined;
  /** Media types of files, such as `application/pdf`. Default: none. */
  readonly files?: readonly string[] | undefined;
  /** Whether the output of a call may have images and files. Else a message of the user after it has them. */
  readonly imagesInOutputs: boolean;
}

/** A model that answers requests. */
export interface Model {
  /** The server's host and port, or the provider's name. */
  readonly provider: string;
  readonly model: string;
  readonly abilities: ModelAbilities;
  /** Most tokens of a request and its answer; undefined where neither the provider nor the server says it. */
  readonly contextTokens?: number | undefined;
  /** Default: what every known server takes. */
  readonly rules?: ModelRules | undefined;
  /** Makes one request. Rejects with `PROVIDER_FAILED`, see {@link modelError}; it is never retried here. */
  respond(request: ModelRequest, options: { readonly signal: AbortSignal }): AsyncIterable<ModelPart>;
}

/** How a model is reached. */
export interface ModelPlace {
  readonly baseUrl?: string | undefined;
  readonly apiKey?: string | undefined;
  /** Most milliseconds of one request. */
  readonly timeoutMs: number;
  /** What the plan gives a provider of its own module: `provider.config`. */
  readonly config?: Readonly<Record<string, unknown>> | undefined;
}

/** Opens the models of one provider. Mounted at `models` under the name that a plan writes: `model: name:model`. */
export interface ModelProvider {
  readonly name: string;
  /** Rejects with `EXTENSION_MISSING` when its package is not installed, and with `PROVIDER_FAILED` without a key. */
  open(model: string, place: ModelPlace): Promise<Model>;
}

/** Why a request to a model failed. Source of the kinds: Amplifier's LLM errors. */
export type ModelErrorKind =
  | "rate_limit"
  | "authentication"
  | "access_denied"
  | "context_length"
  | "content_filter"
  | "invalid_request"
  | "unavailable"
  | "network"
  | "timeout"
  | "not_found"
  | "stream"
  | "abort"
  | "invalid_tool_call"
  | "configuration"
  | "quota_exceeded"
  | "other";

/** A failed request: what failed, where, and whether to retry. The details of `PROVIDER_FAILED`. */
export interface ModelFailure {
  readonly kind: ModelErrorKind;
  readonly problem: string;
  readonly provider: string;
  readonly model: string;
  readonly status?: number | undefined;
  /** The server's own code. */
  readonly providerCode?: string | undefined;
  /**
   * What of the request the server refused, where it says so. `images`: the model takes no images at all. `reasoning`: what a provider sealed or
   * signed. `schema`: the schema of a tool. `call_id`: the ids of calls.
   */
  readonly refused?: "image" | "images" | "file" | "reasoning" | "schema" | "call_id" | undefined;
  /** With `invalid_tool_call`: the tool that the model meant, where the server names it. */
  readonly toolName?: string | undefined;
  /** With `invalid_tool_call`: the call as the model wrote it. */
  readonly rawArguments?: string | undefined;
  /** Whether the same request may succeed later. */
  readonly retryable: boolean;
  /** Milliseconds that the server asks to wait. */
  readonly retryAfterMs?: number | undefined;
  /** The factor by which the delay grows from one try to the next. */
  readonly delayMultiplier: number;
}

const retryable: ReadonlySet<ModelErrorKind> = new Set([
  "rate_limit",
  "unavailable",
  "network",
  "timeout",
  "stream",
]);

/** The error of a failed request. `retryable` and `delayMultiplier` follow from the kind unless they are given. */
export function modelError(
  failure: Pick<ModelFailure, "kind" | "problem" | "provider" | "model"> & Partial<ModelFailure>,
  cause?: unknown,
): ToolmountError<"PROVIDER_FAILED"> {
  const { kind, problem } = failure;
  const known = { retryable: retryable.has(kind), delayMultiplier: kind === "rate_limit" ? 4 : 2 };
  const details = { ...known, ...failure, problem: problem.slice(0, 2_000) };
  return new ToolmountError("PROVIDER_FAILED", details, { cause });
}
