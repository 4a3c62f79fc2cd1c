import { dirname } from "node:path";
import type { LocalServer, ProviderStatus } from "@toolmount/interop/internal";
import { isToolmountError, messageOf } from "@toolmount/core/errors";
import { isRecord } from "@toolmount/core/json";
import type { Shell } from "../process/shell.ts";
import { isHere } from "../scaffold/this-machine.ts";

/** The server for a model without a provider, unless the plan or OPENAI_BASE_URL names another server. */
const responsesUrl = "https://api.openai.com/v1";

/** A provider of models; `local` is its server on this machine, or null if none runs. */
export interface KnownProvider extends ProviderStatus {
  readonly local: LocalServer | null;
}

/**
 * Describes the providers of models that a plan can name: whether the package is found from the plan's folder (without a
 * plan, from the working folder), whether the variable of the key is set, and whether a server on this machine answers.
 * The result never contains keys.
 */
export async function examineProviders(
  plan: string | undefined,
  { env, cwd }: Pick<Shell, "env" | "cwd">,
): Promise<readonly KnownProvider[]> {
  const [{ describeProviders, findLocalServers }, { createPackageImport }] = await Promise.all([
    import("@toolmount/interop/internal"),
    import("@toolmount/loader/commands"),
  ]);
  const responses: ProviderStatus = {
    name: "responses",
    model: "<model>",
    package: "openai",
    isInstalled: true, // it is a dependency of the reasoner, on which this command depends
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

/** The model that a plan names. */
export interface PlanModel {
  readonly model: string;
  /** Why the model cannot be asked, as far as this is known without asking the model; null if nothing is wrong. */
  readonly problem: string | null;
  /** Whether a server with the model answered: the one that the plan names, or one on this machine. */
  readonly answered: boolean;
}

/** Milliseconds in which the server of a plan's model must answer with the list of its models. */
const maxWaitMs = 5_000;

/**
 * Tests whether the model of a plan's `agent` can be asked. A server that the plan names must list its models. For other
 * providers, the package, the key and a local server are looked up. Null for a plan without a model.
 */
export async function tryModel(
  agent: unknown,
  providers: readonly KnownProvider[],
  env: Shell["env"],
): Promise<PlanModel | null> {
  const { model, baseUrl, apiKey } = isRecord(agent) ? agent : {};
  if (typeof model !== "string") return null;
  const provider = providers.find(({ name }) => model.startsWith(`${name}:`)) ?? providers[0]!;
  const [key, url] = [apiKey, baseUrl].map((text) => valueOf(text, env));
  if (url === undefined) {
    const lacks = lacksOf({ ...provider, hasKey: provider.hasKey || key !== undefined });
    const problem = lacks.length === 0 ? null : lacks.join(", and ");
    return { model, problem, answered: provider.local !== null };
  }
  const { listServerModels } = await import("@toolmount/interop/internal");
  const problem = await listServerModels(url, { apiKey: key, signal: AbortSignal.timeout(maxWaitMs) }).then(
    () => null,
    (error: unknown) => `${url} does not list its models: ${messageOf(error)}`,
  );
  return { model, problem, answered: problem === null };
}

/** Returns a text of a plan with its variables filled in; undefined if a variable is not set and has no default. */
function valueOf(text: unknown, env: Shell["env"]): string | undefined {
  if (typeof text !== "string") return undefined;
  let isWhole = true;
  const value = text.replaceAll(/\$\{(\w+)(?::-([^}]*))?\}/g, (_, name: string, otherwise?: string) => {
    const found = env[name] || otherwise;
    isWhole &&= found !== undefined;
    return found ?? "";
  });
  return isWhole ? value : undefined;
}

/** Returns what a provider lacks, as text. */
export function describeLack(provider: KnownProvider): string {
  const lacks = lacksOf(provider);
  return lacks.length === 0 ? "ready" : lacks.join(", and ");
}

/** Returns what must be done before a provider can be used. */
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
