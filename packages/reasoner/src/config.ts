import { ToolmountError } from "@toolmount/core";
import { z } from "zod";

const count = z.int().positive();

const budgets = z.strictObject({
  /** Turns of one session. */
  turns: count.optional(),
  /** Calls of one turn, those of its children counted. */
  calls: count.optional(),
  /** Tokens of one session, in and out, those of its children counted. */
  tokens: count.optional(),
  /** Milliseconds of one turn. */
  ms: count.max(2 ** 31 - 1).optional(),
});

const prices = z.strictObject({
  /** For a million tokens each. */
  input: z.number().min(0),
  cachedInput: z.number().min(0).optional(),
  output: z.number().min(0),
  currency: z.string().min(1).max(8).default("USD"),
});

const bootstrapStep = z.strictObject({
  tool: z.string().min(1),
  arguments: z.record(z.string(), z.json()).default({}),
  /** `inject`: the model reads what it gave; `store`: it is kept in the session's state; `both`. */
  output: z.enum(["inject", "store", "both"]).default("inject"),
});

/** How a model is asked, and how far a turn may go: the plan's `session.orchestrator`. */
export const settingsSchema = z.strictObject({
  model: z.string().min(1),
  /** Up to and without `/responses`. Default: OpenAI's own. */
  baseUrl: z.url({ protocol: /^https?$/ }).optional(),
  apiKey: z.string().min(1).optional(),
  stream: z.boolean().default(true),
  /** Stands before the guidance of the tools. */
  instructions: z.string().optional(),
  /** Requests to the model in one turn. */
  maxIterations: count.max(1_000).default(8),
  budgets: budgets.prefault({}),
  prices: prices.optional(),
  /** Schemas are sent as strict where they can be said so, and what stands for "absent" is taken out again. */
  strictSchemas: z.boolean().default(false),
  parallelToolCalls: z.boolean().default(true),
  /** `items`: all of the conversation each time. `response`: what is new, and the id of the last response. */
  continueBy: z.enum(["items", "response"]).default("items"),
  /** Whether the server keeps responses; `continueBy: response` needs it. */
  store: z.boolean().default(false),
  reasoning: z
    .strictObject({
      effort: z.enum(["none", "minimal", "low", "medium", "high", "xhigh"]).optional(),
      summary: z.enum(["auto", "concise", "detailed"]).optional(),
    })
    .optional(),
  temperature: z.number().min(0).max(2).optional(),
  maxOutputTokens: count.optional(),
  /** Requests that failed for a while are made again this often. */
  retries: z.int().min(0).max(10).default(2),
  retryDelayMs: z.int().min(0).max(60_000).default(500),
  /** Milliseconds that one request may take. */
  timeoutMs: count.max(2 ** 31 - 1).default(600_000),
  /** From `atTokens` of input on, older turns are left out. */
  compaction: z.strictObject({ atTokens: count, keepTurns: count.default(2) }).optional(),
  /** Calls to be made, in order, when a mode is entered. */
  bootstrap: z.record(z.string(), z.array(bootstrapStep)).prefault({}),
  /** Bytes that one hook may put before the model. */
  maxInjectionBytes: count.default(10_240),
  /** How deep sessions may begin sessions. */
  maxDepth: z.int().min(0).max(16).default(3),
});

export type Settings = z.output<typeof settingsSchema>;

const agent = z.strictObject({
  description: z.string().min(1),
  instructions: z.string().optional(),
  /** Globs of the tools it may use, among those of whoever begins it; one that begins with `!` takes out again. */
  tools: z.array(z.string().min(1)).default(["*"]),
  mode: z.string().min(1).optional(),
  model: z.string().min(1).optional(),
  maxIterations: count.max(1_000).optional(),
  budgets: budgets.optional(),
});

export type Agent = z.output<typeof agent>;

const named = { module: z.string().optional(), id: z.string().optional() };
const foreign = z.strictObject({ ...named, config: z.record(z.string(), z.unknown()).optional() });

/** What a plan's `session` and `agents` set; `context` and `providers` as plans of Amplifier have them. */
export const config = z.strictObject({
  orchestrator: settingsSchema
    .partial()
    .extend({ ...named, config: z.record(z.string(), z.unknown()).optional() })
    .or(z.string())
    .optional(),
  context: z.union([z.string(), foreign]).optional(),
  providers: z.array(foreign).optional(),
  agents: z.record(z.string(), agent).optional(),
});

export type Config = z.output<typeof config>;

/** Keys by which plans of Amplifier say the same. */
const foreignNames: Readonly<Record<string, keyof Settings>> = {
  base_url: "baseUrl",
  api_key: "apiKey",
  default_model: "model",
  model: "model",
  max_iterations: "maxIterations",
  max_tokens: "maxOutputTokens",
  temperature: "temperature",
};

/** The settings of a plan, whichever way it says them. Throws `CONFIG_INVALID`. */
export function settingsOf({ orchestrator, providers }: Config): Settings {
  const own = typeof orchestrator === "object" ? orchestrator : {};
  const { module: _, id: __, config: inner, ...direct } = own;
  const given = { ...translated(providers?.[0]?.config), ...translated(inner), ...withoutUndefined(direct) };
  const parsed = settingsSchema.safeParse(given);
  if (parsed.success) return parsed.data;
  const problem = parsed.error.issues
    .map(({ path, message }) => `${path.join(".") || "session.orchestrator"}: ${message}`)
    .join("; ");
  throw new ToolmountError("CONFIG_INVALID", { module: "@toolmount/reasoner", problem });
}

function translated(given: Readonly<Record<string, unknown>> | undefined): Record<string, unknown> {
  const pairs = Object.entries(given ?? {}).flatMap(([key, value]) => {
    const name = foreignNames[key] ?? (Object.hasOwn(settingsSchema.shape, key) ? key : undefined);
    return name === undefined || value === null || value === "" || (name === "maxIterations" && value === -1)
      ? []
      : [[name, value] as const];
  });
  return Object.fromEntries(pairs);
}

function withoutUndefined(given: object): object {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}
