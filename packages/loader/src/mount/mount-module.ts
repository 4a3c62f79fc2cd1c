import type { Coordinator, JsonObject } from "@toolmount/core";
import { runMount, type LoadedModule } from "@toolmount/core/internal";
import { createRecordingCoordinator, type RecordingCoordinator } from "./recording-coordinator.ts";

/**
 * Mounts a module through its coordinator and registers what it returns: a tool, tools, a cleanup, or
 * `{ tools, cleanup }`. A returned tool that the module mounted itself is not mounted again.
 *
 * Rejects with the error that the module throws, and with `MODULE_INVALID` for any other return. Abort `closed` when the
 * result is no longer needed: a module that mounts later is cleaned up.
 */
export async function mountModule(
  id: string,
  module: LoadedModule,
  coordinator: Coordinator,
  config: JsonObject,
  closed?: AbortSignal,
): Promise<RecordingCoordinator> {
  const recording = createRecordingCoordinator(coordinator, id, closed);
  await runMount(id, module, recording.coordinator, config, (tool) => recording.tools.has(tool));
  return recording;
}
