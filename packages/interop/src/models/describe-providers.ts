import type { ImportPackage } from "@toolmount/core";
import { knownProviders } from "./providers.ts";

/** What a plan needs to use one provider, and what of it is missing here. Keys themselves are never part of it. */
export interface ProviderStatus {
  readonly name: string;
  /** What a plan writes: `anthropic:<model>`. */
  readonly model: string;
  readonly package: string;
  readonly isInstalled: boolean;
  readonly install: string;
  /** The environment variable that holds the key; null for a server that needs none. */
  readonly keyVariable: string | null;
  readonly hasKey: boolean;
  /** The server's URL, where the provider has one of its own. */
  readonly baseUrl: string | null;
}

/** Describes the known providers, as seen from where `importPackage` imports packages. */
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
        isInstalled: await isInstalled(known.package, importPackage),
        install: `npm install ${known.package}`,
        keyVariable,
        hasKey: keyVariable === null || (env[keyVariable] ?? "") !== "",
        baseUrl,
      };
    }),
  );
}

async function isInstalled(name: string, importPackage: ImportPackage | null): Promise<boolean> {
  if (name === "@ai-sdk/openai-compatible") return true; // a dependency of this package
  return ((await importPackage?.(name)) ?? null) !== null;
}
