import type { Coordinator } from "@toolmount/core";
import { z } from "zod";
import { createHelloWorld } from "./hello-world.ts";

/** The config of this module, which has no settings. */
export const config = z.strictObject({});

/** Mounts `agent_hello_world`. */
export async function mount(coordinator: Coordinator, _settings: z.output<typeof config>): Promise<void> {
  coordinator.mount("tools", createHelloWorld());
}
