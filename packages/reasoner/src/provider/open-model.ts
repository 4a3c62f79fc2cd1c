import type { Coordinator, Model, ModelProvider } from "@toolmount/core";
import { findModelProvider, knownProviders } from "@toolmount/interop";
import type { Settings } from "../config/settings.ts";
import { recordedModel } from "./record-model.ts";
import { responsesProvider } from "./responses-model.ts";

type ModelSettings = Pick<Settings, "model" | "baseUrl" | "apiKey" | "timeoutMs">;

/** Opens the models that settings name, each once. */
export class ModelOpener {
  readonly #coordinator: Coordinator;
  readonly #opened = new Map<string, Promise<Model>>();

  constructor(coordinator: Coordinator) {
    this.#coordinator = coordinator;
  }

  /** Rejects with `EXTENSION_MISSING` or `PROVIDER_FAILED`, see `ModelProvider.open`. */
  open({ model: name, baseUrl, apiKey, timeoutMs }: ModelSettings): Promise<Model> {
    const key = JSON.stringify([name, baseUrl, apiKey, timeoutMs]);
    const known = this.#opened.get(key);
    if (known !== undefined) return known;
    const { provider, model } = this.#find(name);
    const record = this.#coordinator.getCapability("host.record_answer");
    const opened = provider.open(model, { baseUrl, apiKey, timeoutMs });
    const opening = record === null ? opened : opened.then((asked) => recordedModel(asked, record));
    this.#opened.set(key, opening);
    opening.catch(() => this.#opened.delete(key)); // the next turn tries again
    return opening;
  }

  /** `name:model` names a mounted or known provider; without a known name, the whole text is a model. */
  #find(text: string): { readonly provider: ModelProvider; readonly model: string } {
    const [name = "", ...rest] = text.split(":");
    const model = rest.join(":");
    const mounted = this.#coordinator.get("models", name) as ModelProvider | null;
    const importPackage = this.#coordinator.getCapability("host.import_package");
    const own = name === responsesProvider.name ? responsesProvider : null;
    const provider = model === "" ? null : (mounted ?? own ?? findModelProvider(name, importPackage));
    return provider === null ? { provider: responsesProvider, model: text } : { provider, model };
  }
}

/** Where the key and the server of a model are, when no plan says it. */
export interface ModelVariables {
  readonly provider: string;
  /** Environment variables; null for a provider that has none. */
  readonly key: string | null;
  readonly baseUrl: string | null;
}

/** The provider that a model's name says, and the environment variables for its key and its server. */
export function modelVariables(text: string): ModelVariables {
  const [prefix] = text.split(":");
  const known = knownProviders.find(({ name }) => name === prefix && text.length > name.length + 1);
  if (known !== undefined) return { provider: known.name, key: known.keyVariable, baseUrl: null };
  return { provider: responsesProvider.name, key: "OPENAI_API_KEY", baseUrl: "OPENAI_BASE_URL" };
}
