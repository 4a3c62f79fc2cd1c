import type { JsonObject } from "@toolmount/core";
import type { Model, ModelRequest } from "@toolmount/interop";
import { digestOf } from "@toolmount/core/json";
import { isCall, readText, type Item } from "./items.ts";
import { readResponse, type ModelAnswer } from "./response.ts";

/** Functions that store answers and find stored ones. */
interface Recorded {
  readonly record: ((answer: JsonObject, request: string) => void) | null;
  readonly find: ((request: string) => JsonObject | null) | null;
}

/**
 * Returns a model whose answers are also passed to `record`, always in the form of the Responses API. If `find` returns an answer
 * to a request, the request is not sent.
 */
export function recordedModel(model: Model, { record, find }: Recorded): Model {
  const { provider, model: name, abilities, rules, contextTokens } = model;
  return {
    provider,
    model: name,
    abilities,
    rules,
    contextTokens,
    async *respond(request, options) {
      const digest = digestOfRequest(request);
      const found = find?.(digest) ?? null;
      if (found !== null) {
        yield readResponse(found, model);
        return;
      }
      for await (const part of model.respond(request, options)) {
        if (part.type === "finish") record?.(toResponse(part), digest);
        yield part;
      }
    },
  };
}

/**
 * Returns a digest of what an answer depends on: instructions, tools, the user's texts, and results. Of earlier answers, only the
 * ids and names of their calls count, because a recording may have masked their texts.
 */
function digestOfRequest({ instructions, tools, items }: ModelRequest): string {
  return digestOf({ instructions, tools, items: items.flatMap(givenItem) });
}

function givenItem(item: Item): Item[] {
  if (isCall(item)) return [{ call_id: readText(item["call_id"]), name: readText(item["name"]) }];
  return item["type"] === "reasoning" || item["role"] === "assistant" ? [] : [item];
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
