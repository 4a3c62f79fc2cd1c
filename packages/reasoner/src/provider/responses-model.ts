import OpenAI from "openai";
import type { Settings } from "../config/settings.ts";
import type { Model } from "./model.ts";
import { lateAnswer, largeAnswer, readModelError, type Place } from "./model-error.ts";
import { readResponse } from "./response.ts";
import { readStream } from "./stream.ts";

/** A server that speaks OpenAI's Responses API. */
export function createResponsesModel(
  settings: Pick<Settings, "model" | "baseUrl" | "apiKey" | "stream" | "timeoutMs">,
): Model {
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
      // The client's own timeout ends with the headers; the body has this one.
      const late = AbortSignal.timeout(timeoutMs);
      const options = { signal: AbortSignal.any([signal, late]) };
      try {
        const body = { ...request, model, stream } as never;
        if (!stream) return readResponse(await client.responses.create(body, options), place);
        const events = (await client.responses.create(body, options)) as unknown;
        return await readStream(events as AsyncIterable<unknown>, place, deltas);
      } catch (error) {
        if (late.aborted && !signal.aborted) throw lateAnswer(place, timeoutMs, error);
        throw readModelError(error, place);
      }
    },
  };
}

/** Most bytes of one answer; the longest answers of models are far smaller. */
const maxAnswerBytes = 16 * 1024 * 1024;

/** A response whose body fails when it grows too large. Compressed data counts uncompressed. */
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
