import { isItem, type Item } from "./items.ts";
import { toldFailure, type Place } from "./provider-error.ts";
import { readUsage, type Usage } from "./usage.ts";

/** What a model answered. */
export interface ModelAnswer {
  readonly responseId: string | null;
  readonly model: string;
  readonly output: readonly Item[];
  readonly usage: Usage;
  /** Why it ends where it ends, when it is not whole: `max_output_tokens`, `content_filter`. */
  readonly incomplete: string | null;
}

/** Pieces of an answer while it comes. */
export interface Deltas {
  text(piece: string, index: number): void;
  thinking(piece: string, index: number): void;
  begin(index: number, type: string): void;
  end(index: number, item: Item): void;
}

/** Reads a whole response. Throws what it says of its own failure. */
export function readResponse(given: unknown, place: Place): ModelAnswer {
  if (!isItem(given) || !Array.isArray(given["output"]))
    throw toldFailure(undefined, "the answer is not a response of the Responses API", place);
  const { id, model, output, usage, status, error, incomplete_details: details } = given;
  if (status === "failed") {
    const { code, message } = isItem(error) ? error : ({} as Item);
    throw toldFailure(textOr(code, undefined), textOr(message, "the response failed"), place);
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
