import type { Attributes } from "@opentelemetry/api";
import { truncateText, type CallTrace, type Json, type Redactor } from "@toolmount/core";

/** Most characters of an attribute that holds arguments or a result. */
const maxContent = 8_192;

/**
 * Attributes known when a call comes. Names that begin with `gen_ai` and `error` are those of the semantic conventions
 * for tool execution; the others are toolmount's.
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

/** Attributes known when it is over. */
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

function contentAttributes({ arguments: input, result }: CallTrace, redact: Redactor): Attributes {
  return {
    ...(input === undefined ? {} : { "gen_ai.tool.call.arguments": contentText(input, redact) }),
    ...(result?.error !== undefined || result === undefined
      ? {}
      : { "gen_ai.tool.call.result": contentText(result.data, redact) }),
  };
}

/** Raw text is what a model wrote: it is read first, so that names of secrets in it are seen. */
function contentText(value: unknown, redact: Redactor): string {
  try {
    const shown = redact(typeof value === "string" ? parsed(value) : (value as Json));
    return truncateText(typeof shown === "string" ? shown : JSON.stringify(shown), maxContent);
  } catch {
    return "[unreadable]"; // arguments that were refused may be anything, and a listener must not throw
  }
}

function parsed(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text; // shown as it came, known secrets masked
  }
}

/** What went wrong, as a span shows it. */
export function errorText(message: string, redact: Redactor): string {
  return truncateText(redact(message) as string);
}
