import { rateForm, readRate } from "@toolmount/core/internal";
import { z } from "zod";
import { guardLists } from "./guard-lists.ts";
import { runnerTable, schemeTable } from "../modules/section-table.ts";

/** Longest delay of a timer, in milliseconds. Node fires a timer with a longer delay immediately. */
const maxTimeoutMs = 2 ** 31 - 1;

// Most plans need few of these parts. `z.lazy` creates a part when it is first used, which saves 5 ms when the process starts.
const limits = z.lazy(() =>
  z
    .strictObject({
      timeout: z
        .int({ error: "a timeout is a whole number of milliseconds, such as 5000" })
        .min(0)
        .max(maxTimeoutMs)
        .optional()
        .describe("Milliseconds that a call may run; 0 for no limit."),
      outputBytes: z.int().positive().optional().describe("Bytes of JSON that a result may have."),
      concurrent: z
        .int()
        .positive()
        .optional()
        .describe("Calls of one tool that run at the same time; others wait."),
      rate: z
        .string({ error: `a rate is ${rateForm}` })
        .refine((rate) => readRate(rate) !== null, { error: `a rate is ${rateForm}` })
        .optional()
        .describe("How many calls of one tool may start within any stretch of time: 10/s; others wait."),
    })
    .describe("Limits of calls."),
);

const toolName = z.string().regex(/^[A-Za-z0-9_.-]{1,128}$/, {
  error: "a tool's name has 1 to 128 letters, digits, _ . and -",
});

const toolGlob = (pattern: RegExp) =>
  z.string().regex(pattern, { error: "a tool's name, or a glob of * and ?" });

const argumentOverride = z.lazy(() =>
  z.strictObject({
    description: z.string().min(1).optional().describe("Shown to the model instead of the author's."),
    default: z.json().optional().describe("Used when the model does not send the argument."),
    hidden: z
      .boolean()
      .optional()
      .describe("Not shown to the model, which cannot send it: it has its default."),
  }),
);

const toolOverride = z.lazy(() =>
  z.strictObject({
    as: toolName
      .optional()
      .describe("The whole new name under which the tool is offered; the prefix is not added."),
    description: z.string().min(1).optional().describe("Shown to the model instead of the author's."),
    limits: limits.optional(),
    arguments: z
      .record(z.string(), argumentOverride)
      .optional()
      .describe("For each argument, by its name: default, description, hidden."),
  }),
);

const patternError =
  'a tool\'s name, a glob such as read_*, or with its quotes "category: read" or "tag: files"';

/** A pattern that chooses tools, in the same words as in the lists of a policy. */
const pattern = z
  .string({ error: patternError })
  .max(1_000)
  .regex(/^(?:[A-Za-z0-9_.*?-]{1,128}|category: (?:read|write|delete|side_effect)|tag: .+)$/s, {
    error: patternError,
  });

const toolSelection = z.lazy(() =>
  z
    .object({
      include: z
        .array(pattern)
        .optional()
        .describe("Only these tools of the module: names, globs, categories, tags."),
      exclude: z
        .array(pattern)
        .optional()
        .describe("Not these tools of the module, even when they are included."),
    })
    .catchall(toolOverride)
    .describe("Which tools of the module are offered; and, by the author's name of a tool, how."),
);

const schemes = Object.keys(schemeTable);

const source = z
  .union([z.string().min(1), z.record(z.string(), z.unknown())], {
    error: `a source is a text such as ./path or npm:name, or a map such as { ${schemes[0]}: { … } }`,
  })
  .describe(
    "Where the module is: ./path, file:, npm:name, npm:name@range, git+https://…@ref#subdirectory=…, or { mcp: … }.",
  );

