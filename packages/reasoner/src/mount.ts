import type { Coordinator, ListAgents } from "@toolmount/core";
import { translateAgents } from "./config/amplifier-session.ts";
import { providerSettings, rankedSettings, settingsOf, unusedProviders } from "./config/plan-settings.ts";
import { agentSchema, type Agent, type Config } from "./config/settings.ts";
import { createReasoner } from "./reasoner.ts";

/** Mounts the reasoner of a plan, and the capabilities with which tools start sub-agents. */
export async function mount(coordinator: Coordinator, given: Config): Promise<void> {
  const { session = {} } = given;
  const translated = [...translateAgents(session)];
  const agents = { ...agentsOf(translated), ...given.agents };
  const { injection_size_limit: size, injection_budget_per_turn: tokensPerTurn } = session;
  const ranked = {
    session: rankedSettings(given),
    agents: new Map(
      translated.map(([name, { preferred }]) => [
        name,
        preferred.map(({ entry, model }) => providerSettings(entry, model)),
      ]),
    ),
  };
  const reasoner = createReasoner(coordinator, { settings: settingsOf(given), agents, ranked });
  const others = unusedProviders(given);
  if (others.length > 0) coordinator.logger.warn({ others }, "providers of the plan that are not asked");
  for (const [agent, { unused }] of translated)
    if (unused.length > 0)
      coordinator.logger.warn({ agent, unused }, "parts of an agent have no counterpart, and are not used");
  const listAgents: ListAgents = () =>
    Object.entries(agents).map(([name, { description }]) => ({ name, description }));
  coordinator.mount("orchestrator", reasoner);
  coordinator.registerContributor("observability.events", "reasoner", () => reasonerEvents);
  coordinator.registerCapability("session.spawn", reasoner.spawn);
  coordinator.registerCapability("session.resume", reasoner.spawn);
  coordinator.registerCapability("session.agents", listAgents);
  coordinator.registerCapability("session.injection_limits", { size, tokensPerTurn });
}

function agentsOf(
  translated: readonly (readonly [string, { readonly agent: object }])[],
): Readonly<Record<string, Agent>> {
  return Object.fromEntries(translated.map(([name, { agent }]) => [name, agentSchema.parse(agent)]));
}

/**
 * The events that a reasoner emits: those of Amplifier, and toolmount's `mode:entered`. A test compares the list with the source
 * code.
 */
const reasonerEvents = Object.freeze([
  "session:start",
  "session:resume",
  "session:fork",
  "session:end",
  "prompt:submit",
  "prompt:complete",
  "execution:start",
  "execution:end",
  "orchestrator:complete",
  "provider:resolve",
  "provider:request",
  "provider:response",
  "provider:retry",
  "provider:throttle",
  "provider:error",
  "provider:tool_sequence_repaired",
  "llm:request",
  "llm:response",
  "content_block:start",
  "content_block:delta",
  "content_block:end",
  "thinking:delta",
  "thinking:final",
  "context:pre_compact",
  "context:compaction",
  "context:post_compact",
  "context:include",
  "policy:violation",
  "cancel:requested",
  "cancel:completed",
  "mode:entered",
] as const);
