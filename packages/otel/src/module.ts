import type { Coordinator } from "@toolmount/core";
import { z } from "zod";
import { createTelemetry } from "./telemetry.ts";

/** The module's config in a plan. */
export const config = z.strictObject({
  /** Puts arguments and results on the spans. They may hold what people wrote and what tools read. */
  content: z.boolean().default(false),
  /** Texts that are masked wherever they would stand on a span. */
  secrets: z.array(z.string()).default([]),
});

/**
 * Sends the calls of this host to the tracer and meter providers that the program registered with OpenTelemetry's API.
 * They must be registered before; without them nothing is sent.
 */
export async function mount(
  coordinator: Coordinator,
  settings: z.output<typeof config>,
): Promise<() => void> {
  const hostId = coordinator.getCapability("host.id");
  const telemetry = createTelemetry({ ...settings, ...(hostId === null ? {} : { hostId }) });
  return () => telemetry.stop();
}
