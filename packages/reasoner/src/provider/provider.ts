import OpenAI from "openai";
import type { Settings } from "../config.ts";
import { readResponse, type Deltas, type ModelAnswer } from "./answer.ts";
import { lateAnswer, largeAnswer, readProviderError, type Place } from "./provider-error.ts";
import { readStream } from "./stream.ts";

/** One request to a model, as the Responses API takes it; `stream` is said by the settings. */
export type ModelRequest = Readonly<Record<string, unknown>>;

/** Asks a model. */
export interface Provider {
  readonly place: Place;
  /** Makes one request. Rejects with a `ProviderError`, whatever went wrong. */
  respond(request: ModelRequest, signal: AbortSignal, deltas: Deltas): Promise<ModelAnswer>;
}

/** A server that speaks OpenAI's Responses API. */
export function createProvider(
  settings: Pick<Settings, "model" | "baseUrl" | "apiKey" | "stream" | "timeoutMs">,
): Provider {
  const { model, baseUrl, apiKey, stream, timeoutMs } = settings;
  const baseURL = baseUrl ?? "https://api.openai.com/v1";
  const place: Place = { provider: new URL(baseURL).host, model };
  // Local servers want no key, and the client wants one.
  const client = new OpenAI({
    apiKey: apiKey ?? "none",
    baseURL,
    maxRetries: 0,
    timeout: timeoutMs,
    organization: null,
    project: null,
    logLevel: "off",
    fetch: async (...given) => bounded(await fetch(...given), place),
  });
  return {
    place,
    async respond(request, signal, deltas) {
      // The client's own timeout ends with the headers; a body may stall as well.
      const late = AbortSignal.timeout(timeoutMs);
      const options = { signal: AbortSignal.any([signal, late]) };
      try {
        const body = { ...request, model, stream } as never;
        if (!stream) return readResponse(await client.responses.create(body, options), place);
        const events = (await client.responses.create(body, options)) as unknown;
        return await readStream(events as AsyncIterable<unknown>, place, deltas);
      } catch (error) {
        if (late.aborted && !signal.aborted) throw lateAnswer(place, timeoutMs, error);
        throw readProviderError(error, place);
      }
    },
  };
}

/** Bytes of one answer; the longest that models give stay far below. */
const maxAnswerBytes = 16 * 1024 * 1024;

/** A response whose body fails where it grows too large; what is compressed counts as what it becomes. */
function bounded(response: Response, place: Place): Response {
  if (response.body === null) return response;
  let bytes = 0;
  const measure = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      bytes += chunk.byteLength;
      if (bytes > maxAnswerBytes) controller.error(largeAnswer(place, maxAnswerBytes));
      else controller.enqueue(chunk);
    },
  });
  return new Response(response.body.pipeThrough(measure), response);
}