const exportName = z.string().regex(/^[\w$]+(?:\.[\w$]+)*$/);

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
    .describe("The name of the entry, by which other plans change it; default its module."),
  source: source.optional(),
  required: z.boolean().optional().describe("Whether the plan fails to open without it. Default true."),
  config: z.record(z.string(), z.unknown()).nullish().describe("Checked by the module's own schema."),
  export: z
    .union([exportName, z.array(exportName).min(1)], {
      error: "the name of an export, or a list of names; a member of an export as tools.weather",
    })
    .optional()
    .describe(
      "For a package of another library: which of its exports are tools, or make tools from the config.",
    ),
  prefix: z
    .string()
    .regex(/^[A-Za-z0-9_.-]{1,64}$/, { error: "a prefix has 1 to 64 letters, digits, _ . and -" })
    .optional()
    .describe("Added before the names of its tools."),
  tools: toolSelection.optional(),
  override: z.boolean().default(false).describe("Its tools replace other tools of the same name."),
  limits: limits.optional(),
  run: z
    .looseObject({ in: z.enum(["inline", ...Object.keys(runnerTable)]) })
    .optional()
    .describe("Where its calls run. Default inline; of a module of npm: or git+, in: process."),
  uses: z
    .record(toolName, toolName)
    .optional()
    .describe(
      "For tools that call tools: the declared name that they call, and the offered tool that it means here.",
    ),
  wake: z
    .enum(["start", "call"])
    .optional()
    .describe(
      "call: the module is imported at the first call of one of its tools, where its manifest allows it.",
    ),
  remove: z.boolean().optional().describe("Removes the entry of this id that a lower plan has."),
});

const mode = z.lazy(() =>
  z.strictObject({
    key: z
      .string()
      .regex(/^[A-Za-z0-9_-]{1,64}$/, { error: "the key of a mode has 1 to 64 letters, digits, _ and -" }),
    id: z.string().min(1).optional().describe("Default the key."),
    displayName: z.string().min(1),
    description: z.string().optional(),
    systemPromptSummary: z.string().optional(),
    isDefault: z.boolean().default(false),
    humanRoleHints: z.array(z.string()).nullish(),
    exampleUtterances: z.array(z.string()).nullish(),
    tools: z
      .array(toolGlob(/^!?[A-Za-z0-9_.*?-]{1,128}$/))
      .default(["*"])
      .describe(
        "Offered names, or globs of them, of the tools of this mode; a name that begins with ! is excluded.",
      ),
  }),
);

export const modesSchema = z.lazy(() =>
  z.strictObject({
    catalog: z.array(mode).min(1).describe("The modes of an agent."),
  }),
);

const entryList = z
  .array(z.unknown(), { error: 'this is a list of entries, each of which begins with "- module:"' })
  .nullish();

/** The parts of a plan that the loader itself reads and checks. Other sections are checked by their modules. */
export const planSchema = z.strictObject({
  $schema: z.string().optional(),
  version: z.literal(1, { error: "the version of the plan format is 1" }).optional(),
  name: z.string().max(200).optional(),
  description: z.string().optional(),
  tools: entryList,
  hooks: entryList,
  modes: modesSchema.optional(),
  layer: z
    .string({ error: "layer is a folder, such as ./" })
    .min(1)
    .optional()
    .describe(
      "A folder, relative to the plan, in which changes of bash, filesystem and search wait until a person keeps them.",
    ),
  tests: z
    .array(z.record(z.string(), z.unknown()))
    .nullish()
    .describe(
      "Calls, and the answers that the plan must give; replay: a recorded file to compare with; prompt: what a model must call for it, which toolmount test prompts runs.",
    ),
});

export const limitsSchema = limits;

/** The members of `policy` that the loader reads. */
export const policyPart = z.object({
  limits: limits.optional(),
  replace: z
    .array(z.enum(guardLists))
    .min(1)
    .optional()
    .describe("Lists of lower plans that this plan drops; without this, their lines hold under it."),
});

export type EntryDocument = z.output<typeof entrySchema>;
export type ToolOverride = z.output<typeof toolOverride>;
export type LimitsDocument = z.output<typeof limits>;
/** The modes of a plan. */
export type PlanModes = z.output<typeof modesSchema>;
