import type { Json, JsonObject } from "../json/json.ts";
import type { Omission } from "./omission.ts";

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
  /** Members that another protocol has and this one has no field for, kept for users of that protocol. */
  readonly meta?: JsonObject;
};

/** How a cut output can be read in full: its whole size in bytes, and the ref for `host.output`. */
export interface Truncation {
  readonly bytes: number;
  readonly ref: string;
}

/**
 * A tool's result: exactly one of `data` and `error`.
 *
 * `fetchedAt` is the ISO 8601 time at which the attempt began, on success and on failure.
 * Source of the shape: Tool-Forge's ToolResult; `code`, `details`, `warnings`, `omitted`, `content`, `truncated` are toolmount's.
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
  /** What is left out, by the tool or by the host's limit. Absent when the result is whole. */
  readonly omitted?: readonly Omission[];
  readonly truncated?: Truncation;
  /** Members that another protocol has and this one has no field for. Models do not read them. */
  readonly meta?: JsonObject;
}

/** A result with an `error`. */
export interface FailureResult {
  readonly tool: string;
  readonly fetchedAt: string;
  readonly data?: never;
  /** A sentence for the model: what failed and, where possible, how to fix it. */
  readonly error: string;
  /** UPPER_SNAKE; absent when neither the tool nor the host gave one. */
  readonly code?: string;
  readonly details?: Json;
  /** What the failure shows beside its sentence: the picture of a page at the step that failed. */
  readonly content?: readonly ContentBlock[];
  readonly warnings?: readonly string[];
  /** What is left out, by the tool or by the host's limit. Absent when the result is whole. */
  readonly omitted?: readonly Omission[];
  readonly truncated?: Truncation;
  /** See {@link SuccessResult.meta}. */
  readonly meta?: JsonObject;
}

/** A result that the executor completes with `tool` and `fetchedAt`. Made by {@link data} and {@link failure}. */
export type PartialResult<Data = unknown> =
  | Omit<SuccessResult<Data>, "tool" | "fetchedAt">
  | Omit<FailureResult, "tool" | "fetchedAt">;

/** The return value of `execute`. */
export type ToolReturn<Data = unknown> = ToolResult<Data> | PartialResult<Data>;

/** A result that `data` or `failure` made. The host does not check these for unknown keys. */
export class Answer {
  // Declared only, so that a field without a value is absent.
  declare readonly data?: unknown;
  declare readonly error?: string;
  declare readonly code?: string;
  /** The tool may have taken effect, so the call ends as `unknown`, not as `failed`. */
  declare readonly mayHaveRun?: true;
  declare readonly details?: unknown;
  declare readonly content?: readonly ContentBlock[];
  declare readonly warnings?: readonly string[];
  declare readonly omitted?: readonly Omission[];
  declare readonly meta?: JsonObject;
}

/**
 * A success. `value` must be JSON; `undefined` becomes `null`.
 *
 * The host adds `tool` and `fetchedAt`. What the value leaves out is listed in `omitted`.
 */
export function data<Data>(
  value: Data,
  extra?: {
    content?: readonly ContentBlock[] | undefined;
    warnings?: readonly string[] | undefined;
    omitted?: readonly Omission[] | undefined;
    meta?: JsonObject | undefined;
  },
): PartialResult<Data> {
  const answer = new Answer() as Mutable<Answer>;
  answer.data = value === undefined ? null : value;
  return addShown(answer, extra) as PartialResult<Data>;
}

/** The failure of an `undo` that does not find what its call left. The sentence, for a person, says what changed. */
export function changedSince(problem: string): PartialResult<never> {
  return failure(problem, { code: "CHANGED_SINCE" });
}

/**
 * A failure: one sentence for the model. `code` is one of the tool's own, never one of the host's. With `mayHaveRun`, the
 * tool may have taken effect although its result is not known: the call ends with the status `unknown`.
 */
export function failure(
  error: string,
  extra?: {
    code?: string | undefined;
    mayHaveRun?: boolean | undefined;
    details?: JsonObject | undefined;
    content?: readonly ContentBlock[] | undefined;
    warnings?: readonly string[] | undefined;
    omitted?: readonly Omission[] | undefined;
    meta?: JsonObject | undefined;
  },
): PartialResult<never> {
  const answer = new Answer() as Mutable<Answer>;
  answer.error = error;
  if (extra?.mayHaveRun === true) answer.mayHaveRun = true;
  if (extra?.code !== undefined) answer.code = extra.code;
  if (extra?.details !== undefined) answer.details = extra.details;
  return addShown(answer, extra) as PartialResult<never>;
}

/** Adds what success and failure have alike. A field without a value is absent. */
function addShown(
  answer: Mutable<Answer>,
  { content, warnings, omitted, meta }: { [Key in Shown]?: Answer[Key] | undefined } = {},
): Answer {
  if (content !== undefined) answer.content = content;
  if (warnings !== undefined) answer.warnings = warnings;
  if (omitted !== undefined && omitted.length > 0) answer.omitted = omitted;
  if (meta !== undefined) answer.meta = meta;
  return answer;
}

type Shown = "content" | "warnings" | "omitted" | "meta";

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };
