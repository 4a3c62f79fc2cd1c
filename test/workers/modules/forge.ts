// A definition as Tool-Forge writes it.
import { z } from "zod";

export const greet = {
  name: "greet_by_name",
  description: "Greets a person by name. Use when the user asks to be greeted, not for small talk.",
  schema: z.object({ name: z.string().describe("Whom to greet") }),
  category: "read",
  consequenceLevel: "low",
  requiresConfirmation: false,
  version: "1.0.0",
  status: "active",
  async execute({ name }: { name: string }) {
    if (name === "stranger") throw new Error("it cannot greet a stranger");
    return {
      tool: "greet_by_name",
      fetchedAt: new Date(0).toISOString(),
      data: { message: `Hello, ${name}!` },
    };
  },
};
