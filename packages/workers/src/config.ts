import { z } from "zod";

/** The longest delay of a timer, in milliseconds. */
const maxMs = 2 ** 31 - 1;

const variable = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, { error: "the name of an environment variable, such as LANG" });

const folder = z.string().min(1);

/** `run: { in: process, … }` of a plan, with the name under which the loader wants the runner. */
const processSettings = z.strictObject({
  name: z.string().min(1),
  in: z.literal("process"),
  border: z
    .enum(["none", "permission", "bubblewrap", "srt", "strictest"], {
      error: "border must be none, permission, bubblewrap, srt or strictest",
    })
    .default("none")
    .describe(
      "What keeps the process from the machine. strictest: bubblewrap where it works, else permission.",
    ),
  network: z
    .union([z.literal("none"), z.literal("any"), z.array(z.string().min(1)).min(1)], {
      error: 'network is "none", "any", or a list of host names',
    })
    .optional()
    .describe("What the process may reach. A list of host names needs the border srt."),
  read: z.array(folder).default([]).describe("Files and folders that tools may read, relative to the plan."),
  write: z
    .array(folder)
    .default([])
    .describe("Files and folders that tools may change, relative to the plan."),
  memoryMb: z.int().min(32).optional().describe("Resident memory at which a process is ended."),
  env: z.array(variable).default([]).describe("Variables of the host's environment that the process gets."),
  processes: z.int().min(1).max(64).default(2).describe("Most processes of one module that wait for calls."),
  startTimeoutMs: z
    .int()
    .min(1)
    .max(maxMs)
    .default(30_000)
    .describe("Milliseconds in which a process must have mounted its module."),
});

/** How one process runner is set up. */
export type ProcessSettings = z.output<typeof processSettings>;

/** The config that the loader makes of the `run` sections of a plan. */
export const config = z.strictObject({
  runners: z
    .array(
      z.discriminatedUnion("in", [processSettings], {
        error: "calls can run inline or in: process; a fleet is not implemented yet",
      }),
    )
    .default([]),
});

/** Config of {@link mount}. */
export type WorkersConfig = z.output<typeof config>;
