import { z } from "zod";

/** What a lock file holds: a `PlanLock`. */
export const lockSchema = z.strictObject({
  version: z.literal(1),
  tools: z.record(
    z.string(),
    z.strictObject({
      digest: z.string(),
      module: z.string(),
      version: z.string().optional(),
      integrity: z.string().optional(),
      definition: z.record(z.string(), z.json()).optional(),
    }),
  ),
  definitions: z.record(z.string(), z.json()).optional(),
  files: z.record(z.string(), z.string()).optional(),
});
