import type { Json, JsonObject } from "../json/json.ts";

/** One piece of content beside `data`, for models and people that can look or listen. */
export type ContentBlock = (
  | { readonly type: "text"; readonly text: string }
  /** `data` is base64. */
  | { readonly type: "image"; readonly data: string; readonly mimeType: string }
  | { readonly type: "audio"; readonly data: string; readonly mimeType: string }
  /** A file by its address, with its content where the tool has it: `text`, or `data` as base64. */
  | {
      readonly type: "file";
      readonly uri: string;
      readonly name?: string;
      readonly mimeType?: string;
      readonly text?: string;
      readonly data?: string;
    }
) & {
  /** Members that another protocol has and this one has no field for, kept for whoever speaks that protocol. */
  readonly meta?: JsonObject;
};

/** What was cut from an output: its whole size in bytes, and the ref that `host.output` pages through. */
export interface Truncation {
  readonly bytes: number;
  readonly ref: string;
}

/**
 * What a tool answered: `data` or `error`, never both, never neither.
 *
 * `fetchedAt` is the ISO 8601 time at which the attempt began, on success and on failure.
 * Source of the shape: Tool-Forge's ToolResult; `code`, `details`, `warnings`, `content`, `truncated` are toolmount's.
 */
export type ToolResult<Data = unknown> = SuccessResult<Data> | FailureResult;

/** A result with `data`. */
export interface SuccessResult<Data = unknown> {
  readonly tool: string;
  readonly fetchedAt: string;
  readonly data: Data;
  readonly error?: never;
  readonly code?: never;
  readonly details?: never;
  readonly content?: readonly ContentBlock[];
  readonly warnings?: readonly string[];
  readonly truncated?: Truncation;
}

/** A result with an `error`. */
export interface FailureResult {
  readonly tool: string;
  readonly fetchedAt: string;
  readonly data?: never;
  /** A sentence for the model: what went wrong and, where it can, how to mend it. */
  readonly error: string;
  /** UPPER_SNAKE; absent when neither the tool nor the host gave one. */
  readonly code?: string;
  readonly details?: Json;
  readonly content?: never;
  readonly warnings?: readonly string[];
  readonly truncated?: Truncation;
}

/** A result that the executor completes with `tool` and `fetchedAt`. Made by {@link data} and {@link failure}. */
export type PartialResult<Data = unknown> =
  | Omit<SuccessResult<Data>, "tool" | "fetchedAt">
  | Omit<FailureResult, "tool" | "fetchedAt">;

/** What `execute` may return. */
export type ToolReturn<Data = unknown> = ToolResult<Data> | PartialResult<Data>;

/** Results that `data` and `failure` made; the executor need not look for stray keys in these. */
export class Answer {
  // Declared only: a field that was not given is not there.
  declare readonly data?: unknown;
  declare readonly error?: string;
  declare readonly code?: string;
  declare readonly details?: unknown;
  declare readonly content?: readonly ContentBlock[];
  declare readonly warnings?: readonly string[];
}

/**
 * A success. `value` must be JSON; `undefined` becomes `null`.
 *
 * The host adds `tool` and `fetchedAt`.
 */
export function data<Data>(
  value: Data,
  extra?: {
    content?: readonly ContentBlock[] | undefined;
    warnings?: readonly string[] | undefined;
  },
): PartialResult<Data> {
  const answer = new Answer() as Mutable<Answer>;
  answer.data = value === undefined ? null : value;
  if (extra?.content !== undefined) answer.content = extra.content;
  if (extra?.warnings !== undefined) answer.warnings = extra.warnings;
  return answer as PartialResult<Data>;
}

/** A failure, told to the model in one sentence. `code` is one of the tool's own, never one of the host's. */
export function failure(
  error: string,
  extra?: {
    code?: string | undefined;
    details?: JsonObject | undefined;
    warnings?: readonly string[] | undefined;
  },
): PartialResult<never> {
  const answer = new Answer() as Mutable<Answer>;
  answer.error = error;
  if (extra?.code !== undefined) answer.code = extra.code;
  if (extra?.details !== undefined) answer.details = extra.details;
  if (extra?.warnings !== undefined) answer.warnings = extra.warnings;
  return answer as PartialResult<never>;
}

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };
