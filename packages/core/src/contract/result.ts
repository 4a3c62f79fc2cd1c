import type { Json, JsonObject } from "../json/json.ts";
import type { Omission } from "./omission.ts";

/** A piece of content in addition to `data`, for models and people that can look at it or listen to it. */
export type ContentBlock = (
  | { readonly type: "text"; readonly text: string }
  /** `data` is base64. */
  | { readonly type: "image"; readonly data: string; readonly mimeType: string }
  | { readonly type: "audio"; readonly data: string; readonly mimeType: string }
  /** A file by its address, with its content if the tool has it: `text`, or `data` as base64. */
  | {
      readonly type: "file";
      readonly uri: string;
      readonly name?: string;
      readonly mimeType?: string;
      readonly text?: string;
      readonly data?: string;
    }
) & {
  /** Members of another protocol for which this contract has no field, kept for users of that protocol. */
  readonly meta?: JsonObject;
};

/** How to read a cut output in full: its whole size in bytes, and the reference for `host.output`. */
export interface Truncation {
  readonly bytes: number;
  readonly ref: string;
}

/**
 * A tool's result, which has exactly one of `data` and `error`.
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
  /** What the tool or the host's limit left out. Absent if the result is complete. */
  readonly omitted?: readonly Omission[];
  readonly truncated?: Truncation;
  /** Members of another protocol for which this contract has no field. Models do not read them. */
  readonly meta?: JsonObject;
}

/** A result with an `error`. */
export interface FailureResult {
  readonly tool: string;
  readonly fetchedAt: string;
  readonly data?: never;
  /** A sentence for the model: what failed and, where possible, how to fix it. */
  readonly error: string;
  /** In UPPER_SNAKE case; absent if neither the tool nor the host gave a code. */
  readonly code?: string;
  readonly details?: Json;
  /** What the failure shows in addition to its sentence, for example the picture of a page at the step that failed. */
  readonly content?: readonly ContentBlock[];
  readonly warnings?: readonly string[];
  /** What the tool or the host's limit left out. Absent if the result is complete. */
  readonly omitted?: readonly Omission[];
  readonly truncated?: Truncation;
  /** See {@link SuccessResult.meta}. */
  readonly meta?: JsonObject;
}

/** A result to which the host adds `tool` and `fetchedAt`. Made by {@link data} and {@link failure}. */
export type PartialResult<Data = unknown> =
  | Omit<SuccessResult<Data>, "tool" | "fetchedAt">
  | Omit<FailureResult, "tool" | "fetchedAt">;

/** The return value of `execute`. */
export type ToolReturn<Data = unknown> = ToolResult<Data> | PartialResult<Data>;

/** A result that `data` or `failure` made. The host does not check such results for unknown keys. */
export class Answer {
  // Only declared, so that a field without a value is absent.
  declare readonly data?: unknown;
  declare readonly error?: string;
  declare readonly code?: string;
  /** Set if the tool may have taken effect, so that the call ends as `unknown`, not as `failed`. */
  declare readonly mayHaveRun?: true;
  declare readonly details?: unknown;
  declare readonly content?: readonly ContentBlock[];
  declare readonly warnings?: readonly string[];
  declare readonly omitted?: readonly Omission[];
  declare readonly meta?: JsonObject;
}

/**
 * Makes a success. `value` must be JSON; `undefined` becomes `null`.
 *
 * The host adds `tool` and `fetchedAt`. `omitted` lists what the value leaves out.
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

/** Makes the failure of an `undo` that no longer finds what its call left behind. `problem` says to a person what has changed. */
export function changedSince(problem: string): PartialResult<never> {
  return failure(problem, { code: "CHANGED_SINCE" });
}

/**
 * Makes a failure. `error` is a sentence for the model, and `code` a code of the tool, never of the host. With `mayHaveRun`,
 * the tool may have taken effect although its result is not known: the call ends with the status `unknown`.
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

/** Adds the fields that successes and failures share. A field without a value stays absent. */
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
