import { data, defineTool } from "@toolmount/core";
import { z } from "zod/v3";

/** A tool whose schema is of a library that cannot print itself. */
export const greet = defineTool({
  name: "greet",
  description: "Greets. Use in tests.",
  schema: z.object({ who: z.string() }) as never,
  category: "read",
  consequenceLevel: "low",
  requiresConfirmation: false,
  execute: (params) => data(params),
});
