import type { ModelErrorKind, ModelFailure } from "./model.ts";
import { isRecord, parseJson, readText, type Members } from "../schema/guards.ts";

/** An error that a server returned instead of the model's answer. */
export interface ServerFailure {
  /** HTTP status; undefined for a failure inside a stream, whose status was a success. */
  readonly status?: number | undefined;
  readonly message: string;
  readonly code?: string | undefined;
  /** The error in the body, with all its members. */
  readonly error?: unknown;
  readonly header?: ((name: string) => string | null | undefined) | undefined;
}

type Verdict = Pick<ModelFailure, "kind"> & Partial<ModelFailure>;

/**
 * Returns what a server's failure means: whether to wait, to send less, to leave out a part, or to give up. It is judged by the
 * status, the server's code, its words and the details in the body.
 */
export function judgeFailure(failure: ServerFailure): Verdict & Pick<ModelFailure, "problem"> {
  const { status, code, error } = failure;
  const problem = withReason(failure.message, error);
  const known = { problem, status, providerCode: code };
  const toolCall = readFailedToolCall(error);
  if (toolCall !== null) return { ...known, kind: "invalid_tool_call", ...toolCall };
  const text = `${problem} ${code ?? ""}`;
  const kind = kindOf(status, code, text, error);
  if (kind === "invalid_request" || kind === "context_length") {
    const refused = refusedPart(status, text);
    if (refused !== undefined) return { ...known, kind: "invalid_request", refused };
  }
  const retryAfterMs = waitOf(failure, problem);
  return { ...known, kind, problem: withWait(problem, retryAfterMs), retryAfterMs };
}

/**
 * Adds the wait that the server asks for, if it is too long for a turn and the server's words do not name a time, so that a
 * person reads it.
 */
function withWait(problem: string, ms = 0): string {
  return ms <= 90_000 || waitWords.test(problem)
    ? problem
    : `${problem}; the server asks to wait ${Math.ceil(ms / 1_000)} s`;
}

/**
 * Returns the client's message, or the server's own if the client's lacks it. Adds the reason that a router got from another
 * server, if there is one.
 */
function withReason(message: string, error: unknown): string {
  const said = readText(membersOf(error)["message"]) || readText(error);
  return withRaw(message.includes(said) ? message : said, error);
}

function withRaw(message: string, error: unknown): string {
  const { raw } = membersOf(membersOf(error)["metadata"]);
  const inner = typeof raw === "string" ? (parseJson(raw) ?? raw) : raw;
  const reason = readText(membersOf(membersOf(inner)["error"] ?? inner)["message"]) || readText(inner);
  return reason === "" || message.includes(reason) ? message : `${message}: ${reason}`;
}

function membersOf(value: unknown): Members {
  return isRecord(value) ? value : {};
}

function kindOf(
  status: number | undefined,
  code: string | undefined,
  text: string,
  error: unknown,
): ModelErrorKind {
  const isOfStatus = status !== undefined && status >= 300;
  if (code === "insufficient_quota" || status === 402) return "quota_exceeded";
  if (status === 429) return isOfQuota(text, error) ? "quota_exceeded" : "rate_limit";
  if (isOfStatus && !open.has(status) && status < 500) return kindOfCode(code) ?? kindOfStatus(status);
  const known = kindOfCode(code);
  if (known !== null) return known;
  if (!isOfStatus && limitWords.test(text)) return isOfQuota(text, error) ? "quota_exceeded" : "rate_limit";
  if (fullWords.test(text) && !limitWords.test(text)) return "context_length";
  return isOfStatus ? kindOfStatus(status) : "stream";
}

/** Statuses that say only that something in the request is wrong. */
const open: ReadonlySet<number> = new Set([400, 409, 413, 415, 422]);

/**
 * Kinds of failures by the server's code. Sources: OpenAI's list of error codes, llama.cpp's types of errors, and recorded
 * answers.
 */
