import type { Coordinator, ImportPackage } from "@toolmount/core";
import { nearestNames } from "@toolmount/core/text";
import { modelError, type Model, type ModelProvider } from "@toolmount/interop";
import {
  createModuleProvider,
  findModelProvider,
  knownProviders,
  type ProviderModule,
} from "@toolmount/interop/internal";
import type { Settings } from "../config/settings.ts";
import { recordedModel } from "./record-model.ts";
import { responsesProvider } from "./responses-model.ts";

/** Opens the models that settings name, each only once. */
export class ModelOpener {
  readonly #coordinator: Coordinator;
  readonly #opened = new Map<string, Promise<Model>>();

  constructor(coordinator: Coordinator) {
    this.#coordinator = coordinator;
  }

  /** Opens a model. Rejects with `EXTENSION_MISSING` or `PROVIDER_FAILED`, see `ModelProvider.open`. */
  open(
    settings: Pick<Settings, "model" | "provider" | "callsTools" | "baseUrl" | "apiKey" | "timeout">,
  ): Promise<Model> {
    const { model: name, provider: given, callsTools, baseUrl, apiKey, timeout: timeoutMs } = settings;
    const key = JSON.stringify([name, given, callsTools, baseUrl, apiKey, timeoutMs]);
    const known = this.#opened.get(key);
    if (known !== undefined) return known;
    const { provider, model } = given === undefined ? this.#find(name) : this.#ofModule(given, name);
    const record = this.#coordinator.getCapability("host.record_answer");
    const find = this.#coordinator.getCapability("host.find_answer");
    const opening = provider.open(model, { baseUrl, apiKey, timeoutMs }).then((opened) => {
      const asked = withTools(opened, callsTools);
      return record === null && find === null ? asked : recordedModel(asked, { record, find });
    });
    this.#opened.set(key, opening);
    opening.catch(() => this.#opened.delete(key)); // the next turn tries again
    return opening;
  }

  #ofModule(given: ProviderModule, model: string): FoundModel {
    return { provider: createModuleProvider(given, this.#importPackage()), model };
  }

  #importPackage(): ImportPackage | null {
    return this.#coordinator.getCapability("host.import_package");
  }

  /** Finds a provider. `name:model` names a mounted or known one; without a known name, the whole text is a model. */
  #find(text: string): FoundModel {
    const [name = "", ...rest] = text.split(":");
    const model = rest.join(":");
    const mounted = this.#coordinator.get("models", name) as ModelProvider | null;
    const own = name === responsesProvider.name ? responsesProvider : null;
    const provider = model === "" ? null : (mounted ?? own ?? findModelProvider(name, this.#importPackage()));
    if (provider !== null) return { provider, model };
    const [near] =
      model === ""
        ? []
        : nearestNames(
            name,
            [...knownProviders, responsesProvider].map((one) => one.name),
          );
    return { provider: near === undefined ? responsesProvider : misspelt(name, near), model: text };
  }
}

/** Returns a provider that reports a probable typing error: texts before a colon rarely resemble a provider's name by chance. */
function misspelt(name: string, near: string): ModelProvider {
  const problem = `there is no provider "${name}"; did you mean "${near}"?`;
  return {
    name,
    open: (model) => Promise.reject(modelError({ kind: "configuration", problem, provider: name, model })),
  };
}

interface FoundModel {
  readonly provider: ModelProvider;
  readonly model: string;
}

/** Returns the model, which can call tools if the plan says so. */
function withTools(model: Model, callsTools: boolean | undefined): Model {
  if (callsTools === undefined) return model;
  return {
    provider: model.provider,
    model: model.model,
    rules: model.rules,
    contextTokens: model.contextTokens,
    abilities: { ...model.abilities, tools: callsTools },
    respond: (request, options) => model.respond(request, options),
  };
}

/** Where a model's key and server are looked up if the plan does not name them. */
export interface ModelVariables {
  readonly provider: string;
  /** The environment variables of the key and the server; null for a provider without one. */
  readonly key: string | null;
  readonly baseUrl: string | null;
}

/** Returns the provider that a model's name names, and the environment variables for its key and its server. */
export function modelVariables(text: string): ModelVariables {
  const [prefix] = text.split(":");
  const known = knownProviders.find(({ name }) => name === prefix && text.length > name.length + 1);
  if (known !== undefined) return { provider: known.name, key: known.keyVariable, baseUrl: null };
  return { provider: responsesProvider.name, key: "OPENAI_API_KEY", baseUrl: "OPENAI_BASE_URL" };
}
