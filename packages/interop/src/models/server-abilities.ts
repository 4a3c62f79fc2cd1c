import type { ModelAbilities } from "./model.ts";
import { modelFetch } from "./model-fetch.ts";
import { isRecord } from "../schema/guards.ts";

/** Asks a server about a model's abilities; those that it does not mention are absent. */
export type FindAbilities = (
  baseUrl: string,
  model: string,
  apiKey: string | undefined,
) => Promise<Partial<ModelAbilities>>;

/** Longest wait for a server's description of a model, in milliseconds. */
const maxWaitMs = 2_000;

/** Asks Ollama for a model's capabilities. Source: docs/api.md of Ollama, "Show Model Information". */
export const askOllama: FindAbilities = async (baseUrl, model) => {
  const url = new URL("/api/show", baseUrl);
  const answer = await askJson(url, { method: "POST", body: JSON.stringify({ model }) });
  const { capabilities } = isRecord(answer) ? answer : {};
  return Array.isArray(capabilities) ? { tools: capabilities.includes("tools") } : {};
};

/** Asks OpenRouter what a model's endpoints support. Source: OpenRouter's API reference, "List endpoints for a model". */
export const askOpenRouter: FindAbilities = async (baseUrl, model, apiKey) => {
  const headers = apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` };
  const answer = await askJson(new URL(`${baseUrl.replace(/\/$/, "")}/models/${model}/endpoints`), {
    headers,
  });
  const data = isRecord(answer) ? answer["data"] : undefined;
  const endpoints =
    isRecord(data) && Array.isArray(data["endpoints"]) ? data["endpoints"].filter(isRecord) : [];
  const known = endpoints.flatMap(({ supported_parameters: names }) => (Array.isArray(names) ? [names] : []));
  return known.length === 0 ? {} : { tools: known.some((names) => names.includes("tools")) };
};

/** Requests JSON; null if the request fails or takes too long. What the model can do is then seen at its first request. */
async function askJson(url: URL, init: RequestInit): Promise<unknown> {
  try {
    const response = await modelFetch({ provider: url.host, model: "" })(url, {
      ...init,
      signal: AbortSignal.timeout(maxWaitMs),
    });
    return response.ok ? await response.json() : null;
  } catch {
    return null;
  }
}
