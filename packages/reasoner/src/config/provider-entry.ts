import { amplifierProviderName, amplifierServer, namedProvider } from "@toolmount/interop/internal";

/** A provider in an Amplifier plan. */
export interface ProviderEntry {
  readonly module?: string | undefined;
  readonly id?: string | undefined;
  readonly config?: Readonly<Record<string, unknown>> | undefined;
}

/** Orders the providers of an Amplifier plan by its rule: the lowest `priority` comes first. Without a priority it is 100. */
export function providersByRank(providers: readonly ProviderEntry[]): readonly ProviderEntry[] {
  const rank = ({ config: { priority } = {} }: ProviderEntry) =>
    typeof priority === "number" ? priority : 100;
  return providers.toSorted((one, other) => rank(one) - rank(other));
}

type Given = Readonly<Record<string, unknown>>;

/**
 * Adds a provider's settings, `own`, where `given` has none. Adds nothing if `given` has a `provider`, if the plan's provider
 * has no counterpart, or if `given` names another provider's model, which must get neither the key nor the server.
 */
export function withProvider(given: Given, { module = "", config = {} }: ProviderEntry, own: Given): Given {
  const name = amplifierProviderName(module);
  const text = typeof given["model"] === "string" ? given["model"] : undefined;
  const chosen = text === undefined ? null : namedProvider(text);
  const isOther = chosen !== null && chosen !== name;
  if (name === null || isOther || given["provider"] !== undefined) return given;
  const baseUrl = amplifierServer(name, config);
  const model = chosen === null ? (text ?? own["model"]) : undefined;
  return {
    ...own,
    ...(baseUrl !== undefined && { baseUrl }),
    ...given,
    ...(typeof model === "string" && { model: qualified(name, model) }),
  };
}

/** Returns a model's name as plans write it. For the Responses API, the name has no prefix. */
function qualified(name: string, model: string): string {
  return name === "openai" && namedProvider(model) === null ? model : `${name}:${model}`;
}
