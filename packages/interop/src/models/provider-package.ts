import { ToolmountError, type ImportPackage } from "@toolmount/core";
import { modelError } from "./model.ts";
import { messageOf } from "@toolmount/core/errors";
import type { AiSdkLanguageModel } from "./ai-sdk-types.ts";

/** Function that a package of the AI SDK exports as `create…`. */
export type ProviderFactory = (settings: Readonly<Record<string, unknown>>) => ProviderInstance;

interface ProviderInstance {
  (model: string): AiSdkLanguageModel;
  readonly languageModel?: (model: string) => AiSdkLanguageModel;
}

/** Returns the language model that a provider of the AI SDK has under a name. */
export function languageModelOf(provider: ProviderInstance, model: string): AiSdkLanguageModel {
  return provider.languageModel === undefined ? provider(model) : provider.languageModel(model);
}

/**
 * Imports a provider's package from the plan's folder. Rejects with `EXTENSION_MISSING` when it is not installed, and
 * with `PROVIDER_FAILED` when its import throws.
 */
export async function importProviderPackage(
  module: string,
  name: string,
  importPackage: ImportPackage | null,
): Promise<Readonly<Record<string, unknown>>> {
  let found: Readonly<Record<string, unknown>> | null;
  try {
    found = (await importPackage?.(module)) ?? null;
  } catch (cause) {
    throw unusable(module, `its import failed: ${messageOf(cause)}`, { provider: name, model: "" }, cause);
  }
  if (found !== null) return found;
  const what = `the model provider "${name}"`;
  if (isPath(module)) throw new ToolmountError("SOURCE_NOT_FOUND", { source: module });
  throw new ToolmountError("EXTENSION_MISSING", { what, module, install: `npm install ${module}` });
}

/** Whether a module is named by its path, as opposed to a package's name. */
function isPath(module: string): boolean {
  return module.startsWith(".") || module.startsWith("/");
}

/** Makes the error for a package or module that exists but cannot be used as a provider. */
export function unusable(
  module: string,
  problem: string,
  address: { readonly provider: string; readonly model: string },
  cause?: unknown,
): ToolmountError {
  const next = isPath(module) ? "correct the module" : `update it with: npm install ${module}@latest`;
  const whole = `${module} cannot be used as a provider of models: ${problem}; ${next}`;
  return modelError({ ...address, kind: "configuration", problem: whole }, cause);
}
