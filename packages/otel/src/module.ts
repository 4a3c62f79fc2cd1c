import type { Coordinator } from "@toolmount/core";
import { z } from "zod";
import { createTelemetry } from "./telemetry.ts";

/** The module's config in a plan. */
export const config = z.strictObject({
  /** Whether spans contain arguments and results. They may have texts of people, and data that tools read. */
  content: z.boolean().default(false),
  /** Texts that are masked in every span. */
  secrets: z.array(z.string()).default([]),
});

/**
 * Sends telemetry about this host's calls to the tracer and meter that the program registered with OpenTelemetry's API. If the
 * program has registered none, nothing is sent.
 */
export async function mount(
  coordinator: Coordinator,
  settings: z.output<typeof config>,
): Promise<() => void> {
  const hostId = coordinator.getCapability("host.id");
  const telemetry = createTelemetry({ ...settings, ...(hostId === null ? {} : { hostId }) });
  return () => telemetry.stop();
}
