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

/** Opens the models that settings name. The same settings open a model only once. */
export class ModelOpener {
  readonly #coordinator: Coordinator;
  readonly #opened = new Map<string, Promise<Model>>();

  constructor(coordinator: Coordinator) {
    this.#coordinator = coordinator;
  }

  /** Opens a model. Rejects with `EXTENSION_MISSING` or `PROVIDER_FAILED`; see `ModelProvider.open`. */
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
    opening.catch(() => this.#opened.delete(key)); // a failure is not kept, so that the next turn tries again
    return opening;
  }

  #ofModule(given: ProviderModule, model: string): FoundModel {
    return { provider: createModuleProvider(given, this.#importPackage()), model };
  }

  #importPackage(): ImportPackage | null {
    return this.#coordinator.getCapability("host.import_package");
  }

  /**
   * Finds the provider and the model in a text. `name:model` names a mounted or known provider. If the name is unknown, the
   * whole text is a model of the Responses API, unless the name resembles a known one.
   */
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

/**
 * Returns a provider that only reports a likely typing error: a text before a colon that resembles a provider's name is rarely
 * meant as a model.
 */
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

/** Overrides whether a model can call tools. Without `callsTools`, returns the model unchanged. */
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

/** The environment variables with a model's key and server, which are read if the plan does not give these. */
export interface ModelVariables {
  readonly provider: string;
  /** The names of the environment variables for the key and the server; null if the provider has none. */
  readonly key: string | null;
  readonly baseUrl: string | null;
}

/** Returns the provider in a model's name, and its environment variables. Without a known prefix, returns those of OpenAI. */
export function modelVariables(text: string): ModelVariables {
  const [prefix] = text.split(":");
  const known = knownProviders.find(({ name }) => name === prefix && text.length > name.length + 1);
  if (known !== undefined) return { provider: known.name, key: known.keyVariable, baseUrl: null };
  return { provider: responsesProvider.name, key: "OPENAI_API_KEY", baseUrl: "OPENAI_BASE_URL" };
}
