import { dirname } from "node:path";
import type { LocalServer, ProviderStatus } from "@toolmount/interop/internal";
import { isToolmountError } from "@toolmount/core/errors";
import type { Shell } from "../process/shell.ts";
import { isHere } from "../scaffold/this-machine.ts";

/** Where `model: <name>` without a provider is asked, unless a plan or OPENAI_BASE_URL says another server. */
const responsesUrl = "https://api.openai.com/v1";

/** A provider, and its server where that runs on this machine. */
export interface KnownProvider extends ProviderStatus {
  readonly local: LocalServer | null;
}

/**
 * Describes the providers of models that a plan can name: whether the package is found from the plan's folder (without a
 * plan, from the working folder), whether the variable of the key is set, and whether a server of this machine answers.
 * Keys are never part of it.
 */
export async function examineProviders(
  plan: string | undefined,
  { env, cwd }: Shell,
): Promise<readonly KnownProvider[]> {
  const [{ describeProviders, findLocalServers }, { createPackageImport }] = await Promise.all([
    import("@toolmount/interop/internal"),
    import("@toolmount/loader/commands"),
  ]);
  const responses: ProviderStatus = {
    name: "responses",
    model: "<model>",
    package: "openai",
    isInstalled: true, // a dependency of the reasoner, which is one of this command
    problem: null,
    install: "npm install openai",
    keyVariable: "OPENAI_API_KEY",
    hasKey: (env["OPENAI_API_KEY"] ?? "") !== "",
    baseUrl: env["OPENAI_BASE_URL"] || responsesUrl,
  };
  const importPackage = createPackageImport(await folderOf(plan, cwd));
  const [described, running] = await Promise.all([
    describeProviders(importPackage, env),
    findLocalServers(env),
  ]);
  return [responses, ...described].map((provider) => ({
    ...provider,
    local: running.find((server) => server.provider === provider.name) ?? null,
  }));
}

/** Returns what a provider lacks, in words. */
export function describeLack(provider: KnownProvider): string {
  const lacks = lacksOf(provider);
  return lacks.length === 0 ? "ready" : lacks.join(", and ");
}

/** What has to be done before a provider can be used. */
export function lacksOf(provider: KnownProvider): readonly string[] {
  const { isInstalled, problem, install, hasKey, keyVariable, baseUrl, local } = provider;
  return [
    ...(problem === null ? [] : [problem]),
    ...(isInstalled ? [] : [install]),
    ...(hasKey ? [] : [`set ${keyVariable}`]),
    ...(baseUrl === null && keyVariable === null ? ["name its server in the plan: baseUrl"] : []),
    ...(baseUrl !== null && isHere(new URL(baseUrl)) && local === null
      ? [`start its server, with a model: ${baseUrl} does not answer`]
      : []),
  ];
}

async function folderOf(plan: string | undefined, cwd: string): Promise<string> {
  const { findPlan } = await import("@toolmount/loader/commands");
  try {
    return dirname(await findPlan(plan, cwd));
  } catch (error) {
    if (plan === undefined && isToolmountError(error) && error.code === "PLAN_NOT_FOUND") return cwd;
    throw error;
  }
}
