import type { Coordinator } from "@toolmount/core";
import type { DelegateSettings } from "./config.ts";
import { createDelegate, type DelegateServices } from "./delegate.ts";

export { config } from "./config.ts";

/** The events that the tool emits. */
const events = [
  "delegate:agent_spawned",
  "delegate:agent_resumed",
  "delegate:agent_completed",
  "delegate:agent_cancelled",
  "delegate:error",
];

/** Mounts `delegate`, which uses the `session.spawn` and `session.resume` that are registered when it is called. */
export async function mount(coordinator: Coordinator, settings: DelegateSettings): Promise<void> {
  coordinator.registerContributor("observability.events", "delegate", () => events);
  coordinator.mount("tools", createDelegate(settings, servicesOf(coordinator)));
}

function servicesOf(coordinator: Coordinator): DelegateServices {
  const { hooks, logger } = coordinator;
  return {
    get spawn() {
      return coordinator.getCapability("session.spawn");
    },
    get resume() {
      return coordinator.getCapability("session.resume");
    },
    get agents() {
      return coordinator.getCapability("session.agents")?.() ?? [];
    },
    emit(event, fields) {
      hooks
        .emit(event, fields)
        .catch((err: unknown) => logger.warn({ err, event }, "an event of a delegation was not emitted"));
    },
  };
}
