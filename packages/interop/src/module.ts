import type { Coordinator } from "@toolmount/core";
import { z } from "zod";
import { createAmplifierAdapter } from "./amplifier/adapter.ts";
import { createAmplifierCoordinator, type AmplifierCoordinator } from "./amplifier/coordinator.ts";
import { createAmplifierSessions } from "./amplifier/sessions.ts";
import { aptixAdapter } from "./aptix/adapter.ts";
import { forgeAdapter } from "./forge/adapter.ts";
import { libraryAdapter } from "./libraries/adapter.ts";
import { createSchemaCompiler } from "./schema/compiler.ts";

/** What a plan may set for this module: nothing. */
export const config = z.strictObject({});

/** Mounts the adapters of other contracts, and the compiler of plain JSON Schemas unless another one is mounted. */
export async function mount(coordinator: Coordinator, _settings: z.output<typeof config>): Promise<void> {
  mountAdapters(coordinator);
}

/** Does what `mount` does, and returns the coordinator that a plan gives to its modules: ours, with Amplifier's names, too. */
export function mountAdapters(coordinator: Coordinator): AmplifierCoordinator {
  const sessions = createAmplifierSessions();
  coordinator.mount("adapters", aptixAdapter);
  coordinator.mount("adapters", libraryAdapter);
  // Before Amplifier's, which takes whatever has a name and an execute.
  coordinator.mount("adapters", forgeAdapter);
  coordinator.mount("adapters", createAmplifierAdapter(sessions));
  if (coordinator.get("schema-compiler") === null)
    coordinator.mount("schema-compiler", createSchemaCompiler());
  return createAmplifierCoordinator(coordinator, {}, sessions, false);
}
