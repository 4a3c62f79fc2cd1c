import { z } from "zod";
import { flows } from "./flows/schema.ts";
import { callMatch } from "./match/match.ts";

const glob = z.string().min(1);

const reason = z.string().min(1).max(500);

const rule = z.discriminatedUnion("answer", [
  z.strictObject({
    match: callMatch,
    answer: z.literal("allow"),
    /** `confirmation` also lifts what the tool itself asks. */
    waives: z.literal("confirmation").optional(),
    reason: reason.optional(),
  }),
  z.strictObject({ match: callMatch, answer: z.literal("ask"), reason: reason.optional() }),
  z.strictObject({ match: callMatch, answer: z.literal("deny"), reason: reason.optional() }),
]);

const kinds = [
  "category: !?(?:read|write|delete|side_effect|unclassified)",
  "consequence: !?(?:low|medium|high|unclassified)",
  "tag: .+",
];

/** Tools as people write them in a list: a name or a glob, and a pattern of one argument; or what the tools say of themselves. */
const toolPattern = z
  .string({ error: 'a line is a text; write one with a colon in quotes: "category: delete"' })
  .max(1_000)
  .regex(new RegExp(String.raw`^(?:${kinds.join("|")}|[\w.*?-]{1,128}(?:\(.+\))?)$`, "s"), {
    error: ({ input }) =>
      typeof input === "string" && /^[^()]+\([^)]*$/.test(input)
        ? `the bracket of ${input} is not closed; end the line with )`
        : lineForm,
  });

const lineForm =
  "a tool's name or a glob, and in brackets a pattern of its first required argument: bash(git push*), or of a named one: grep(path: src/*); or a kind of tools: category: delete, consequence: high, tag: shell";

const count = z.int().positive();

const budgets = z.strictObject({
  /** What a budget is counted over: a day and a month are those of UTC for each user. A call without a session or turn has its own. */
  per: z.enum(["turn", "session", "day", "month"]).default("session"),
  /** Calls that may be made. */
  calls: count.optional(),
  /** Milliseconds that tools may run, taken together. */
  ms: count.optional(),
  /** Calls at the same time. */
  concurrent: count.optional(),
  /** How deep tools may call tools. */
  depth: z.int().min(0).optional(),
  /** Equal calls of one turn: from this one on they are answered without being run, and the one before carries a warning. */
  repeats: z.int().min(2).optional(),
});

/** The webhook that answers questions. */
const approver = z.strictObject({
  /** Where questions are posted; answers are polled below it. */
  url: z.url({ protocol: /^https?$/ }),
  /** Signs questions and answers; both sides have it. */
  secret: z
    .string()
    .regex(/^whsec_[\w+/-]{32,}=*$/, { error: "the secret is whsec_ and at least 24 bytes in base64" }),
});

/** One program that is asked about calls. */
const commandHook = z.strictObject({
  /** A text is run by a shell, a list without one. */
  command: z.union([z.string().min(1), z.array(z.string().min(1)).min(1)]),
  events: z.array(z.enum(["tool:pre", "tool:post"])).default(["tool:pre"]),
  tools: z.array(glob).default(["*"]),
  timeout: z.int().positive().default(5_000),
  onFailure: z.enum(["deny", "allow"]).default("deny"),
  env: z.record(z.string(), z.string()).default({}),
  dialect: z.enum(["claude", "gemini"]).default("claude"),
  priority: z.int().default(0),
});

/** What a plan may set in its `policy:` section. */
export const config = z.strictObject({
  /** What is asked about beside what tools and rules ask. */
  level: z.enum(["autonomous", "cautious", "standard", "paranoid"]).default("cautious"),
  rules: z.array(rule).default([]),
  /** Calls that run without a question of the level or of the tool. */
  allow: z.array(toolPattern).default([]),
  /** Calls that a person is asked about, whatever allows them. */
  ask: z.array(toolPattern).default([]),
  /** Calls that are denied, whatever allows them. A tool without a pattern is not offered to a model at all. */
  deny: z.array(toolPattern).default([]),
  budgets: budgets.optional(),
  approver: approver.optional(),
  /** Where the values of arguments may come from. */
  flows: flows.optional(),
  /** The commands of the plan's `hooks:`; a plan writes them there. */
  commandHooks: z.array(commandHook).optional(),
});

/** The `policy` section of a plan, parsed. */
export type PolicyConfig = z.output<typeof config>;
/** One rule of the `policy` section, parsed. */
export type Rule = z.output<typeof rule>;
/** Limits on the number of calls, parsed. */
export type Budgets = z.output<typeof budgets>;
/** One command hook, parsed. */
export type CommandHook = z.output<typeof commandHook>;
/** How much the policy asks when no rule fits. */
export type Level = PolicyConfig["level"];
