import { isToolmountError, messageOf, ToolmountError } from "@toolmount/core/errors";
import { modelError, type ModelErrorKind, type ModelFailure } from "@toolmount/interop";
import { judgeFailure } from "@toolmount/interop/internal";
import { APIConnectionError, APIConnectionTimeoutError, APIError, APIUserAbortError } from "openai";

/** The error of a failed request. */
export class ModelError extends ToolmountError<"PROVIDER_FAILED"> {
  readonly failure: ModelFailure;

  constructor(failure: ModelFailure, cause?: unknown) {
    super("PROVIDER_FAILED", { ...failure }, { cause });
    this.failure = failure;
  }
}

/** The server and the name of a model. */
export interface Place {
  readonly provider: string;
  readonly model: string;
}

/**
 * Converts any failure of a request to a `ModelError`: an error of a model or a client, the server's status, or an event of a
 * stream.
 */
export function readModelError(error: unknown, place: Place): ModelError {
  if (error instanceof ModelError) return error;
  // The client wraps errors that our `fetch` throws.
  const known = error instanceof Error && isToolmountError(error.cause) ? error.cause : error;
  if (isToolmountError(known) && known.code === "PROVIDER_FAILED")
    return new ModelError(known.details as unknown as ModelFailure, known.cause);
  if (error instanceof APIUserAbortError) return failed("abort", "the request was cancelled", place, error);
  if (error instanceof APIConnectionTimeoutError) return failed("timeout", "no answer in time", place, error);
  if (error instanceof APIConnectionError)
    return failed("network", `${place.provider} cannot be reached`, place, error);
  if (error instanceof APIError) return ofStatus(error, place);
  if (isLostConnection(error))
    return failed(
      "network",
      `${place.provider} closed the connection in the middle of its answer`,
      place,
      error,
    );
  if (error instanceof SyntaxError)
    return failed("stream", "the answer is not what the Responses API sends", place, error);
  return failed("other", messageOf(error), place, error);
}

/** Tests whether the connection broke during the body of a response. The client wraps only earlier errors. */
function isLostConnection(error: unknown): boolean {
  return error instanceof TypeError && error.cause instanceof Error && "code" in error.cause;
}

/** Creates the error of an answer that did not end within `timeoutMs`. */
export function lateAnswer(place: Place, timeoutMs: number, cause: unknown): ModelError {
  const problem = `no complete answer within ${timeoutMs} ms; raise the timeout if the model needs longer`;
  return failed("timeout", problem, place, cause);
}

/** Creates the error of a model that cannot be asked, because the plan or its key is wrong. */
export function wrongConfiguration(place: Place, problem: string): ModelError {
  return failed("configuration", problem, place, undefined);
}

/** Creates the error of an answer that arrived completely but cannot be used. */
export function otherFailure(place: Place, problem: string): ModelError {
  return failed("other", problem, place, undefined);
}

/** Creates the error of a failure that a response or an event of a stream reports. */
export function reportedFailure(
  code: string | undefined,
  problem: string,
  place: Place,
  cause?: unknown,
): ModelError {
  const read = judgeFailure({ code, message: problem });
  return failed(read.kind, read.problem, place, cause, read);
}

function ofStatus(error: APIError, place: Place): ModelError {
  const { status, headers } = error;
  const code = typeof error.code === "string" ? error.code : undefined;
  const message = error.message.replace(/^\d{3} /, "");
  const header = (name: string) => headers?.get(name);
  const read = judgeFailure({ status, code, message, error: error.error, header });
  return failed(read.kind, read.problem + hintOf(read, place), place, error, read);
}

function hintOf({ kind, status, providerCode }: Partial<ModelFailure>, place: Place): string {
  if (kind === "authentication") return keyHint;
  return status === 404 && providerCode !== "model_not_found" ? notResponses(place) : "";
}

/** A hint that says where users set the key. */
const keyHint =
  "; the key is apiKey of the plan's agent, or the environment variable OPENAI_API_KEY for a plan without one";

/** Returns a hint for status 404: many servers only know Chat Completions, and not the Responses API. */
function notResponses({ model }: Place): string {
  return `; if the server speaks Chat Completions and not the Responses API, write model: openai-compatible:${model}`;
}

function failed(
  kind: ModelErrorKind,
  problem: string,
  place: Place,
  cause: unknown,
  more: Partial<ModelFailure> = {},
): ModelError {
  const { provider, model } = place;
  const { details } = modelError({ ...more, kind, problem, provider, model });
  return new ModelError(details as unknown as ModelFailure, cause);
}
