import { z } from "zod";

/** What a plan may set for this module. */
export const config = z.strictObject({
  max_todos: z.int().min(1).max(1000).default(100).describe("How many items one list may have"),
});

/** A plan's settings, as they are written. */
export type Settings = z.input<typeof config>;

/** Settings with their defaults. */
export type ParsedSettings = z.output<typeof config>;
