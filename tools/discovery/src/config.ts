import { z } from "zod";

/** What a plan may set for this module. */
export const config = z.strictObject({
  disclosure: z
    .enum(["progressive", "all"])
    .default("progressive")
    .describe("progressive: a tool is a line until it is activated; all: every tool is offered in full"),
  active: z
    .array(z.string().min(1))
    .default([])
    .describe(
      "Tools that every session has in full from its beginning, as globs; ! before one takes out again",
    ),
  max_results: z
    .int()
    .min(1)
    .max(50)
    .default(5)
    .describe("How many tools a search shows when it does not say"),
});

/** A plan's settings, as they are written. */
export type Settings = z.input<typeof config>;

/** Settings with their defaults. */
export type ParsedSettings = z.output<typeof config>;
