import type { ModelPart } from "@toolmount/interop";
import { assembleCalls } from "./assemble-call.ts";
import { isCall, isItem, type Item } from "./items.ts";
import { reportedFailure, type Place } from "./model-error.ts";
import { readUsage } from "./usage.ts";

/** The last part of an answer, which has all its items. */
export type ModelAnswer = ModelPart & { readonly type: "finish" };

/** Reads a complete response of the Responses API. If the response reports a failure, throws it. */
export function readResponse(given: unknown, place: Place): ModelAnswer {
  if (!isItem(given) || !Array.isArray(given["output"]))
    throw reportedFailure(undefined, "the answer is not a response of the Responses API", place);
  const { id, model, output, usage, status, error, incomplete_details: details } = given;
  if (status === "failed") {
    const { code, message } = isItem(error) ? error : ({} as Item);
    throw reportedFailure(textOr(code, undefined), textOr(message, "the response failed"), place);
  }
  const reason = isItem(details) ? details["reason"] : undefined;
  const items = assembleCalls((output as unknown[]).filter(isItem));
  const isCut =
    status === "incomplete" || items.some((item) => isCall(item) && item["status"] === "incomplete");
  return {
    type: "finish",
    responseId: textOr(id, null),
    model: textOr(model, place.model),
    items: items.map((item) => withServer(item, place)),
    usage: readUsage(usage),
    incomplete: isCut ? textOr(reason, "unknown") : null,
  };
}

/** Notes the server with encrypted reasoning, because no other server can read it. */
function withServer(item: Item, { provider }: Place): Item {
  const isSealed = item["type"] === "reasoning" && textOr(item["encrypted_content"], "") !== "";
  return isSealed ? { ...item, provider_metadata: { provider: hostOf(provider), metadata: {} } } : item;
}

/** Returns the host of a server without its port, because a local server may have another port at its next start. */
export function hostOf(provider: string): string {
  return URL.parse(`http://${provider}`)?.hostname ?? provider;
}

function textOr<Other>(value: unknown, other: Other): string | Other {
  return typeof value === "string" ? value : other;
}
