import { z } from "zod";

/** The module's config in a plan. */
export const config = z.strictObject({
  max_todos: z.int().min(1).max(1000).default(100).describe("Most items of one list"),
});

/** The config as written in a plan. */
export type Settings = z.input<typeof config>;

/** The config with its defaults. */
export type ParsedSettings = z.output<typeof config>;
