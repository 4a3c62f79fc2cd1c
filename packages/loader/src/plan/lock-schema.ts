import type { Json } from "@toolmount/core";
import { z } from "zod";

/** Accepts any value, because the file was parsed as JSON. `z.json()` would take 0.1 s for the definitions of 1,000 tools. */
const json = z.custom<Json>();

/** The schema of a lock file, a `PlanLock`. */
export const lockSchema = z.strictObject({
  version: z.literal(1),
  tools: z.record(
    z.string(),
    z.strictObject({
      digest: z.string(),
      module: z.string(),
      version: z.string().optional(),
      integrity: z.string().optional(),
      definition: z.record(z.string(), json).optional(),
    }),
  ),
  definitions: z.record(z.string(), json).optional(),
  files: z.record(z.string(), z.string()).optional(),
});
