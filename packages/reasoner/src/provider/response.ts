import { isItem, type Item } from "./items.ts";
import { reportedFailure, type Place } from "./model-error.ts";
import { readUsage, type Usage } from "./usage.ts";

/** A model's answer. */
export interface ModelAnswer {
  readonly responseId: string | null;
  readonly model: string;
  readonly output: readonly Item[];
  readonly usage: Usage;
  /** Why the answer was cut: `max_output_tokens`, `content_filter`, …; null for a complete answer. */
  readonly incomplete: string | null;
}

/** Receives the pieces of a streamed answer. */
export interface Deltas {
  text(piece: string, index: number): void;
  thinking(piece: string, index: number): void;
  begin(index: number, type: string): void;
  end(index: number, item: Item): void;
}

/** Reads a complete response. Throws the failure that the response reports. */
export function readResponse(given: unknown, place: Place): ModelAnswer {
  if (!isItem(given) || !Array.isArray(given["output"]))
    throw reportedFailure(undefined, "the answer is not a response of the Responses API", place);
  const { id, model, output, usage, status, error, incomplete_details: details } = given;
  if (status === "failed") {
    const { code, message } = isItem(error) ? error : ({} as Item);
    throw reportedFailure(textOr(code, undefined), textOr(message, "the response failed"), place);
  }
  const reason = isItem(details) ? details["reason"] : undefined;
  return {
    responseId: textOr(id, null),
    model: textOr(model, place.model),
    output: (output as unknown[]).filter(isItem),
    usage: readUsage(usage),
    incomplete: status === "incomplete" ? textOr(reason, "unknown") : null,
  };
}

function textOr<Other>(value: unknown, other: Other): string | Other {
  return typeof value === "string" ? value : other;
}
