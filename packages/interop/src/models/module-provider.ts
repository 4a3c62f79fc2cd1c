import type { ImportPackage } from "@toolmount/core";
import { modelError, type Model, type ModelPlace, type ModelProvider } from "./model.ts";
import { messageOf } from "@toolmount/core/errors";
import { createAiSdkModel } from "./ai-sdk-model.ts";
import { modelFetch } from "./model-fetch.ts";
import {
  importProviderPackage,
  languageModelOf,
  unusable,
  type ProviderFactory,
} from "./provider-package.ts";
import { knownProviders } from "./providers.ts";

/** A provider that a plan names by a module. */
export interface ProviderModule {
  /** A package, or a path from the plan's folder. */
  readonly module: string;
  /** The export that makes the provider. Needed only if the module has several. */
  readonly export?: string | undefined;
  /** Members of that export's argument; an `open` gets it as `place.config`. */
  readonly config?: Readonly<Record<string, unknown>> | undefined;
}

/**
 * Makes a provider from a module. The module exports `open(model, place)` like a {@link ModelProvider}, or a factory of the AI
 * SDK (`createAmazonBedrock`). The provider's `open` rejects with `EXTENSION_MISSING`, `SOURCE_NOT_FOUND` or, if the module
 * exports neither, `PROVIDER_FAILED`.
 */
export function createModuleProvider(
  given: ProviderModule,
  importPackage: ImportPackage | null,
): ModelProvider {
  const { module } = given;
  return {
    name: module,
    async open(model: string, place: ModelPlace): Promise<Model> {
      const exports = await importProviderPackage(module, module, importPackage);
      const { open } = exports;
      if (given.export === undefined && typeof open === "function")
        return requireModel(
          await (open as ModelProvider["open"])(model, placeOf(place, given)),
          given,
          model,
        );
      return openLanguageModel(factoryOf(exports, given, model), given, { model, place });
    },
  };
}

function placeOf(place: ModelPlace, { config }: ProviderModule): ModelPlace {
  return config === undefined ? place : { ...place, config };
}

/** Checks what a module's `open` returned, because the compiler has not checked the module. */
function requireModel(model: unknown, { module }: ProviderModule, name: string): Model {
  const { respond, abilities } = (model ?? {}) as Partial<Model>;
  if (typeof respond === "function" && typeof abilities === "object") return model as Model;
  throw unusable(module, "its open() did not return a Model with respond and abilities", {
    provider: module,
    model: name,
  });
}

function openLanguageModel(
  create: ProviderFactory,
  { module, config }: ProviderModule,
  { model, place }: { readonly model: string; readonly place: ModelPlace },
): Model {
  const { baseUrl, apiKey, timeoutMs } = place;
  const known = knownProviders.find((candidate) => candidate.package === module);
  const name = known?.name ?? module;
  try {
    const provider = create({
      name,
      ...(baseUrl !== undefined && { baseURL: baseUrl }),
      ...(apiKey !== undefined && { apiKey }),
      fetch: modelFetch({ provider: name, model }),
      ...config,
    });
    const { cacheMark, oneCallOptions, rules } = known ?? {};
    const language = languageModelOf(provider, model);
    return createAiSdkModel(language, { provider: name, timeoutMs, cacheMark, oneCallOptions, rules });
  } catch (cause) {
    const problem = `${module} could not open the model: ${messageOf(cause)}`;
    throw modelError({ provider: name, model, kind: "configuration", problem }, cause);
  }
}

/** Returns the export that makes the provider: the named one, the known one of a package, or the only `create…`. */
function factoryOf(
  exports: Readonly<Record<string, unknown>>,
  { module, export: named }: ProviderModule,
  model: string,
): ProviderFactory {
  const known = knownProviders.find((candidate) => candidate.package === module);
  const makers = Object.keys(exports).filter((name) => /^create[A-Z]/.test(name));
  const wanted = named ?? (known !== undefined && known.create in exports ? known.create : undefined);
  const name = wanted ?? (makers.length === 1 ? makers[0]! : undefined);
  const found = name === undefined ? undefined : exports[name];
  if (typeof found === "function") return found as ProviderFactory;
  const has = makers.length === 0 ? "no open and no create… export" : `the exports ${makers.join(", ")}`;
  const problem =
    named === undefined ? `it has ${has}; name one with provider.export` : `it has no export ${named}`;
  throw unusable(module, problem, { provider: module, model });
}
