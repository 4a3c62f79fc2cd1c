import { isHostCapability } from "@toolmount/core/internal";
import { z } from "zod";

/** The longest delay of a timer, in milliseconds. */
const maxMs = 2 ** 31 - 1;

const variable = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, { error: "the name of an environment variable, such as LANG" });

const folder = z.string().min(1);

const capability = z
  .string()
  .min(1)
  .max(200)
  .refine((name) => !isHostCapability(name), {
    error:
      "the capabilities of the host (session.*, host.*, tools.*, offer.*, fleet.*) cannot cross a border",
  });

const borderNames = ["none", "permission", "bubblewrap", "srt", "strictest"] as const;

const border = z.enum(borderNames, {
  error: "border must be none, permission, bubblewrap, srt or strictest",
});

/**
 * Settings for the processes that run calls: what each may use, and how many there are. The same for the host's own processes
 * and for those of a fleet's workers.
 */
const processMembers = {
  network: z
    .union([z.literal("none"), z.literal("any"), z.array(z.string().min(1)).min(1)], {
      error: 'network is "none", "any", or a list of host names',
    })
    .optional()
    .describe("What the process may reach. A list of host names needs the border `srt`."),
  read: z.array(folder).default([]).describe("Files and folders that tools may read, relative to the plan."),
  write: z
    .array(folder)
    .default([])
    .describe("Files and folders that tools may change, relative to the plan."),
  memoryMb: z.int().min(32).optional().describe("Resident memory at which a process is ended."),
  env: z
    .array(variable)
    .default([])
    .describe(
      "Variables of the host's environment that the process gets, beside `PATH`, `HOME`, `LANG`, `LC_ALL`, `TZ` and `TMPDIR`.",
    ),
  processes: z.int().min(1).max(64).default(2).describe("Most processes of one module that wait for calls."),
  startTimeoutMs: z
    .int()
    .min(1)
    .max(maxMs)
    .default(30_000)
    .describe("Milliseconds in which a process must have mounted its module."),
};

/** `run: { in: process, … }` of a plan, with the name under which the loader expects the runner. */
const processSettings = z.strictObject({
  name: z.string().min(1),
  in: z.literal("process"),
  border: border
    .default("none")
    .describe(
      "What keeps the process from the machine. `strictest`: bubblewrap where it works, else permission.",
    ),
  hooks: z
    .array(z.string().min(1).max(200))
    .default([])
    .describe(
      "Events for which the module may register hooks behind its border, such as `tool:pre`; `*` are all.",
    ),
  capabilities: z
    .array(capability)
    .default([])
    .describe("Capabilities that the module may register behind its border, and use from there."),
  ...processMembers,
});

/** `run: { in: fleet, … }` of a plan, with the name under which the loader expects the runner. */
const fleetSettings = z.strictObject({
  name: z.string().min(1),
  in: z.literal("fleet"),
  queue: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,64}$/, { error: "a queue has 1 to 64 letters, digits, _ and -" })
    .default("main")
    .describe("Only workers of this queue run the calls: `toolmount fleet work plan.yaml --queue heavy`."),
  engine: z
    .string()
    .regex(/^(postgres(ql)?|rediss?):\/\/.+/, { error: "engine is redis://… or postgres://…" })
    .optional()
    .describe(
      "What delivers calls: `postgres://…`, or `redis://…` where throughput counts. Without it, the database of `state`.",
    ),
  key: z
    .string()
    .min(16, { error: "a key has at least 16 characters, such as those of: openssl rand -base64 32" })
    .optional()
    .describe("A secret that hosts and workers share: a worker runs only jobs that are signed with it."),
  leaseMs: z
    .int()
    .min(200)
    .max(600_000)
    .default(5_000)
    .describe("Milliseconds after which a worker that reports nothing counts as lost."),
  keepMs: z
    .int()
    .min(60_000)
    .max(maxMs)
    .default(86_400_000)
    .describe("Milliseconds for which the end of a call stays for a host that ended."),
  waitMs: z
    .int()
    .min(1)
    .max(maxMs)
    .default(30_000)
    .describe("Milliseconds that a call waits for a worker; then it ends as `UNAVAILABLE`."),
  maxWaiting: z
    .int()
    .min(1)
    .max(1_000_000)
    .default(1_000)
    .describe(
      "Calls that may wait in the queue; one more ends as `UNAVAILABLE`. Calls by tools are not counted.",
    ),
  border: border
    .optional()
    .describe("Workers run the calls in processes behind this border. Without it, in the worker itself."),
  ...processMembers,
});

/** Settings of the runner for a plan with `layer`, whose calls run in a layer over the folder, one layer for each session. */
const layerSettings = z.strictObject({
  name: z.string().min(1),
  in: z.literal("layer"),
  folder,
  startTimeoutMs: processMembers.startTimeoutMs,
});

/** The settings of one process runner, with their defaults: what its processes may use, and how many there are. */
export type ProcessSettings = z.output<typeof processSettings>;

/** The parsed settings of a fleet: how calls reach it, and how its workers run them. */
export type FleetSettings = z.output<typeof fleetSettings>;

/** The settings of the layer runner, with their defaults. */
export type LayerSettings = z.output<typeof layerSettings>;

/** The config that the loader makes from the `run` sections of a plan. */
export const config = z.strictObject({
  runners: z
    .array(
      z.discriminatedUnion("in", [processSettings, fleetSettings, layerSettings], {
        error: "calls run inline, in: process, in: fleet or in: layer",
      }),
    )
    .default([]),
});

/** The config with its defaults, in the form in which {@link mount} gets it. */
export type WorkersConfig = z.output<typeof config>;
