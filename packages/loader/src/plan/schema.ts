import { z } from "zod";
import { runnerTable, schemeTable } from "../modules/section-table.ts";

/** Longest delay a timer can hold, in milliseconds; above it, it would fire at once. */
const maxTimeoutMs = 2 ** 31 - 1;

const limits = z
  .strictObject({
    timeout: z
      .int()
      .min(0)
      .max(maxTimeoutMs)
      .optional()
      .describe("Milliseconds a call may run; 0 for no bound."),
    outputBytes: z.int().positive().optional().describe("Bytes of JSON that an answer may have."),
    concurrent: z.int().positive().optional().describe("Calls of one tool at once; others wait."),
    rate: z
      .strictObject({
        calls: z.int().positive(),
        perMs: z.int().positive().max(maxTimeoutMs),
      })
      .optional()
      .describe("How often one tool may begin: calls in any stretch of perMs milliseconds; others wait."),
  })
  .describe("Bounds of calls.");

const toolName = z.string().regex(/^[A-Za-z0-9_.-]{1,128}$/, {
  error: "a tool's name is 1 to 128 of letters, digits, _ . and -",
});

const argumentOverride = z.strictObject({
  description: z.string().min(1).optional().describe("Shown to the model in place of the author's."),
  default: z.json().optional().describe("Taken when the model does not send the argument."),
  hidden: z.boolean().optional().describe("Not shown to the model, which cannot send it."),
  value: z.json().optional().describe("What a hidden argument is."),
});

const toolOverride = z.strictObject({
  as: toolName
    .optional()
    .describe("The whole new name under which the tool is offered; no prefix is put before it."),
  description: z.string().min(1).optional().describe("Shown to the model in place of the author's."),
  limits: limits.optional(),
  arguments: z
    .record(z.string(), argumentOverride)
    .optional()
    .describe("By an argument's name: default, description, hidden, value."),
});

const pattern = z.union(
  [
    z.string().regex(/^[A-Za-z0-9_.*?-]{1,128}$/, { error: "a tool's name, or a glob of * and ?" }),
    z.strictObject({ category: z.enum(["read", "write", "delete", "side_effect"]) }),
    z.strictObject({ tag: z.string().min(1) }),
  ],
  { error: "a tool's name, a glob such as read_*, { category: read } or { tag: files }" },
);

const toolSelection = z
  .object({
    include: z
      .array(pattern)
      .optional()
      .describe("Only these tools of the module: names, globs, categories, tags."),
    exclude: z.array(pattern).optional().describe("Not these tools of the module, even when included."),
  })
  .catchall(toolOverride)
  .describe("What of the module's tools is offered, and, by the name their author gave them, how.");

const schemes = Object.keys(schemeTable);

const source = z
  .union([z.string().min(1), z.record(z.string(), z.unknown())], {
    error: `a source is a text, such as ./path or npm:name, or a map such as { ${schemes[0]}: { … } }`,
  })
  .describe(
    "Where the module is: ./path, file:, npm:name, npm:name@range, git+https://…@ref#subdirectory=…, or { mcp: … }.",
  );

/** One entry of a plan. */
export const entrySchema = z.strictObject({
  module: z
    .string()
    .min(1)
    .describe(
      "A package's name, whole or short (filesystem is @toolmount/tool-filesystem), or a path; with a source, a label.",
    ),
  id: z
    .string()
    .min(1)
    .max(128)
    .optional()
    .describe("What the entry is called, and found by from other layers; default its module."),
  instance_id: z.string().min(1).max(128).optional().describe("Amplifier's name for id."),
  source: source.optional(),
  required: z.boolean().optional().describe("Whether the plan may not open without it. Default true."),
  config: z.record(z.string(), z.unknown()).nullish().describe("Checked by the module's own schema."),
  prefix: z
    .string()
    .regex(/^[A-Za-z0-9_.-]{1,64}$/, { error: "a prefix is 1 to 64 of letters, digits, _ . and -" })
    .optional()
    .describe("Put before the names of its tools."),
  tools: toolSelection.optional(),
  override: z.boolean().default(false).describe("Its tools replace others of the same name."),
  hiddenText: z
    .enum(["refuse", "allow"])
    .optional()
    .describe("What happens when a text of its tools hides characters from people. Default refuse."),
  limits: limits.optional(),
  run: z
    .looseObject({ in: z.enum(["inline", ...Object.keys(runnerTable)]) })
    .optional()
    .describe("Where its calls run. Default inline."),
  uses: z
    .record(toolName, toolName)
    .optional()
    .describe("For tools that call tools: the declared name they call, and the offered name it means here."),
  wake: z
    .enum(["start", "call"])
    .optional()
    .describe(
      "call: the module is imported at the first call of one of its tools, where its manifest allows it.",
    ),
  remove: z.boolean().optional().describe("Takes the entry of this id, which a layer below has, away."),
});

const mode = z.strictObject({
  key: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,64}$/, { error: "the key of a mode is 1 to 64 of letters, digits, _ and -" }),
  id: z.string().min(1).optional().describe("Default the key."),
  displayName: z.string().min(1),
  description: z.string().optional(),
  systemPromptSummary: z.string().optional(),
  isDefault: z.boolean().default(false),
  humanRoleHints: z.array(z.string()).nullish(),
  exampleUtterances: z.array(z.string()).nullish(),
  tools: z
    .array(z.string().regex(/^!?[A-Za-z0-9_.*?-]{1,128}$/, { error: "a tool's name, or a glob of * and ?" }))
    .default(["*"])
    .describe(
      "Offered names, or globs of them, of the tools that this mode has; one that begins with ! takes out again.",
    ),
});

/** The modes of a plan. */
export const modesSchema = z.strictObject({
  catalog: z.array(mode).min(1).describe("The modes that an agent may be in."),
});

/** The parts of a plan that the loader itself reads. Other sections are checked by the modules they stand for. */
export const planSchema = z.strictObject({
  $schema: z.string().optional(),
  version: z.literal(1, { error: "the version of the plan format is 1" }).optional(),
  name: z.string().max(200).optional(),
  description: z.string().optional(),
  tools: z.array(z.unknown()).nullish(),
  hooks: z.array(z.unknown()).nullish(),
  wake: entrySchema.shape.wake,
  modes: modesSchema.optional(),
  tests: z
    .array(z.record(z.string(), z.unknown()))
    .nullish()
    .describe("Calls, and what the plan has to answer to them."),
});

/** Bounds of calls, as a plan writes them. */
export const limitsSchema = limits;

export type EntryDocument = z.output<typeof entrySchema>;
export type ToolOverride = z.output<typeof toolOverride>;
export type LimitsDocument = z.output<typeof limits>;
/** The modes of a plan. */
export type PlanModes = z.output<typeof modesSchema>;
