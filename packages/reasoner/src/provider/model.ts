import type { Place } from "./model-error.ts";
import type { Deltas, ModelAnswer } from "./response.ts";

/** One request to a model, in the form of the Responses API. */
export type ModelRequest = Readonly<Record<string, unknown>>;

/** Answers requests. */
export interface Model {
  readonly place: Place;
  /** Makes one request. Rejects with a `ModelError`, whatever fails. */
  respond(request: ModelRequest, signal: AbortSignal, deltas: Deltas): Promise<ModelAnswer>;
}
