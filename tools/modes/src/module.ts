import type { Coordinator, ModeCatalog } from "@toolmount/core";
import { z } from "zod";
import { createChangeMode } from "./change-mode.ts";
import { createListModes } from "./list-modes.ts";
import type { ChangeModeServices } from "./services.ts";

/** The config of this module, which has no settings. Modes are declared in the plan's own `modes` section. */
export const config = z.strictObject({});

/** The event that these tools emit; its fields are those of `ModeChanged`. */
const events = ["mode:changed"];

/** Mounts `agent_list_modes` and `agent_change_mode`, which use the `mode-catalog` that is mounted when they are called. */
export async function mount(coordinator: Coordinator, settings: z.output<typeof config>): Promise<void> {
  const services = servicesOf(coordinator);
  coordinator.registerContributor("observability.events", "modes", () => events);
  coordinator.mount("tools", createListModes(settings, services));
  coordinator.mount("tools", createChangeMode(settings, services));
}

function servicesOf(coordinator: Coordinator): ChangeModeServices {
  const { hooks, logger } = coordinator;
  return {
    get catalog() {
      return coordinator.get("mode-catalog") as ModeCatalog | null;
    },
    tell(change) {
      hooks
        .emit("mode:changed", { ...change })
        .catch((err: unknown) => logger.warn({ err }, "a change of mode could not be reported"));
    },
  };
}
