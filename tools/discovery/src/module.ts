import type { Coordinator, ModeCatalog, ToolInfo } from "@toolmount/core";
import { createActivateTools } from "./activate-tools.ts";
import type { ParsedSettings } from "./config.ts";
import { activatedEvent, type Services } from "./services.ts";
import { createToolSearch } from "./tool-search.ts";

/**
 * Mounts `tool_search` and `activate_tools`, and sets how tools are disclosed. With `progressive`, a tool is only a line of the
 * guidance until a session activates it.
 */
export async function mount(coordinator: Coordinator, settings: ParsedSettings): Promise<void> {
  const services = servicesOf(coordinator);
  coordinator.registerContributor("observability.events", "discovery", () => [activatedEvent]);
  coordinator.registerCapability("tools.disclosure", settings.disclosure);
  coordinator.registerCapability("tools.active", settings.active);
  coordinator.mount("tools", createToolSearch(settings, services));
  coordinator.mount("tools", createActivateTools(settings, services));
}

function servicesOf(coordinator: Coordinator): Services {
  const { hooks, logger } = coordinator;
  return {
    tools: () => (coordinator.get("tools") as ReadonlyMap<string, ToolInfo>).values(),
    catalog: () => coordinator.get("mode-catalog") as ModeCatalog | null,
    announce: (event, data) =>
      void hooks
        .emit(event, data)
        .catch((error: unknown) => logger.warn({ err: error, event }, "an event could not be emitted")),
  };
}
