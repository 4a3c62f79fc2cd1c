import type { Attributes } from "@opentelemetry/api";
import type { Json } from "@toolmount/core";
import { redactArguments, type Redactor, truncateText } from "@toolmount/core/text";
import type { CallTrace, ModelTrace, TraceUsage, TurnTrace } from "@toolmount/core/tracing";

/** Maximum number of characters of an attribute with arguments or a result. */
const maxContent = 8_192;

/**
 * Returns the attributes that are known when a call arrives. Names with `gen_ai` and `error` are from OpenTelemetry's semantic
 * conventions for tool execution; the others are toolmount's.
 */
export function startAttributes(call: CallTrace): Attributes {
  const conversation = call.conversationId ?? call.sessionId;
  return {
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": call.tool,
    "gen_ai.tool.call.id": call.callId,
    "gen_ai.tool.type": "function",
    "toolmount.run.id": call.runId,
    "toolmount.depth": call.depth,
    ...(conversation === undefined ? {} : { "gen_ai.conversation.id": conversation }),
    ...(call.parentRunId === undefined ? {} : { "toolmount.parent_run.id": call.parentRunId }),
    ...(call.resumed ? { "toolmount.resumed": true } : {}),
  };
}

/** Returns the attributes that are known when a call ends. */
export function endAttributes(call: CallTrace, content: boolean, redact: Redactor): Attributes {
  const { info, error, phase, status = "unknown" } = call;
  return {
    "gen_ai.tool.name": call.tool,
    "toolmount.status": status,
    ...(info === undefined ? {} : { "gen_ai.tool.description": info.description }),
    ...(error === undefined ? {} : { "error.type": error.code }),
    ...(phase === undefined || error === undefined ? {} : { "toolmount.phase": phase }),
    ...(content ? contentAttributes(call, redact) : {}),
  };
}

/** Returns the attributes that are known when a turn starts or is resumed. */
export function startOfTurn(turn: TurnTrace): Attributes {
  return {
    "gen_ai.operation.name": "invoke_agent",
    ...whereAttributes(turn),
    ...(turn.agent === null
      ? {}
      : { "gen_ai.agent.name": turn.agent.name, "gen_ai.agent.description": turn.agent.description }),
    "toolmount.depth": turn.depth,
    ...(turn.parentSessionId === undefined ? {} : { "toolmount.parent_session.id": turn.parentSessionId }),
    ...(turn.resumed ? { "toolmount.resumed": true } : {}),
  };
}

/** Returns the attributes that are known when a turn ends or begins to wait. */
export function endOfTurn({ status = "failed", iterations, calls, usage, failure }: TurnTrace): Attributes {
  return {
    "toolmount.status": status,
    ...(iterations === undefined ? {} : { "toolmount.requests": iterations }),
    ...(calls === undefined ? {} : { "toolmount.calls": calls }),
    ...usageAttributes(usage),
    ...(failure === undefined ? {} : { "error.type": failure.code }),
  };
}

/** Returns the attributes that are known when a request to a model is sent. */
export function startOfRequest(request: ModelTrace): Attributes {
  const { stream, attempt, temperature, maxOutputTokens } = request;
  return {
    "gen_ai.operation.name": "chat",
    ...whereAttributes(request),
    "gen_ai.request.stream": stream,
    ...(temperature === undefined ? {} : { "gen_ai.request.temperature": temperature }),
    ...(maxOutputTokens === undefined ? {} : { "gen_ai.request.max_tokens": maxOutputTokens }),
    ...(attempt === 1 ? {} : { "toolmount.attempt": attempt }),
  };
}

/** Returns the attributes that are known when a request to a model has been answered or has failed. */
export function endOfRequest(request: ModelTrace): Attributes {
  const { responseId, responseModel, finishReason, firstPieceMs, stream, usage, failure } = request;
  return {
    ...(responseId === undefined ? {} : { "gen_ai.response.id": responseId }),
    ...(responseModel === undefined ? {} : { "gen_ai.response.model": responseModel }),
    ...(finishReason === undefined ? {} : { "gen_ai.response.finish_reasons": [finishReason] }),
    ...(!stream || firstPieceMs === undefined
      ? {}
      : { "gen_ai.response.time_to_first_chunk": firstPieceMs / 1_000 }),
    ...usageAttributes(usage),
    ...(failure === undefined ? {} : { "error.type": failure.code }),
  };
}

/**
 * Returns the attributes of the model's server. The provider is `openai`, because that is the format of the API; the address is
 * that of the actual server.
 */
export function serverAttributes({ model, server }: Pick<ModelTrace, "model" | "server">): Attributes {
  return { "gen_ai.provider.name": "openai", "gen_ai.request.model": model, ...addressAttributes(server) };
}

/** Returns the address and the port of `host` or `host:port`, as two attributes. */
export function addressAttributes(server: string): Attributes {
  const [address = server, port] = server.split(/:(?=\d+$)/);
  return { "server.address": address, "server.port": port === undefined ? 443 : Number(port) };
}

function whereAttributes(message: TurnTrace | ModelTrace): Attributes {
  return {
    ...serverAttributes(message),
    "gen_ai.conversation.id": message.sessionId,
    "toolmount.turn.id": message.turnId,
  };
}

function usageAttributes(usage: TraceUsage | undefined): Attributes {
  if (usage === undefined) return {};
  return {
    "gen_ai.usage.input_tokens": usage.inputTokens,
    "gen_ai.usage.output_tokens": usage.outputTokens,
    "gen_ai.usage.cache_read.input_tokens": usage.cachedTokens,
    "gen_ai.usage.reasoning.output_tokens": usage.reasoningTokens,
  };
}

function contentAttributes({ arguments: input, result }: CallTrace, redact: Redactor): Attributes {
  return {
    ...(input === undefined ? {} : { "gen_ai.tool.call.arguments": contentText(input, redact) }),
    ...(result?.error !== undefined || result === undefined
      ? {}
      : { "gen_ai.tool.call.result": contentText(result.data, redact) }),
  };
}

function contentText(value: unknown, redact: Redactor): string {
  const shown = redactArguments(value as Json, redact);
  return truncateText(typeof shown === "string" ? shown : JSON.stringify(shown), maxContent);
}

/** Returns an error message for a span, shortened and with secrets masked. */
export function errorText(message: string, redact: Redactor): string {
  return truncateText(redact(message) as string);
}
