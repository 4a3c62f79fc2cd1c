import type { createAmplifierAdapter } from "../../src/amplifier/adapter.ts";
import type { AmplifierCoordinator } from "../../src/amplifier/coordinator.ts";
import { hostWithAdapters } from "./world.ts";

/** Mounts a module of Amplifier as the loader does, and returns the coordinator that it got. */
export async function mountAmplifier(config: object = {}) {
  const world = await hostWithAdapters();
  let coordinator!: AmplifierCoordinator;
  const adapter = world.host.coordinator.get("adapters", "amplifier") as ReturnType<
    typeof createAmplifierAdapter
  >;
  const draft = world.host.draft();
  for (const module of world.host.modules()) draft.keepModule(module);
  const module = draft.addModule({ id: "amp", config: config as never });
  const mount = async (given: AmplifierCoordinator) => void (coordinator = given);
  const adapted = adapter.adaptModule!({ mount }) as {
    mount(...parameters: unknown[]): Promise<unknown>;
  };
  await adapted.mount(module.coordinator, config);
  await draft.commit();
  return { ...world, coordinator };
}
