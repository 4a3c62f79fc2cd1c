import type {
  Model,
  ModelPart,
  ModelPlace,
  ModelProvider,
  ModelRequest,
  ModelRules,
} from "@toolmount/interop";
import { knownContextTokens, modelFetch } from "@toolmount/interop/internal";
import OpenAI from "openai";
import { lateAnswer, readModelError, wrongConfiguration, type Place } from "./model-error.ts";
import { readResponse } from "./response.ts";
import { responsesBody } from "./responses-body.ts";
import { readStream } from "./stream.ts";

/** The provider of models without a prefix, whose servers speak OpenAI's Responses API. */
export const responsesProvider: ModelProvider = {
  name: "openai",
  open: async (model, place) => createResponsesModel(model, place),
};

/** Creates a model that is asked with the Responses API. Throws a `ModelError` if neither a key nor a server is given. */
export function createResponsesModel(model: string, { baseUrl, apiKey, timeoutMs }: ModelPlace): Model {
  const baseURL = baseUrl ?? "https://api.openai.com/v1";
  const place: Place = { provider: new URL(baseURL).host, model };
  if (apiKey === undefined && baseUrl === undefined)
    throw wrongConfiguration(place, `no API key for ${place.provider}: ${keyAdvice}`);
  const client = new OpenAI({
    // The client requires a key. If there is none, the header with it is removed.
    apiKey: apiKey ?? "none",
    ...(apiKey === undefined && { defaultHeaders: { Authorization: null } }),
    baseURL,
    maxRetries: 0,
    timeout: timeoutMs,
    organization: null,
    project: null,
    logLevel: "off",
    fetch: modelFetch(place),
  });
  const known = { refusesEncrypted: false };
  return {
    ...place,
    abilities: { tools: true, parallelCalls: true, streaming: true, serverState: true },
    rules,
    contextTokens: knownContextTokens(model),
    async *respond(request, { signal }) {
      // The client's own timeout only covers the time until the headers arrive. This one also covers the body.
      const late = AbortSignal.timeout(timeoutMs);
      try {
        yield* send(client, request, { place, known, signal: AbortSignal.any([signal, late]) });
      } catch (error) {
        if (late.aborted && !signal.aborted) throw lateAnswer(place, timeoutMs, error);
        throw readModelError(error, place);
      }
    },
  };
}

/** Sources: OpenAI's API reference, "Images and vision", "File inputs", and the errors of its server. */
const rules: ModelRules = {
  callId: /^[\s\S]{1,64}$/,
  images: ["image/png", "image/jpeg", "image/webp", "image/gif"],
  files: ["application/pdf"],
  maxImageBytes: 20 * 1024 * 1024,
  imagesInOutputs: true,
};

const keyAdvice =
  "set apiKey: ${OPENAI_API_KEY} in the plan's agent, or the environment variable OPENAI_API_KEY for a plan without one; for a server of your own, set baseUrl";

interface Sending {
  readonly place: Place;
  readonly signal: AbortSignal;
  /** `refusesEncrypted`: whether the server has refused to return encrypted reasoning before. */
  readonly known: { refusesEncrypted: boolean };
}

async function* send(client: OpenAI, request: ModelRequest, sending: Sending): AsyncIterable<ModelPart> {
  const { place, known } = sending;
  const { body, omitted } = responsesBody(request, place, !known.refusesEncrypted);
  for (const what of omitted) yield { type: "omitted", what };
  const answer = await create(client, request, body, sending);
  if (request.settings.stream) yield* readStream(answer as AsyncIterable<unknown>, place);
  else yield readResponse(answer, place);
}

/**
 * Sends a request. If the model refuses to return encrypted reasoning, because it has none, sends the request again without
 * asking for that. Later requests do not ask for it either.
 */
async function create(
  client: OpenAI,
  request: ModelRequest,
  body: object,
  { place, known, signal }: Sending,
): Promise<unknown> {
  try {
    return await client.responses.create(body as never, { signal });
  } catch (error) {
    const { failure } = readModelError(error, place);
    const isRefused =
      "include" in body && failure.status === 400 && /encrypted|include/i.test(failure.problem);
    if (!isRefused || failure.refused !== undefined || request.settings.reasoning !== undefined) throw error;
    known.refusesEncrypted = true;
    return client.responses.create(responsesBody(request, place, false).body as never, { signal });
  }
}
