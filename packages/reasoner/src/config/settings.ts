import { ToolmountError } from "@toolmount/core";
import { z } from "zod";
import { amplifierSession } from "./amplifier-session.ts";

const count = z.int().positive();

const budgets = z.strictObject({
  /** Maximum number of turns of one session. */
  turns: count.optional(),
  /** Maximum number of calls of one turn, including those of its sub-agents. */
  calls: count.optional(),
  /** Maximum number of tokens of one session, input and output, including those of its sub-agents. */
  tokens: count.optional(),
  /** Maximum cost of one session, in the currency of `prices`. */
  cost: z.number().positive().optional(),
  /** Maximum number of milliseconds of one turn. */
  ms: count.max(2 ** 31 - 1).optional(),
});

const prices = z.strictObject({
  /** The price of a million input tokens. */
  input: z.number().min(0),
  cachedInput: z.number().min(0).optional(),
  output: z.number().min(0),
  currency: z.string().min(1).max(8).default("USD"),
});

const bootstrapStep = z.strictObject({
  tool: z.string().min(1),
  arguments: z.record(z.string(), z.json()).default({}),
  /** `inject`: the model reads the output. `store`: the session's state keeps the output. `both`: it does both. */
  output: z.enum(["inject", "store", "both"]).default("inject"),
});

const provider = z.strictObject({
  /** The name of a package, or a path from the plan's folder. It exports `open`, or a factory of the AI SDK. */
  module: z.string().min(1),
  /** The name of the export that creates the provider; needed only if the module has several. */
  export: z.string().min(1).optional(),
  /** The config that the export receives, besides `baseUrl` and `apiKey`. */
  config: z.record(z.string(), z.unknown()).optional(),
});

/** The model and the limits of turns: the plan's `agent`. */
export const settingsSchema = z.strictObject({
  model: z.string().min(1),
  /** A module that opens the model; `model` is then the model's name there, without a prefix. */
  provider: provider.optional(),
  /** Whether the model can call tools. Overrides what its provider or server says. */
  callsTools: z.boolean().optional(),
  /** The server's URL without `/responses`. Default: OpenAI. */
  baseUrl: z.url({ protocol: /^https?$/ }).optional(),
  apiKey: z.string().min(1).optional(),
  stream: z.boolean().default(true),
  /** Instructions for the model, before those of the tools. */
  instructions: z.string().optional(),
  /** Maximum number of requests to the model in one turn. Aptix allows 8, which ends most coding tasks too early. */
  maxIterations: count.max(1_000).default(32),
  budgets: budgets.prefault({}),
  prices: prices.optional(),
  /**
   * Whether the schema of a tool is sent in strict mode if strict mode can express it. The nulls that strict mode requires are
   * removed from arguments.
   */
  strictSchemas: z.boolean().default(false),
  parallelToolCalls: z.boolean().default(true),
  /**
   * Whether the server stores responses. With `continue` it does, and a request contains only the items since the last response.
   */
  store: z.union([z.boolean(), z.literal("continue")]).default(false),
  reasoning: z
    .strictObject({
      effort: z.enum(["none", "minimal", "low", "medium", "high", "xhigh"]).optional(),
      summary: z.enum(["auto", "concise", "detailed"]).optional(),
    })
    .optional(),
  temperature: z.number().min(0).max(2).optional(),
  maxOutputTokens: count.optional(),
  /**
   * A JSON Schema of the turn's last answer. The model then answers in JSON, and the turn's result has the checked value as
   * `data`. It does not apply to sub-agents, which answer in text.
   */
  outputSchema: z.record(z.string(), z.unknown()).optional(),
  /** How often a request is repeated after a failure that may be temporary. */
  retries: z.int().min(0).max(10).default(2),
  retryDelayMs: z.int().min(0).max(60_000).default(500),
  /** Maximum number of milliseconds of one request. */
  timeout: count.max(2 ** 31 - 1).default(600_000),
  /**
   * How many input tokens a conversation may have before it is shortened: results of older calls are cleared, and then a summary
   * replaces older items. Default: 80 % of the model's window, or of a size that its server refused. With `false`, nothing is
   * shortened, and a turn that is too long fails.
   */
  compaction: z
    .union([count, z.literal(false)], { error: "compaction is a number of tokens, such as 100000, or false" })
    .optional(),
  /** How many of the last turns a compaction leaves unchanged; fewer if they are too long. */
  keepTurns: count.default(2),
  /** Whether the model writes a summary of the items that a compaction leaves out. */
  summary: z.boolean().default(true),
  /** By mode, the calls that run one after the other when the mode is entered. */
  bootstrap: z.record(z.string(), z.array(bootstrapStep)).prefault({}),
  /** Maximum number of bytes of one text that a hook injects. */
  maxInjectionBytes: count.default(10_240),
  /** Tokens of injected text in one turn above which a warning is logged. A token is estimated as four characters. */
  injectionTokens: count.default(10_000),
  /** How many levels of sub-agents a session may have. */
  maxDepth: z.int().min(0).max(16).default(3),
});

/** The settings of a model and its turns, parsed. */
export type Settings = z.output<typeof settingsSchema>;

export const agentSchema = z.strictObject({
  description: z.string().min(1),
  instructions: z.string().optional(),
  /** Globs that choose its tools from those of its parent. A glob that begins with `!` excludes tools. */
  tools: z.array(z.string().min(1)).default(["*"]),
  mode: z.string().min(1).optional(),
  model: z.string().min(1).optional(),
  maxIterations: count.max(1_000).optional(),
  budgets: budgets.optional(),
});

/** An agent of the plan, parsed. */
export type Agent = z.output<typeof agentSchema>;

const partialSettings = settingsSchema.partial();

/** Settings that only a program can give to a turn, because plans do not need other values than the defaults. */
const ofPrograms = ["keepTurns", "summary", "retryDelayMs", "maxInjectionBytes", "injectionTokens"] as const;

/**
 * The settings that a plan may have. They have no defaults, which would take precedence over values in `config` or in a provider
 * of the plan.
 */
const writtenSettings = z.strictObject(
  Object.fromEntries(
    Object.entries(settingsSchema.shape)
      .filter(([name]) => !ofPrograms.some((own) => own === name))
      .map(([name, schema]) => [name, written(schema)]),
  ),
) as unknown as z.ZodObject<Omit<typeof partialSettings.shape, (typeof ofPrograms)[number]>, z.core.$strict>;

function written(schema: z.ZodType): z.ZodType {
  if (!(schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault)) return schema.optional();
  const { innerType, defaultValue } = schema.def;
  // The default is kept as metadata, so that editors still show it.
  return (innerType as z.ZodType).optional().meta({ default: defaultValue });
}

/**
 * The section `agent` of a plan: settings, and agents to which the model can delegate. An Amplifier plan has a `session` instead.
 */
export const config = writtenSettings.extend({
  agents: z.record(z.string(), agentSchema).optional(),
  session: amplifierSession.optional(),
});

const needsPrices = "budgets.cost needs prices, so that the cost of a turn is known";

/** The config of the reasoner's module, parsed. */
export type Config = z.output<typeof config>;

/** Throws `CONFIG_INVALID` for settings that contradict each other. */
export function requireConsistent(settings: Settings): Settings {
  if (settings.budgets.cost !== undefined && settings.prices === undefined)
    throw new ToolmountError("CONFIG_INVALID", { module: "@toolmount/reasoner", problem: needsPrices });
  return settings;
}
