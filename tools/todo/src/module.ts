import type { Coordinator } from "@toolmount/core";
import type { ParsedSettings } from "./config.ts";
import { changedEvent } from "./services.ts";
import { createTodo } from "./todo.ts";

/** Mounts `todo`. The list of a session is in the session's state, and is kept as long as that state. */
export async function mount(coordinator: Coordinator, settings: ParsedSettings): Promise<void> {
  const { hooks, logger } = coordinator;
  coordinator.registerContributor("observability.events", "todo", () => [changedEvent]);
  const announce = (event: string, data: Readonly<Record<string, unknown>>) =>
    void hooks
      .emit(event, data)
      .catch((error: unknown) => logger.warn({ err: error, event }, "an event could not be emitted"));
  coordinator.mount("tools", createTodo(settings, { announce }));
}
