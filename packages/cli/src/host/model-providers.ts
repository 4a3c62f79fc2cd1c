import { dirname } from "node:path";
import type { ProviderStatus } from "@toolmount/interop/internal";
import { isToolmountError } from "@toolmount/core/errors";
import type { Shell } from "../process/shell.ts";

/** Where `model: <name>` without a provider is asked, unless a plan or OPENAI_BASE_URL says another server. */
const responsesUrl = "https://api.openai.com/v1";

/**
 * Describes the providers of models that a plan can name: whether the package is found from the plan's folder (without a
 * plan, from the working folder), and whether the variable of the key is set. Keys are never part of it.
 */
export async function examineProviders(
  plan: string | undefined,
  { env, cwd }: Shell,
): Promise<readonly ProviderStatus[]> {
  const [{ describeProviders }, { createPackageImport }] = await Promise.all([
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
  return [responses, ...(await describeProviders(importPackage, env))];
}

/** Returns what a provider lacks, in words. */
export function describeLack({ isInstalled, problem, install, hasKey, keyVariable }: ProviderStatus): string {
  const lacks = [
    ...(problem === null ? [] : [problem]),
    ...(isInstalled ? [] : [install]),
    ...(hasKey ? [] : [`set ${keyVariable}`]),
  ];
  return lacks.length === 0 ? "ready" : lacks.join(", and ");
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
