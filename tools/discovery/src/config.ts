import { z } from "zod";

/** The module's config in a plan. */
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

/** The config as written in a plan. */
export type Settings = z.input<typeof config>;

/** The config with its defaults. */
export type ParsedSettings = z.output<typeof config>;
