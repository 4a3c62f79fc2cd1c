import { z } from "zod";

const on = z.strictObject({ enabled: z.boolean().default(true) }).prefault({});

/** The module's config in a plan. */
export const config = z.strictObject({
  features: z
    .strictObject({
      /** Whether an agent may start a copy of itself, and how often in succession. */
      self_delegation: z
        .strictObject({
          enabled: z.boolean().default(true),
          max_depth: z.int().min(1).max(16).default(3),
        })
        .prefault({}),
      /** Whether a sub-agent's session may be resumed. */
      session_resume: on,
      context_inheritance: z
        .strictObject({
          /** Whether a sub-agent may get a part of the conversation. */
          enabled: z.boolean().default(true),
          max_turns: z.int().min(1).max(100).default(10),
        })
        .prefault({}),
      /** A setting of Amplifier's delegate. Agents have their models in the plan, so it has no effect. */
      provider_selection: on,
    })
    .prefault({}),
  settings: z
    .strictObject({
      /** Tools that sub-agents do not get, unless the plan names them for the agent. */
      exclude_tools: z.array(z.string().min(1)).default(["delegate"]),
      /** A setting of Amplifier's delegate. Hooks also apply to sub-agents, so the list must be empty. */
      exclude_hooks: z
        .array(z.string())
        .max(0, "hooks hold for sub-agents, too; leave the list empty")
        .default([]),
      /** Longest time for a delegation, in seconds. Default: only the limit of the turn. */
      timeout: z.number().positive().max(2_000_000).optional(),
    })
    .prefault({}),
});

export type DelegateSettings = z.output<typeof config>;
