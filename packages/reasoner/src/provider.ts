import OpenAI from "openai";
import type { Settings } from "./config.ts";
import { readResponse, type Deltas, type ModelAnswer } from "./answer.ts";
import { readProviderError, type Place } from "./provider-error.ts";
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
  // Local servers want no key, and the client wants one.
  const client = new OpenAI({
    apiKey: apiKey ?? "none",
    baseURL,
    maxRetries: 0,
    timeout: timeoutMs,
    organization: null,
    project: null,
    logLevel: "off",
  });
  const place: Place = { provider: new URL(baseURL).host, model };
  return {
    place,
    async respond(request, signal, deltas) {
      try {
        const body = { ...request, model, stream } as never;
        if (!stream) return readResponse(await client.responses.create(body, { signal }), place);
        const events = (await client.responses.create(body, { signal })) as unknown;
        return await readStream(events as AsyncIterable<unknown>, place, deltas);
      } catch (error) {
        throw readProviderError(error, place);
      }
    },
  };
}
