import { z } from "zod";

/** The module's config in a plan. */
export const config = z.strictObject({
  folders: z
    .array(z.string().min(1))
    .default([])
    .describe("Folders of skills: each has a SKILL.md, or folders that have one. Relative to the plan."),
});

/** The config as written in a plan. */
export type Settings = z.input<typeof config>;

/** The config with its defaults. */
export type ParsedSettings = z.output<typeof config>;
