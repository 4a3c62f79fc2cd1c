import { setTimeout as wait } from "node:timers/promises";
import { ToolmountError, type Coordinator, type HookResult } from "@toolmount/core";
import { traceModel, type ModelTrace } from "@toolmount/core/tracing";
import type { Settings } from "../config.ts";
import { readProviderError, type ProviderError } from "./provider-error.ts";
import type { Deltas, ModelAnswer } from "./answer.ts";
import type { ModelRequest, Provider } from "./provider.ts";
import { textOf } from "./items.ts";
import type { TurnEvent } from "../turn/turn-types.ts";

/** What a request to the model needs beside itself. */
export interface Asking {
  readonly provider: Provider;
  readonly settings: Pick<
    Settings,
    "retries" | "retryDelayMs" | "stream" | "temperature" | "maxOutputTokens"
  >;
  readonly hooks: Coordinator["hooks"];
  readonly ids: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  readonly tell: (event: TurnEvent) => void;
  /** Of which turn it is, for whoever traces. */
  readonly trace: Pick<ModelTrace, "hostId" | "sessionId" | "turnId" | "traceparent">;
  readonly now: () => number;
}

/**
 * Asks the model, and again where that may help: a request that failed has run nothing, so making it again does nothing
 * twice. Rejects with a `ProviderError`.
 */
export async function ask(body: ModelRequest, asking: Asking): Promise<ModelAnswer> {
  const { settings, hooks, ids, signal, tell, provider } = asking;
  for (let attempt = 1; ; attempt++) {
    try {
      return await askTraced(body, asking, attempt);
    } catch (thrown) {
      const error = readProviderError(thrown, provider.place);
      await tellFailure(error, asking, attempt);
      if (!error.failure.retryable || attempt > settings.retries || signal.aborted) throw error;
      const afterMs = delayOf(error, attempt, settings.retryDelayMs);
      if (error.failure.kind === "rate_limit")
        await hooks.emit("provider:throttle", { ...ids, delay_ms: afterMs });
      await hooks.emit("provider:retry", { ...ids, attempt, kind: error.failure.kind, delay_ms: afterMs });
      tell({ type: "retry", kind: error.failure.kind, afterMs });
      try {
        await wait(afterMs, undefined, { signal });
      } catch {
        throw error; // cancelled meanwhile
      }
    }
  }
}

/** Longest time between two tries, in milliseconds. */
const maxDelayMs = 60_000;

function delayOf({ failure }: ProviderError, attempt: number, baseMs: number): number {
  return Math.min(failure.retryAfterMs ?? baseMs * failure.delayMultiplier ** (attempt - 1), maxDelayMs);
}

/** One request, told on the tracing channel; each that is made again is one of its own. */
function askTraced(body: ModelRequest, asking: Asking, attempt: number): Promise<ModelAnswer> {
  const { provider, settings, trace, now } = asking;
  const { stream, temperature, maxOutputTokens } = settings;
  const message: ModelTrace = {
    ...trace,
    model: provider.place.model,
    server: provider.place.provider,
    stream,
    attempt,
    ...(temperature === undefined ? {} : { temperature }),
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
  };
  const startedAt = now();
  const begun = () => void (message.firstPieceMs ??= now() - startedAt);
  return traceModel(message, async () => {
    try {
      const answer = await askOnce(body, asking, begun);
      fillAnswer(message, answer);
      return answer;
    } catch (thrown) {
      const { kind, problem } = readProviderError(thrown, provider.place).failure;
      message.failure = { code: kind, message: problem };
      throw thrown;
    } finally {
      message.durationMs = now() - startedAt;
    }
  });
}

function fillAnswer(
  message: ModelTrace,
  { responseId, model, usage, incomplete, output }: ModelAnswer,
): void {
  const calls = output.some(({ type }) => type === "function_call");
  const finishReason = incomplete ?? (calls ? "tool_calls" : "stop");
  Object.assign(message, { responseModel: model, usage, finishReason });
  if (responseId !== null) message.responseId = responseId;
}

async function askOnce(
  body: ModelRequest,
  { provider, hooks, ids, signal, tell }: Asking,
  begun: () => void,
): Promise<ModelAnswer> {
  const { provider: name, model } = provider.place;
  await hooks.emit("llm:request", { ...ids, provider: name, model, request: shapeOf(body) });
  const answer = await provider.respond(body, signal, deltasOf(hooks, ids, tell, begun));
  const { usage, responseId, incomplete } = answer;
  const told = { ...ids, provider: name, model: answer.model, usage, response_id: responseId, incomplete };
  await hooks.emit("llm:response", told);
  await hooks.emit("provider:response", told);
  return answer;
}

/** How large a request is; what stands in it is nobody's but the model's. */
function shapeOf({ input, tools, instructions }: ModelRequest) {
  return {
    item_count: Array.isArray(input) ? input.length : 0,
    tool_count: Array.isArray(tools) ? tools.length : 0,
    instruction_chars: typeof instructions === "string" ? instructions.length : 0,
  };
}

function deltasOf(
  hooks: Coordinator["hooks"],
  ids: Readonly<Record<string, string>>,
  tell: (event: TurnEvent) => void,
  begun: () => void,
): Deltas {
  const emit = (event: string, data: object) => void hooks.emit(event, { ...ids, ...data });
  let thought = "";
  return {
    begin(index, type) {
      begun();
      emit("content_block:start", { block_index: index, block_type: type });
    },
    text(piece, index) {
      tell({ type: "text_delta", text: piece });
      emit("content_block:delta", { block_index: index, delta: piece });
    },
    thinking(piece, index) {
      thought += piece;
      tell({ type: "thinking_delta", text: piece });
      emit("thinking:delta", { block_index: index, delta: piece });
    },
    end(index, item) {
      if (item["type"] === "reasoning") emit("thinking:final", { block_index: index, text: thought });
      emit("content_block:end", { block_index: index, block_type: item["type"], text: textOf([item]) });
    },
  };
}

async function tellFailure(error: ProviderError, { hooks, ids }: Asking, attempt: number): Promise<void> {
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

/** A gate of the turn's own events that says no. */
export function requireAllowed(result: HookResult, what: string): void {
  if (result.action === "deny")
    throw new ToolmountError("DENIED", { tool: what, reason: result.reason ?? "a hook denied it" });
}
