import { z } from "zod";

/** The module's config in a plan. */
export const config = z.strictObject({
  tools: z
    .array(z.string().min(1))
    .default(["*"])
    .describe("Tools that a program may call, as globs; ! before one takes out again"),
  max_calls: z.int().min(1).max(100_000).default(1_000).describe("Calls that one program may make"),
  parallel: z.int().min(1).max(64).default(8).describe("Calls of one program that run at the same time"),
  memory_mb: z.int().min(4).max(1_024).default(64).describe("Megabytes of memory for the program's values"),
  alone_above: z
    .int()
    .min(0)
    .optional()
    .describe(
      "About how many tokens other tools may cost in a request; above it, only programs call them; 0: always",
    ),
  max_steps: z
    .int()
    .min(1)
    .max(10_000_000)
    .default(20_000)
    .describe("What a program may compute, in steps of about 10,000 operations; calls cost none"),
});

/** The config as written in a plan. */
export type Settings = z.input<typeof config>;
/** The config with its defaults. */
export type ParsedSettings = z.output<typeof config>;
