import type { Coordinator } from "@toolmount/core";
import { z } from "zod";
import { createAmplifierAdapter } from "./amplifier/adapter.ts";
import { createAmplifierCoordinator, type AmplifierCoordinator } from "./amplifier/coordinator.ts";
import { createAmplifierSessions } from "./amplifier/sessions.ts";
import { aptixAdapter } from "./aptix/adapter.ts";
import { forgeAdapter } from "./forge/adapter.ts";
import { libraryAdapter } from "./libraries/adapter.ts";
import { createSchemaCompiler } from "./schema/compiler.ts";

/** The config of this module, which has no settings. */
export const config = z.strictObject({});

/** Mounts the adapters of other contracts and, unless another one is mounted, the compiler of plain JSON Schemas. */
export async function mount(coordinator: Coordinator, _settings: z.output<typeof config>): Promise<void> {
  mountAdapters(coordinator);
}

/**
 * Does the same as `mount`, and returns the coordinator that a plan gives to its modules: ours, with Amplifier's names in
 * addition.
 */
export function mountAdapters(coordinator: Coordinator): AmplifierCoordinator {
  const sessions = createAmplifierSessions();
  coordinator.mount("adapters", aptixAdapter);
  coordinator.mount("adapters", libraryAdapter);
  // Tool-Forge's adapter comes before Amplifier's, which takes everything with a name and an `execute`.
  coordinator.mount("adapters", forgeAdapter);
  coordinator.mount("adapters", createAmplifierAdapter(sessions));
  if (coordinator.get("schema-compiler") === null)
    coordinator.mount("schema-compiler", createSchemaCompiler());
  return createAmplifierCoordinator(coordinator, {}, sessions, false);
}
