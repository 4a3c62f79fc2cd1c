// A module for tests: it records the process that imports it, in the folder that its config names.
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { data, defineTool, ToolInterrupt, type Coordinator } from "@toolmount/core";
import { z } from "zod";

const importedBy = `${process.pid} ${process.env["TOOLMOUNT_CANARY"] ?? "no canary"}`;

/** What a plan may set. */
export const config = z.strictObject({
  record: z.string(),
  unit: z.enum(["celsius", "kelvin"]).default("celsius"),
});

const createForecast = ({ unit }: z.output<typeof config>) =>
  defineTool({
    name: "forecast",
    summary: "The weather of a city.",
    description: "Gives the weather of a city. Use it when the user names one. Not for the past.",
    usage: "Purpose: the weather.",
    schema: z.strictObject({
      city: z.string().trim().min(2).describe("Its name"),
      days: z.int().min(1).max(9).default(3),
      from: z
        .string()
        .refine((text) => !text.includes("yesterday"), { error: "the past is not known" })
        .optional(),
    }),
    outputSchema: z.strictObject({ city: z.string(), days: z.int(), unit: z.string(), pid: z.int() }),
    category: "read",
    consequenceLevel: "low",
    requiresConfirmation: false,
    timeout: 60_000,
    tags: ["weather"],
    version: "1.2.0",
    idempotent: true,
    execute: async ({ city, days }) => data({ city, days, unit, pid: process.pid }),
  });

const ask = defineTool({
  name: "ask_forecaster",
  description: "Asks a person about the weather. Use it when no forecast helps. Not for cities.",
  schema: z.strictObject({ loud: z.boolean() }),
  category: "side_effect",
  consequenceLevel: "medium",
  requiresConfirmation: ({ loud }) => loud,
  execute: () => {
    throw new ToolInterrupt({ ask: "which city?" });
  },
});

export function mount(coordinator: Coordinator, settings: z.output<typeof config>): void {
  appendFileSync(join(settings.record, "imports.txt"), `${importedBy}\n`);
  coordinator.mount("tools", createForecast(settings));
  coordinator.mount("tools", ask);
}
