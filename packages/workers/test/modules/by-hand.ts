import { data, defineTool } from "@toolmount/core";
import { z } from "zod";

/** A tool that a test mounts itself. */
export const probe = defineTool({
  name: "by_hand",
  description: "Returns nothing. Use it in tests. Not for anything else.",
  schema: z.strictObject({}),
  category: "read",
  consequenceLevel: "low",
  requiresConfirmation: false,
  execute: async () => data(null),
});
