import type { Coordinator } from "@toolmount/core";
import { requireConsistent, settingsSchema, type Agent, type Settings } from "./config/settings.ts";
import { modelVariables } from "./provider/open-model.ts";
import { withoutSame } from "./provider/ranked-models.ts";
import type { TurnOptions } from "./reasoner-types.ts";
import type { SessionFacts } from "./session/log.ts";

/** Settings of models in the order in which they are asked. */
export interface Ranked {
  readonly session: readonly Settings[];
  /** By agent, settings of the models that are asked before those of the session. */
  readonly agents: ReadonlyMap<string, readonly Partial<Settings>[]>;
}

/** Where the settings of a session's turn come from. */
interface Parts {
  readonly settings: Settings;
  readonly ranked: Ranked | undefined;
  readonly agent: Agent | null;
  readonly facts: SessionFacts;
  readonly options: TurnOptions;
}

/** Returns the settings of the models to ask, in order: the plan's, overridden by the agent's and then by the turn's. */
export function rankedSettingsOf(
  coordinator: Coordinator,
  { settings, ranked, agent, facts, options: { settings: given = {}, instructions } }: Parts,
): readonly Settings[] {
  const preferred = facts.agent === null ? [] : (ranked?.agents.get(facts.agent) ?? []);
  const ofAgent = agentSettings(agent);
  const choices = [
    ...preferred.map((one) => [settings, ofAgent, one]),
    ...(ranked?.session ?? [settings]).map((one) => [one, ofAgent]),
  ];
  const all = choices.map((below) => merged(coordinator, [...below, given]));
  return withoutSame(all.map((one) => ownOutput(facts, withMore(one, instructions))));
}

/**
 * Merges settings; later ones take precedence. A model of another provider drops the server, the key and the module of earlier
 * settings, which belong to the earlier provider.
 */
function merged(coordinator: Coordinator, given: readonly Partial<Settings>[]): Settings {
  const providerOf = (model: string) => providerIn(coordinator, model);
  let all: Partial<Settings> = {};
  for (const each of given) {
    const own = defined(each);
    const isOther =
      own.model !== undefined && all.model !== undefined && providerOf(own.model) !== providerOf(all.model);
    const { apiKey: _, baseUrl: __, provider: ___, callsTools: ____, ...rest } = all;
    all = { ...(isOther ? rest : all), ...own };
  }
  return requireConsistent(settingsSchema.parse(all));
}

function withMore(settings: Settings, more: string | undefined): Settings {
  if (more === undefined) return settings;
  return { ...settings, instructions: [settings.instructions, more].filter(Boolean).join("\n\n") };
}

/**
 * Returns the name of a model's provider, which may be mounted by a module. A key must not be sent to the server of another
 * provider.
 */
function providerIn(coordinator: Coordinator, model: string): string {
  const [prefix = ""] = model.split(":");
  const isMounted = model.includes(":") && coordinator.get("models", prefix) !== null;
  return isMounted ? prefix : modelVariables(model).provider;
}

function agentSettings(agent: Agent | null): Partial<Settings> {
  return defined({ model: agent?.model, maxIterations: agent?.maxIterations, budgets: agent?.budgets });
}

function defined(given: Readonly<Record<string, unknown>>): Partial<Settings> {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

/** Removes `outputSchema` for a sub-agent, because its parent expects a text. */
function ownOutput({ parentId }: SessionFacts, settings: Settings): Settings {
  return parentId === null ? settings : { ...settings, outputSchema: undefined };
}
