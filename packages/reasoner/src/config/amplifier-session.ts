import { amplifierProviderName } from "@toolmount/interop/internal";
import { z } from "zod";
import { matchesGlob } from "@toolmount/core/text";
import { providersByRank, type ProviderEntry } from "./provider-entry.ts";

const foreign = z.strictObject({
  module: z.string().optional(),
  id: z.string().optional(),
  config: z.record(z.string(), z.unknown()).optional(),
});

const noHooks =
  "hooks of one agent are not mapped; write them as hooks of the plan, which hold for agents, too";

/** An agent of an Amplifier plan. It has the tools of the session that begins it, and differs from it only in these members. */
const amplifierAgent = z.looseObject({
  description: z.string().optional(),
  meta: z.looseObject({ description: z.string().optional() }).nullish(),
  instruction: z.string().optional(),
  instructions: z.string().optional(),
  system: z.looseObject({ instruction: z.string().optional() }).nullish(),
  provider_preferences: z
    .array(z.looseObject({ provider: z.string(), model: z.string().optional() }))
    .nullish(),
  hooks: z.array(z.unknown()).max(0, noHooks).nullish(),
});

/** The `session` of an Amplifier plan, with the providers and the agents of the plan. */
export const amplifierSession = z
  .strictObject({
    /**
     * Says in a bundle that the application should add nothing to the session. It has no effect, because nothing is added here.
     */
    raw: z.boolean().optional(),
    orchestrator: foreign.optional(),
    context: foreign.optional(),
    providers: z.array(foreign).optional(),
    agents: z.record(z.string(), amplifierAgent).optional(),
    /** Limits for texts that hooks inject: the size of one text, and the tokens of one turn above which a warning is logged. */
    injection_size_limit: z.int().positive().nullish(),
    injection_budget_per_turn: z.int().positive().nullish(),
  })
  .superRefine(({ providers = [] }, context) => {
    const [first] = providersByRank(providers);
    if (first === undefined || amplifierProviderName(first.module ?? "") !== null) return;
    const message = `no provider of toolmount is the counterpart of "${first.module ?? ""}"; toolmount doctor models lists those that there are`;
    context.addIssue({ code: "custom", message, path: ["providers", providers.indexOf(first), "module"] });
  });

/** An agent in our form, the models that it prefers, and the members of Amplifier's agent that have no counterpart. */
interface Translated {
  readonly agent: { readonly description: string; readonly instructions?: string };
  /** The models that the agent prefers, each with the plan's provider for it. */
  readonly preferred: readonly { readonly entry: ProviderEntry; readonly model: string }[];
  readonly unused: readonly string[];
}

/** Translates the agents of an Amplifier plan, by their names. */
export function translateAgents({
  agents = {},
  providers = [],
}: z.output<typeof amplifierSession>): ReadonlyMap<string, Translated> {
  const ranked = providersByRank(providers);
  return new Map(Object.entries(agents).map(([name, given]) => [name, translate(name, given, ranked)]));
}

const notUsed = ["model_role", "session", "providers"] as const;

function translate(
  name: string,
  given: z.output<typeof amplifierAgent>,
  providers: readonly ProviderEntry[],
): Translated {
  const { description = given.meta?.description ?? `The agent ${name}.`, system } = given;
  const instructions = given.instruction ?? given.instructions ?? system?.instruction;
  const preferences = given.provider_preferences ?? [];
  const preferred = preferences.flatMap((one) => preferredOf(one, providers));
  const unused = [
    ...notUsed.filter((key) => given[key] !== undefined && given[key] !== null),
    ...(preferences.length > 0 && preferred.length === 0 ? ["provider_preferences"] : []),
  ];
  return { agent: { description, ...(instructions !== undefined && { instructions }) }, preferred, unused };
}

/**
 * Returns the plan's provider that an agent prefers, with the model. A pattern chooses the provider's own model if that matches.
 * Empty if the plan has no such provider or model.
 */
function preferredOf(
  { provider, model = "*" }: { readonly provider: string; readonly model?: string | undefined },
  providers: readonly ProviderEntry[],
): Translated["preferred"] {
  const kind = amplifierProviderName(provider);
  const entry =
    providers.find(({ id }) => id === provider) ??
    providers.find(({ module = "" }) => kind !== null && amplifierProviderName(module) === kind);
  if (entry === undefined || amplifierProviderName(entry.module ?? "") === null) return [];
  if (/^[^*?[\]]+$/.test(model)) return [{ entry, model }];
  const own = entry.config?.["default_model"] ?? entry.config?.["model"];
  return typeof own === "string" && matchesGlob(model.replaceAll(/\[[^\]]*\]/g, "?"), own)
    ? [{ entry, model: own }]
    : [];
}
