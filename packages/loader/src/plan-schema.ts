import { z } from "zod";
import { runnerTable, schemeTable } from "./sections.ts";

/** Longest delay a timer can hold, in milliseconds; above it, it would fire at once. */
const maxTimeoutMs = 2 ** 31 - 1;

const limits = z.strictObject({
  /** Milliseconds; 0 for none. */
  timeout: z.int().min(0).max(maxTimeoutMs).optional(),
  outputBytes: z.int().positive().optional(),
  /** Calls of one tool at once. */
  concurrent: z.int().positive().optional(),
});

const toolName = z.string().regex(/^[A-Za-z0-9_.-]{1,128}$/, {
  error: "a tool's name is 1 to 128 of letters, digits, _ . and -",
});

const toolOverride = z.strictObject({
  /** The name under which the tool is offered, instead of its own. */
  as: toolName.optional(),
  description: z.string().min(1).optional(),
  limits: limits.optional(),
  arguments: z.unknown().optional(),
});

const toolSelection = z
  .object({
    include: z.array(toolName).optional(),
    exclude: z.array(toolName).optional(),
  })
  .catchall(toolOverride);

const schemes = Object.keys(schemeTable);

const source = z.union([z.string().min(1), z.record(z.string(), z.record(z.string(), z.unknown()))], {
  error: `a source is a text, such as ./path or npm:name, or a map such as { ${schemes[0]}: { … } }`,
});

/** One entry of a plan. */
export const entrySchema = z.strictObject({
  /** A package's name, short or whole, or a path; with a source, a label. */
  module: z.string().min(1),
  /** What the entry is called; default its module. */
  id: z.string().min(1).max(128).optional(),
  source: source.optional(),
  /** Whether the plan may not open without it. */
  required: z.boolean().default(true),
  config: z.record(z.string(), z.unknown()).nullish(),
  /** Put before the names of its tools. */
  prefix: z
    .string()
    .regex(/^[A-Za-z0-9_.-]{1,64}$/, { error: "a prefix is 1 to 64 of letters, digits, _ . and -" })
    .optional(),
  tools: toolSelection.optional(),
  /** Its tools replace others of the same name. */
  override: z.boolean().default(false),
  limits: limits.optional(),
  run: z.looseObject({ in: z.enum(["inline", ...Object.keys(runnerTable)]) }).optional(),
  uses: z.unknown().optional(),
  wake: z.unknown().optional(),
});

/** The parts of a plan that the loader itself reads. Other sections are checked by the modules they stand for. */
export const planSchema = z.strictObject({
  $schema: z.string().optional(),
  version: z.literal(1, { error: "the version of the plan format is 1" }).optional(),
  name: z.string().max(200).optional(),
  description: z.string().optional(),
  tools: z.array(z.unknown()).nullish(),
  hooks: z.array(z.unknown()).nullish(),
});

/** Bounds of calls, as a plan writes them. */
export const limitsSchema = limits;

export type EntryDocument = z.output<typeof entrySchema>;
export type ToolOverride = z.output<typeof toolOverride>;
export type LimitsDocument = z.output<typeof limits>;
