import type { ImportPackage } from "@toolmount/core";
import { isToolmountError, messageOf } from "@toolmount/core/errors";
import { importProviderPackage, unusable } from "./provider-package.ts";
import { compatiblePackage, knownProviders, type KnownProvider } from "./providers.ts";

/**
 * The settings that a plan needs for one provider, and which of them are missing here. A key itself is never in it, only the
 * name of its variable.
 */
export interface ProviderStatus {
  readonly name: string;
  /** The form of a model's name in a plan: `anthropic:<model>`. */
  readonly model: string;
  readonly package: string;
  readonly isInstalled: boolean;
  /** Why an installed package cannot be used; null if it can, or is not installed. */
  readonly problem: string | null;
  readonly install: string;
  /** The environment variable that holds the key; null for a server that needs no key. */
  readonly keyVariable: string | null;
  readonly hasKey: boolean;
  /** The server's URL, if we set one for the provider. */
  readonly baseUrl: string | null;
}

/** Describes the known providers; `importPackage` decides from where packages are imported. */
export function describeProviders(
  importPackage: ImportPackage | null,
  env: Readonly<Record<string, string | undefined>>,
): Promise<readonly ProviderStatus[]> {
  return Promise.all(
    knownProviders.map(async (known): Promise<ProviderStatus> => {
      const { name, keyVariable, baseUrl = null } = known;
      return {
        name,
        model: `${name}:<model>`,
        package: known.package,
        ...(await examinePackage(known, importPackage)),
        install: `npm install ${known.package}`,
        keyVariable,
        hasKey: keyVariable === null || (env[keyVariable] ?? "") !== "",
        baseUrl,
      };
    }),
  );
}

/** Examines a provider's package, which counts as usable if it can be imported and has the export that makes the provider. */
async function examinePackage(
  { package: module, name, create }: KnownProvider,
  importPackage: ImportPackage | null,
): Promise<Pick<ProviderStatus, "isInstalled" | "problem">> {
  if (module === compatiblePackage) return { isInstalled: true, problem: null }; // a dependency of this package
  try {
    const exports = await importProviderPackage(module, name, importPackage);
    if (typeof exports[create] === "function") return { isInstalled: true, problem: null };
    const { message } = unusable(module, `it has no ${create}`, { provider: name, model: "" });
    return { isInstalled: true, problem: message };
  } catch (error) {
    if (isToolmountError(error) && error.code === "EXTENSION_MISSING")
      return { isInstalled: false, problem: null };
    return { isInstalled: true, problem: messageOf(error) };
  }
}
