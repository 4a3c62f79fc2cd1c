import { z } from "zod";

const schema = z.object({ amount: z.number().describe("The amount"), rate: z.number().describe("The rate") });

/** Converts an amount, as a tool of Tool-Forge. */
export const convertAmount = {
  name: "convert_amount",
  description: "Converts an amount by a rate. Use when both are known. To find a rate, ask for it.",
  schema,
  category: "read",
  consequenceLevel: "low",
  requiresConfirmation: false,
  timeout: 5000,
  execute: async ({ amount, rate }: z.output<typeof schema>) => ({
    tool: "convert_amount",
    fetchedAt: new Date().toISOString(),
    data: { converted: amount * rate },
  }),
};