const codes: Readonly<Record<string, ModelErrorKind>> = {
  context_length_exceeded: "context_length",
  exceed_context_size_error: "context_length",
  content_filter: "content_filter",
  content_policy_violation: "content_filter",
  rate_limit_exceeded: "rate_limit",
  model_not_found: "not_found",
  invalid_api_key: "authentication",
  server_error: "unavailable",
  server_is_overloaded: "unavailable",
  overloaded_error: "unavailable",
};

function kindOfCode(code: string | undefined): ModelErrorKind | null {
  return code !== undefined && Object.hasOwn(codes, code) ? codes[code]! : null;
}

/**
 * Whether a limit is one that does not end after a short wait, such as a limit for a day. A server that says when to try again,
 * or names a minute, means another kind of limit.
 */
function isOfQuota(text: string, error: unknown): boolean {
  const details = detailsOf(error);
  const ids = details.flatMap(({ violations }) =>
    Array.isArray(violations) ? violations.filter(isRecord) : [],
  );
  const named = ids.map(({ quotaId }) => readText(quotaId)).join(" ");
  if (/per_?day/i.test(named)) return true;
  if (/per_?(minute|second)/i.test(named) || details.some(({ retryDelay }) => retryDelay !== undefined))
    return false;
  return /exceeded your current quota|insufficient (balance|credits|quota)/i.test(text);
}

/** Returns the details in an error of a Google API: `google.rpc.QuotaFailure`, `google.rpc.RetryInfo`. */
function detailsOf(error: unknown): readonly Members[] {
  const { details } = membersOf(error);
  return Array.isArray(details) ? details.filter(isRecord) : [];
}

/** Words about a limit on requests or tokens in a period. They also mention tokens, but a shorter request does not help. */
const limitWords =
  /rate.?limit|throttl|per.?(min|sec|hour|day)|\b[tr]p[md]\b|please wait|too many requests|try again (in|later)/i;

/**
 * Words that say that a request has more tokens than the model's window. Sources: the errors of OpenAI, Anthropic, Gemini,
 * Mistral, Groq, xAI, OpenRouter, GitHub Copilot, Kimi, Qwen, MiniMax, Z.ai, vLLM, llama.cpp, Ollama and LM Studio.
 */
