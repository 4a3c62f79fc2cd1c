import type { Coordinator } from "@toolmount/core";
import { z } from "zod";
import { createHelloWorld } from "./hello-world.ts";

/** What a plan may set for this module: nothing. */
export const config = z.strictObject({});

/** Mounts `agent_hello_world`. */
export async function mount(coordinator: Coordinator, _settings: z.output<typeof config>): Promise<void> {
  coordinator.mount("tools", createHelloWorld());
}
