import type { Coordinator, ListAgents } from "@toolmount/core";
import { settingsOf, type Config } from "./config/settings.ts";
import { reasonerEvents } from "./events.ts";
import { createReasoner } from "./reasoner.ts";

/** Mounts a plan's reasoner, and the capabilities with which tools begin sub-agents. */
export async function mount(coordinator: Coordinator, given: Config): Promise<void> {
  const { agents = {}, injection_size_limit: size, injection_budget_per_turn: tokensPerTurn } = given;
  const reasoner = createReasoner(coordinator, { settings: settingsOf(given), agents });
  const listAgents: ListAgents = () =>
    Object.entries(agents).map(([name, { description }]) => ({ name, description }));
  coordinator.mount("orchestrator", reasoner);
  coordinator.registerContributor("observability.events", "reasoner", () => reasonerEvents);
  coordinator.registerCapability("session.spawn", reasoner.spawn);
  coordinator.registerCapability("session.resume", reasoner.spawn);
  coordinator.registerCapability("session.agents", listAgents);
  coordinator.registerCapability("session.injection_limits", { size, tokensPerTurn });
}
