import type { JsonObject, JsonSchema } from "@toolmount/core";
import { ToolmountError } from "@toolmount/core/errors";

declare module "@toolmount/core" {
  interface MountPoints {
    /** Model providers, by the name that a plan writes as a prefix: `model: name:model`. */
    models: ModelProvider;
  }
}

/**
 * One item of a conversation, in the form of OpenAI's Responses API: a message, a call, its output, reasoning. Data that only
 * one provider understands (a signature, encrypted reasoning) is in the item's `provider_metadata`, as `{ provider, metadata
 * }`, and is sent back to that provider unchanged.
 */
export type ModelItem = JsonObject;

/** A tool as a request offers it. */
export interface ModelTool {
  readonly name: string;
  readonly description: string;
  readonly schema: JsonSchema;
  /** Whether the schema follows the rules of strict mode. */
  readonly strict: boolean;
}

/** Settings of a request. A model ignores settings that it does not support, and reports them as `omitted`. */
export interface ModelSettings {
  readonly stream: boolean;
  readonly temperature?: number | undefined;
  readonly maxOutputTokens?: number | undefined;
  readonly parallelToolCalls: boolean;
  readonly reasoning?:
    | { readonly effort?: string | undefined; readonly summary?: string | undefined }
    | undefined;
  /** Makes the last answer JSON of this schema. */
  readonly output?: { readonly schema: JsonSchema; readonly strict: boolean } | undefined;
  /** Whether the server stores the response. Only the Responses API does. */
  readonly store: boolean;
}

/** One request to a model: its instructions, the conversation so far, and the tools that the model may call. */
export interface ModelRequest {
  readonly instructions: string;
  /** The whole conversation or, with `previousResponseId`, only its new items. */
  readonly items: readonly ModelItem[];
  readonly previousResponseId: string | null;
  readonly tools: readonly ModelTool[];
  readonly settings: ModelSettings;
}

/** Number of requests, and of the tokens that they used. */
export interface ModelUsage {
  readonly requests: number;
  readonly inputTokens: number;
  /** Those of the input tokens that the server read from its cache. */
  readonly cachedTokens: number;
  readonly outputTokens: number;
  /** Those of the output tokens that were used for reasoning. */
  readonly reasoningTokens: number;
}

/** A part of an answer, in order of arrival. `index` is the position of the part's item in the answer. */
export type ModelPart =
  | { readonly type: "begin"; readonly index: number; readonly kind: string }
  | { readonly type: "text"; readonly index: number; readonly text: string }
  | { readonly type: "reasoning"; readonly index: number; readonly text: string }
  /** An item of the answer, when it is complete. */
  | { readonly type: "item"; readonly index: number; readonly item: ModelItem }
  /** A part of the request that the model does not support, and that was left out. */
  | { readonly type: "omitted"; readonly what: string }
  /** The last part. `items` has the items of the whole answer. */
  | {
      readonly type: "finish";
      readonly items: readonly ModelItem[];
      readonly usage: ModelUsage;
      readonly responseId: string | null;
      /** Name of the model that answered. */
      readonly model: string;
      /** Why the answer was cut: `max_output_tokens`, `content_filter`, …; null for a complete answer. */
      readonly incomplete: string | null;
    };

/** What a model and its server can do. Requests are adapted to this. */
export interface ModelAbilities {
  readonly tools: boolean;
  /** Whether one answer may have several calls. */
  readonly parallelCalls: boolean;
  /** Whether an answer is streamed; otherwise it arrives in one piece. */
  readonly streaming: boolean;
  /** Whether a server keeps the conversation, so that only new items are sent. */
  readonly serverState: boolean;
}

/** What a model's server accepts in a conversation. A host changes other parts before it sends a request. */
export interface ModelRules {
  /** Pattern for the whole id of a call. Other ids are replaced in the call and in its output. */
  readonly callId: RegExp;
  /** Media types of images, such as `image/png`. */
  readonly images: readonly string[];
  /** Maximum number of bytes of one image. */
  readonly maxImageBytes: number;
  /** Maximum number of pixels on one side of an image. */
  readonly maxImageSide?: number | undefined;
  /** Media types of files, such as `application/pdf`. Default: none. */
  readonly files?: readonly string[] | undefined;
  /** Whether the output of a call may have images and files. If not, a message of the user after it has them. */
  readonly imagesInOutputs: boolean;
}

/** An open model of one provider, with its abilities and limits. */
export interface Model {
  /** The server's host and port, or the provider's name. */
  readonly provider: string;
  readonly model: string;
  readonly abilities: ModelAbilities;
  /** Maximum number of tokens of a request and its answer together; undefined if neither the provider nor the server states it. */
  readonly contextTokens?: number | undefined;
  /** What the server accepts in a conversation. Default: what every known server accepts. */
  readonly rules?: ModelRules | undefined;
  /** Makes one request, without retries. Rejects with `PROVIDER_FAILED`, see {@link modelError}. */
  respond(request: ModelRequest, options: { readonly signal: AbortSignal }): AsyncIterable<ModelPart>;
}

/** The address, key and settings with which a model is reached. */
export interface ModelPlace {
  readonly baseUrl?: string | undefined;
  readonly apiKey?: string | undefined;
  /** Longest time for one request, in milliseconds. */
  readonly timeoutMs: number;
  /** The config that the plan gives to a provider from a module: `provider.config`. */
  readonly config?: Readonly<Record<string, unknown>> | undefined;
}

/** Opens the models of one provider. Mounted at `models` under the name that a plan writes: `model: name:model`. */
export interface ModelProvider {
  readonly name: string;
  /**
   * Opens a model. Rejects with `EXTENSION_MISSING` if the provider's package is not installed, and with `PROVIDER_FAILED` if
   * there is no key.
   */
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

/** A failed request, as the details of `PROVIDER_FAILED`: what failed, where, and whether to retry. */
export interface ModelFailure {
  readonly kind: ModelErrorKind;
  readonly problem: string;
  readonly provider: string;
  readonly model: string;
  readonly status?: number | undefined;
  /** The server's own code. */
  readonly providerCode?: string | undefined;
  /**
   * The part of the request that the server refused, if it says so. `images`: the model takes no images at all. `reasoning`:
   * reasoning that a provider encrypted or signed. `schema`: the schema of a tool. `call_id`: the ids of calls.
   */
  readonly refused?: "image" | "images" | "file" | "reasoning" | "schema" | "call_id" | undefined;
  /** With `invalid_tool_call`: the tool that the model meant, if the server names it. */
  readonly toolName?: string | undefined;
  /** With `invalid_tool_call`: the call in the model's own text. */
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

/** Makes the error of a failed request. `retryable` and `delayMultiplier` follow from the kind unless they are given. */
export function modelError(
  failure: Pick<ModelFailure, "kind" | "problem" | "provider" | "model"> & Partial<ModelFailure>,
  cause?: unknown,
): ToolmountError<"PROVIDER_FAILED"> {
  const { kind, problem } = failure;
  const known = { retryable: retryable.has(kind), delayMultiplier: kind === "rate_limit" ? 4 : 2 };
  const details = { ...known, ...failure, problem: problem.slice(0, 2_000) };
  return new ToolmountError("PROVIDER_FAILED", details, { cause });
}
