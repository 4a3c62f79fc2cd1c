import { setTimeout as wait } from "node:timers/promises";
import { ToolmountError, type Coordinator, type HookResult } from "@toolmount/core";
import type { Model, ModelPart, ModelRequest } from "@toolmount/interop";
import { meter } from "@toolmount/core/json";
import { traceModel, type ModelTrace } from "@toolmount/core/tracing";
import type { Settings } from "../config/settings.ts";
import { readModelError, reportedFailure, type ModelError } from "./model-error.ts";
import type { ModelAnswer } from "./response.ts";
import { textOf } from "./items.ts";
import type { ModelEvent } from "./model-events.ts";

/** What a request to the model needs in addition to its content. */
interface ModelCall {
  readonly model: Model;
  readonly settings: Pick<
    Settings,
    "retries" | "retryDelayMs" | "stream" | "temperature" | "maxOutputTokens"
  >;
  readonly hooks: Pick<Coordinator["hooks"], "emit">;
  readonly ids: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  readonly emit: (event: ModelEvent) => void;
  /** The ids of the turn, for tracing. */
  readonly trace: Pick<ModelTrace, "hostId" | "sessionId" | "turnId" | "traceparent">;
  readonly now: () => number;
}

/**
 * Sends a request to the model, and repeats it after a failure that may be temporary. A repetition runs no call twice, because a
 * failed request has run none. Rejects with a `ModelError`.
 */
export async function askModel(request: ModelRequest, asking: ModelCall): Promise<ModelAnswer> {
  const { settings, hooks, ids, signal, emit, model } = asking;
  for (let attempt = 1; ; attempt++) {
    try {
      return await askTraced(request, asking, attempt);
    } catch (thrown) {
      const error = readModelError(thrown, model);
      await emitFailure(error, asking, attempt);
      if (!mayPass(error) || attempt > settings.retries || signal.aborted) throw error;
      const afterMs = delayOf(error, attempt, settings.retryDelayMs);
      if (error.failure.kind === "rate_limit")
        await hooks.emit("provider:throttle", { ...ids, delay_ms: afterMs });
      await hooks.emit("provider:retry", { ...ids, attempt, kind: error.failure.kind, delay_ms: afterMs });
      emit({ type: "retry", kind: error.failure.kind, afterMs });
      try {
        await wait(afterMs, undefined, { signal });
      } catch {
        throw error; // the turn was cancelled during the delay
      }
    }
  }
}

/** Maximum number of milliseconds between two attempts. A limit per minute has ended after this time. */
const maxDelayMs = 90_000;

/**
 * Tests whether another attempt can succeed. If the server asks for a longer wait than we allow, an earlier attempt would be
 * refused.
 */
function mayPass({ failure }: ModelError): boolean {
  return failure.retryable && (failure.retryAfterMs ?? 0) <= maxDelayMs;
}

function delayOf({ failure }: ModelError, attempt: number, baseMs: number): number {
  return failure.retryAfterMs ?? Math.min(baseMs * failure.delayMultiplier ** (attempt - 1), maxDelayMs);
}

/** Sends one request, and reports it on the tracing channel. Each attempt is reported as a separate request. */
function askTraced(request: ModelRequest, asking: ModelCall, attempt: number): Promise<ModelAnswer> {
  const { model, settings, trace, now } = asking;
  const { stream, temperature, maxOutputTokens } = settings;
  const message: ModelTrace = {
    ...trace,
    model: model.model,
    server: model.provider,
    stream,
    attempt,
    ...(temperature === undefined ? {} : { temperature }),
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
  };
  const startedAt = now();
  const begun = () => void (message.firstPieceMs ??= now() - startedAt);
  return traceModel(message, async () => {
    try {
      const answer = await askOnce(request, asking, begun);
      fillAnswer(message, answer);
      return answer;
    } catch (thrown) {
      const { kind, problem } = readModelError(thrown, model).failure;
      message.failure = { code: kind, message: problem };
      throw thrown;
    } finally {
      message.durationMs = now() - startedAt;
    }
  });
}

