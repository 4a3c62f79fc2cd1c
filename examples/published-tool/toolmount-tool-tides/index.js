import { data, defineTool, failure } from "@toolmount/core";
import { z } from "zod";

/** Minutes after midnight, UTC, of the first high tide on 2026-01-01. */
const first = { Cuxhaven: 42, Husum: 117 };

/** Minutes by which a high tide is later on each day. */
const laterPerDay = 50;

export const highTide = defineTool({
  name: "high_tide",
  description:
    "Says when the first tide of a day is high in a harbour. Use when the user asks about tides; not for the weather.",
  schema: z.strictObject({
    harbour: z.string().describe("Name of the harbour, such as Cuxhaven"),
    day: z.iso.date().describe("The day, as YYYY-MM-DD"),
  }),
  category: "read",
  consequenceLevel: "low",
  requiresConfirmation: false,
  idempotent: true,
  execute: ({ harbour, day }) => {
    const start = first[harbour];
    if (start === undefined)
      return failure(`no harbour is named "${harbour}"; known are ${Object.keys(first).join(", ")}`, {
        code: "NOT_FOUND",
      });
    const days = Math.round((Date.parse(day) - Date.parse("2026-01-01")) / 86_400_000);
    const minutes = (((start + days * laterPerDay) % 745) + 745) % 745;
    const two = (value) => String(value).padStart(2, "0");
    return data({ harbour, day, highTide: `${two(Math.floor(minutes / 60))}:${two(minutes % 60)}` });
  },
});
