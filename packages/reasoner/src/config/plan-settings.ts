import { ToolmountError } from "@toolmount/core";
import { amplifierProviderName } from "@toolmount/interop/internal";
import { providersByRank, withProvider, type ProviderEntry } from "./provider-entry.ts";
import { requireConsistent, settingsSchema, type Config, type Settings } from "./settings.ts";

/** The names of our settings, by these names and by the keys that Amplifier plans use. */
const settingNames: ReadonlyMap<string, string> = new Map([
  ...Object.keys(settingsSchema.shape).map((name) => [name, name] as const),
  ["base_url", "baseUrl"],
  ["api_key", "apiKey"],
  ["default_model", "model"],
  ["max_iterations", "maxIterations"],
  ["max_tokens", "maxOutputTokens"],
]);

/** Returns the settings of one of our plans, or of an Amplifier plan with its first provider. Throws `CONFIG_INVALID`. */
export function settingsOf(plan: Config): Settings {
  return rankedSettings(plan)[0]!;
}

/**
 * Returns the settings of a plan for its first provider and each other one that can be asked, in the order in which they are
 * asked. If the plan itself names a model, only for the first. Throws `CONFIG_INVALID`.
 */
export function rankedSettings(plan: Config): readonly Settings[] {
  return usedProviders(plan).map((entry) => settingsWith(plan, entry));
}

/**
 * Returns the ids of providers after the first that no session uses, because they have no counterpart or no model, or because
 * the plan itself names a model.
 */
export function unusedProviders(plan: Config): readonly string[] {
  const used = usedProviders(plan);
  const others = (plan.session?.providers ?? []).filter((entry) => !used.includes(entry));
  return others.map(({ module = "", id = module }) => id);
}

function usedProviders({
  model,
  session: { orchestrator, providers = [] } = {},
}: Config): readonly ProviderEntry[] {
  const isNamed = (model ?? translated(orchestrator?.config)["model"]) !== undefined;
  const [first = {}, ...others] = providersByRank(providers);
  const canBeAsked = (entry: ProviderEntry) =>
    amplifierProviderName(entry.module ?? "") !== null && translated(entry.config)["model"] !== undefined;
  return [first, ...(isNamed ? [] : others.filter(canBeAsked))];
}

/** Returns the settings of a provider in an Amplifier plan under our names. */
export function providerSettings(entry: ProviderEntry, model?: string): Record<string, unknown> {
  const own = { ...translated(entry.config), ...(model !== undefined && { model }) };
  return withProvider({}, entry, own);
}

function settingsWith({ agents: _, session = {}, ...own }: Config, entry: ProviderEntry): Settings {
  const { orchestrator } = session;
  const bounds = {
    maxInjectionBytes: session.injection_size_limit ?? undefined,
    injectionTokens: session.injection_budget_per_turn ?? undefined,
  };
  const direct = { ...translated(orchestrator?.config), ...withoutUndefined(own) };
  const given = { ...withoutUndefined(bounds), ...withProvider(direct, entry, translated(entry.config)) };
  const parsed = settingsSchema.safeParse(given);
  if (parsed.success) return requireConsistent(parsed.data);
  const problem = parsed.error.issues
    .map(({ path, message }) => `${path.join(".") || "agent"}: ${message}`)
    .join("; ");
  throw new ToolmountError("CONFIG_INVALID", { module: "@toolmount/reasoner", problem });
}

function translated(given: Readonly<Record<string, unknown>> | undefined): Record<string, unknown> {
  const pairs = Object.entries(given ?? {}).flatMap(([key, value]) => {
    const name = settingNames.get(key);
    return name === undefined || value === null || value === "" || (name === "maxIterations" && value === -1)
      ? []
      : [[name, value] as const];
  });
  return Object.fromEntries(pairs);
}

function withoutUndefined(given: object): object {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}