function fillAnswer(message: ModelTrace, { responseId, model, usage, incomplete, items }: ModelAnswer): void {
  const calls = items.some(({ type }) => type === "function_call");
  const finishReason = incomplete ?? (calls ? "tool_calls" : "stop");
  Object.assign(message, { responseModel: model, usage, finishReason });
  if (responseId !== null) message.responseId = responseId;
}

async function askOnce(
  request: ModelRequest,
  { model: asked, hooks, ids, signal, emit }: ModelCall,
  begun: () => void,
): Promise<ModelAnswer> {
  const { provider, model } = asked;
  await hooks.emit("llm:request", { ...ids, provider, model, request: shapeOf(request) });
  const answer = await readParts(asked, request, { hooks, ids, signal, emit, begun });
  const { usage, responseId, incomplete } = answer;
  const data = { ...ids, provider, model: answer.model, usage, response_id: responseId, incomplete };
  await hooks.emit("llm:response", data);
  await hooks.emit("provider:response", data);
  return answer;
}

/** Returns the sizes of a request, because events must not contain its content. */
function shapeOf({ items, tools, instructions }: ModelRequest) {
  return {
    item_count: items.length,
    tool_count: tools.length,
    instruction_chars: instructions.length,
  };
}

type Reporting = Pick<ModelCall, "hooks" | "ids" | "signal" | "emit"> & { readonly begun: () => void };

/** Reports the parts of an answer as they arrive. Resolves to the last part, which is the complete answer. */
async function readParts(model: Model, request: ModelRequest, reporting: Reporting): Promise<ModelAnswer> {
  const { signal } = reporting;
  const report = reporterOf(model, reporting);
  for await (const part of model.respond(request, { signal })) {
    if (part.type === "finish") return requireShallow(part, model);
    report(part);
  }
  throw reportedFailure(undefined, "the answer ended without its last part", model);
}

/** Maximum number of levels of an item of an answer, because recursive code stores it, sends it back and shows it. */
const maxLevels = 64;

function requireShallow(answer: ModelAnswer, model: Model): ModelAnswer {
  const problem = meter(answer.items, Number.POSITIVE_INFINITY, maxLevels);
  if (problem === null) return answer;
  throw reportedFailure(undefined, `an item of the answer is ${problem}`, model);
}

function reporterOf(model: Model, { hooks, ids, emit, begun }: Reporting): (part: ModelPart) => void {
  const announce = (event: string, data: object) => void hooks.emit(event, { ...ids, ...data });
  let reasoning = "";
  return (part) => {
    switch (part.type) {
      case "begin":
        begun();
        return announce("content_block:start", { block_index: part.index, block_type: part.kind });
      case "text":
        emit({ type: "text_delta", text: part.text });
        return announce("content_block:delta", { block_index: part.index, delta: part.text });
      case "reasoning":
        reasoning += part.text;
        emit({ type: "thinking_delta", text: part.text });
        return announce("thinking:delta", { block_index: part.index, delta: part.text });
      case "item": {
        const { index, item } = part;
        const { type } = item;
        if (type === "reasoning") announce("thinking:final", { block_index: index, text: reasoning });
        return announce("content_block:end", { block_index: index, block_type: type, text: textOf([item]) });
      }
      case "omitted": {
        const message = `${model.provider} does not take ${part.what}; the request was sent without it`;
        return emit({ type: "tool_warning", tool: "", message });
      }
      case "finish":
      default:
    }
  };
}

async function emitFailure(error: ModelError, { hooks, ids }: ModelCall, attempt: number): Promise<void> {
  const { kind, problem, provider, model, status, retryable, retryAfterMs, delayMultiplier } = error.failure;
  await hooks.emit("provider:error", {
    ...ids,
    attempt,
    kind,
    message: problem,
    provider,
    model,
    status,
    retryable,
    retry_after_ms: retryAfterMs,
    delay_multiplier: delayMultiplier,
  });
}

/** Throws `DENIED` if a gate denied an event of the turn. */
export function requireAllowed(result: HookResult, what: string): void {
  if (result.action === "deny")
    throw new ToolmountError("DENIED", { tool: what, reason: result.reason ?? "a hook denied it" });
}
