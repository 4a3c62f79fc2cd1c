import type { JsonObject, Model } from "@toolmount/core";
import type { ModelAnswer } from "./response.ts";

/** A model whose answers are also given to `record`, in the form of the Responses API, whichever protocol it speaks. */
export function recordedModel(model: Model, record: (answer: JsonObject) => void): Model {
  const { provider, model: name, abilities, rules, contextTokens } = model;
  return {
    provider,
    model: name,
    abilities,
    rules,
    contextTokens,
    async *respond(request, options) {
      for await (const part of model.respond(request, options)) {
        if (part.type === "finish") record(toResponse(part));
        yield part;
      }
    },
  };
}

function toResponse({ items, usage, responseId, model, incomplete }: ModelAnswer): JsonObject {
  return {
    id: responseId,
    model,
    status: incomplete === null ? "completed" : "incomplete",
    ...(incomplete !== null && { incomplete_details: { reason: incomplete } }),
    output: [...items],
    usage: {
      input_tokens: usage.inputTokens,
      input_tokens_details: { cached_tokens: usage.cachedTokens },
      output_tokens: usage.outputTokens,
      output_tokens_details: { reasoning_tokens: usage.reasoningTokens },
    },
  };
}
