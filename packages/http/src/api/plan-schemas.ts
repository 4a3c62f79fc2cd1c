import { z } from "@hono/zod-openapi";
import { anyObject } from "./schemas.ts";

/** A line in a file of the plan. */
const position = z.looseObject({ file: z.string(), line: z.number() });

const problem = z
  .looseObject({
    code: z.string(),
    message: z.string(),
    file: z.string().optional(),
    line: z.number().optional(),
    frame: z.string().optional().describe("The lines of the file around it"),
    hint: z.string().optional().describe("How to fix it"),
  })
  .openapi("PlanProblem");

const entry = z.looseObject({
  id: z.string(),
  section: z.string(),
  specifier: z.string().describe("As the plan names the module"),
  version: z.string().optional(),
  state: z.string(),
  tools: z.array(z.string()),
  problems: z.array(problem),
  position: position.optional(),
});

const lockChange = z.looseObject({
  tool: z.string(),
  change: z.string(),
  differences: z.array(
    z.looseObject({ path: z.string(), before: z.unknown().optional(), now: z.unknown().optional() }),
  ),
});

const replica = z.looseObject({
  id: z.string(),
  url: z.string().describe("Where it listens"),
  machine: z.string(),
  version: z.string(),
  plan: z.string().describe("The digest of its plan"),
  state: z.enum(["ready", "draining", "gone"]),
  since: z.number(),
  problem: z.string().nullable().describe("Why it did not mount the plan again"),
});

export const statusSchema = z
  .looseObject({
    state: z.enum(["open", "closed"]),
    plan: z.looseObject({ file: z.string().optional(), name: z.string().optional() }),
    generation: z.number().describe("How many times the plan was mounted; 1 after opening"),
    digest: z
      .string()
      .describe("12 digits of the digest of the plan: the same at servers with the same plan"),
    replicas: z
      .array(replica)
      .describe("The servers of the plan that the store knows; those seen last first"),
    entries: z.array(entry).describe("The modules of the plan"),
    lockChanges: z.array(lockChange).describe("Tools that differ from the plan's lock file"),
    reloadProblems: z.array(problem).describe("Why the last reload changed nothing"),
  })
  .openapi("HostStatus");

/** The plan with its parts merged, and where each value is written. */
export const planSchema = z
  .looseObject({
    files: z.array(z.string()),
    value: z.unknown().describe("The plan with its parts merged"),
    values: z.array(anyObject).describe("Where each value is written"),
    policy: z.string().optional().describe("The section policy as YAML, to edit and compare"),
    problems: z.array(problem),
  })
  .openapi("EffectivePlan");

const verdict = z.enum(["allow", "ask", "deny"]);

/** How the answers to recorded calls would differ with another policy. */
export const comparisonSchema = z
  .object({
    judged: z.number(),
    changed: z.number().describe("Calls that would be answered otherwise"),
    groups: z
      .array(
        z.object({
          tool: z.string(),
          from: verdict,
          to: verdict,
          rule: z
            .string()
            .describe("What asks or denies now; for a call that is allowed now, what asked then"),
          count: z.number(),
          examples: z.array(z.object({ id: z.string(), arguments: z.string(), user: z.string().optional() })),
        }),
      )
      .describe("Most calls first"),
    notJudged: z.record(z.string(), z.number()).describe("Calls that could not be judged, by why"),
  })
  .openapi("PolicyComparison");

/** Lines for the policy that follow from people's answers. */
export const suggestionSchema = z
  .object({
    lines: z
      .array(
        z.object({
          list: z.enum(["allow", "ask"]),
          line: z.string(),
          calls: z.number().describe("How many of the answered calls it matches"),
          examples: z.array(z.object({ id: z.string(), arguments: z.string() })),
        }),
      )
      .describe("Most calls first"),
    answered: z.number().describe("Calls that a person answered"),
    spared: z.number().describe("Questions that the lines would have spared"),
    remaining: z.record(z.string(), z.number()).describe("Questions that remain, by why"),
    budget: z
      .object({ sessions: z.number(), calls: z.number() })
      .nullable()
      .describe("The smallest budget that would have allowed every session; null where too few are known"),
    policy: z.string().describe("The section policy with these lines, as YAML"),
  })
  .openapi("PolicySuggestion");

/** The lines of the plan that decide how a tool is offered, and what policies answer to its calls. */
export const explanationSchema = z
  .looseObject({
    tools: z
      .array(
        z.looseObject({
          origins: z.array(
            z.looseObject({ what: z.string(), value: z.unknown(), position: position.optional() }),
          ),
          answers: z.array(
            z.looseObject({
              policy: z.string(),
              answer: z.looseObject({
                answer: z.string(),
                reason: z.string().optional(),
                rule: z.string().optional(),
              }),
            }),
          ),
        }),
      )
      .describe("Every tool of that name"),
    offered: z.array(z.string()),
    problems: z.array(problem),
    unknown: z.array(z.string()).describe("Modules whose tools only importing could show"),
  })
  .openapi("Explanation");

export const reloadSchema = z
  .looseObject({
    generation: z.number(),
    kept: z.array(z.string()),
    mounted: z.array(z.string()),
    removed: z.array(z.string()),
    failed: z.array(z.string()),
  })
  .openapi("Reload");
