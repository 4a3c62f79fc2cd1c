import { z } from "zod";
import { flows } from "./flows/schema.ts";
import { callMatch } from "./match/match.ts";

const glob = z.string().min(1);

const reason = z.string().min(1).max(500);

const rule = z.discriminatedUnion("answer", [
  z.strictObject({
    match: callMatch,
    answer: z.literal("allow"),
    /** `confirmation` also removes the question of the tool itself. */
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

/** Selects tools in a list: a name or a glob, with a pattern of one argument, or a kind that tools state about themselves. */
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
  /** The period of a budget. A day and a month are counted in UTC for each user. A call without session or turn is counted alone. */
  per: z.enum(["turn", "session", "day", "month"]).default("session"),
  /** Maximum number of calls. */
  calls: count.optional(),
  /** Maximum number of milliseconds that tools may run, taken together. */
  ms: count.optional(),
  /** Maximum number of calls at the same time. */
  concurrent: count.optional(),
  /** How deep tools may call tools. */
  depth: z.int().min(0).optional(),
  /** From this number on, equal calls of one turn are answered without being run. The last call that runs has a warning. */
  repeats: z.int().min(2).optional(),
});

/** A webhook that answers questions. */
const approver = z.strictObject({
  /** The URL to which questions are posted. Answers are polled below it. */
  url: z.url({ protocol: /^https?$/ }),
  /** The secret, known to both sides, with which questions and answers are signed. */
  secret: z
    .string()
    .regex(/^whsec_[\w+/-]{32,}=*$/, { error: "the secret is whsec_ and at least 24 bytes in base64" }),
});

/** A program that is asked about calls. */
const commandHook = z.strictObject({
  /** A text is run by a shell; a list is run without a shell. */
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
  /** How much is asked in addition to what tools and rules ask. */
  level: z.enum(["autonomous", "cautious", "standard", "paranoid"]).default("cautious"),
  rules: z.array(rule).default([]),
  /** Calls that run without the questions of the level and of the tool. */
  allow: z.array(toolPattern).default([]),
  /** Calls about which a person is asked, even if something allows them. */
  ask: z.array(toolPattern).default([]),
  /** Calls that are denied, even if something allows them. A tool whose every call a line denies is not offered to a model at all. */
  deny: z.array(toolPattern).default([]),
  budgets: budgets.optional(),
  approver: approver.optional(),
  /** Where the values of arguments may come from. */
  flows: flows.optional(),
  /** The commands that a plan writes in its `hooks:` section. */
  commandHooks: z.array(commandHook).optional(),
});

/** The `policy` section of a plan, parsed. */
export type PolicyConfig = z.output<typeof config>;
/** One rule of the `policy` section, parsed. */
export type Rule = z.output<typeof rule>;
/** Budgets of calls, parsed. */
export type Budgets = z.output<typeof budgets>;
/** One command hook, parsed. */
export type CommandHook = z.output<typeof commandHook>;
/** How much the policy asks if no rule fits. */
export type Level = PolicyConfig["level"];
