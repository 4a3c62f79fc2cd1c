import type { Coordinator } from "@toolmount/core";
import { z } from "zod";
import { createCalculator } from "./calculator.ts";
import { createDelay } from "./delay.ts";
import { createFailureInjection } from "./failure-injection.ts";
import { createPingPong } from "./ping-pong.ts";

/** The config of this module, which has no settings. */
export const config = z.strictObject({});

/** Mounts the four testing tools. */
export async function mount(coordinator: Coordinator, _settings: z.output<typeof config>): Promise<void> {
  coordinator.mount("tools", createPingPong());
  coordinator.mount("tools", createCalculator());
  coordinator.mount("tools", createDelay());
  coordinator.mount("tools", createFailureInjection());
}