const fullWords =
  /context (length|window|size|limit)|too many tokens|prompt is too long|token count .*exceeds|exceeds? the (maximum number of tokens|limit of \d+ tokens)|exceed(s|ed)? (the )?(model('s)? |max(imum)? )?(token limit|(prompt |input |context )?length)|maximum prompt length|range of input length|reduce the length of (the|your) (messages|prompt|input)|input is too long|message size \d+ exceeds|too large for model|request too large|n_ctx/i;

/** Returns which part of a conversation a server refuses, by its words; undefined if none is recognised. */
function refusedPart(status: number | undefined, text: string): ModelFailure["refused"] {
  if (status === undefined || !open.has(status)) return undefined;
  const [named] = refusedWords.find(([, words]) => words.test(text)) ?? [];
  if (named !== undefined) return named;
  if (/\b(image|vision|multi-?modal|mmproj)/i.test(text)) return noImages.test(text) ? "images" : "image";
  if (/image/i.test(text)) return "image"; // inside of a code, such as invalid_image_format or image_url
  return /\b(pdf|documents?|input_file|file_data)\b/i.test(text) ? "file" : undefined;
}

/**
 * Words about a part that is present but wrong, as opposed to a missing one. Sources: the errors of OpenAI, Anthropic, Gemini,
 * Mistral, Moonshot and llama.cpp.
 */
const refusedWords: readonly (readonly [NonNullable<ModelFailure["refused"]>, RegExp])[] = [
  [
    "reasoning",
    /invalid_encrypted_content|encrypted content .*not be|(invalid|corrupt\w*) \W?(thought.?)?signature|signature (is )?(not valid|invalid)|reasoning' was provided without|item with id \W?rs_\w+\W? not found/i,
  ],
  ["call_id", /tool.?(call|use)s?(\[\d+\])?[._ ]?id\b.*(must be|too long|pattern|length of)/i],
  [
    "schema",
    /invalid_function_parameters|invalid schema for function|input_schema|function_declarations|parameters is not a valid|(json )?schema.*(conver|grammar)|grammar.*schema/i,
  ],
];

const noImages =
  /(not|n't|no) (currently )?(support|accept|allow|enabl|have)\w*( for)?( \w+)? ?(image|vision|multi-?modal)|(image|vision|multi-?modal)[\w ]*(is|are) not (supported|enabled|available|allowed)|not (a )?(vision|multi-?modal)|support image input|mmproj/i;

/** Returns the milliseconds that the server asks to wait, from a header, the details of its error, or its words. */
function waitOf({ header, error }: ServerFailure, problem: string): number | undefined {
  const byHeader = header === undefined ? undefined : readRetryAfter(header);
  const delay = detailsOf(error)
    .map(({ retryDelay }) => readText(retryDelay))
    .find(Boolean);
  return byHeader ?? readDuration(delay ?? "") ?? readDuration(waitWords.exec(problem)?.[1] ?? "");
}

const waitWords = /(?:retry|try again|wait)(?: in| after| for)? (\d[\d.hms ]*)/i;

/** Reads a duration such as `1.2s`, `350ms` or `1m3s`, in milliseconds. */
function readDuration(text: string): number | undefined {
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?) ?(ms|s|m|h)/g)];
  if (parts.length === 0) return undefined;
  return Math.ceil(parts.reduce((sum, [, count, unit]) => sum + Number(count) * unitMs[unit!]!, 0));
}

const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

/**
 * Reads the body of an error about an invalid tool call: the name of the tool, and the arguments in the model's own text. Null
 * for other errors. Source: console.groq.com/docs/errors, `tool_use_failed` with `failed_generation`.
 */
export function readFailedToolCall(error: unknown): Pick<ModelFailure, "toolName" | "rawArguments"> | null {
  if (!isRecord(error) || error["code"] !== "tool_use_failed") return null;
  const written = error["failed_generation"];
  if (typeof written !== "string") return {};
  const named = /(?:<function=|"name"\s*:\s*")([\w.-]{1,128})/.exec(written);
  return {
    rawArguments: written.slice(0, 2_000),
    ...(named === null ? {} : { toolName: named[1]! }),
  };
}

/** Returns the kind of failure for an HTTP status. */
export function kindOfStatus(status: number | undefined): ModelErrorKind {
  if (status === undefined) return "stream";
  if (status === 400 || status === 422 || status === 409) return "invalid_request";
  if (status === 401) return "authentication";
  if (status === 403) return "access_denied";
  if (status === 404) return "not_found";
  if (status === 408) return "timeout";
  if (status === 413) return "context_length";
  if (status === 429) return "rate_limit";
  return status >= 500 ? "unavailable" : "other";
}

/**
 * Returns the milliseconds to wait, from `retry-after-ms`, or from `retry-after` in seconds or as a date. A date is relative to
 * the server's own `date` header, and is ignored without it. Source: RFC 9110, section 10.2.3.
 */
export function readRetryAfter(header: (name: string) => string | null | undefined): number | undefined {
  const ms = Number(header("retry-after-ms") ?? Number.NaN);
  if (Number.isFinite(ms) && ms >= 0) return ms;
  const given = header("retry-after") ?? "";
  const seconds = Number(given === "" ? Number.NaN : given);
  if (Number.isFinite(seconds)) return seconds >= 0 ? seconds * 1_000 : undefined;
  const until = Date.parse(given) - Date.parse(header("date") ?? "");
  return Number.isNaN(until) ? undefined : Math.max(0, until);
}
