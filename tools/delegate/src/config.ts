import { z } from "zod";

const on = z.strictObject({ enabled: z.boolean().default(true) }).prefault({});

/** The module's config in a plan. */
export const config = z.strictObject({
  features: z
    .strictObject({
      /** Whether an agent may begin one that is like itself, and how often in a row. */
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
      /** Of Amplifier's delegate. Agents have their models in the plan, so a call chooses no provider with it. */
      provider_selection: on,
    })
    .prefault({}),
  settings: z
    .strictObject({
      /** Tools that those who were begun do not get, unless the plan's agent names them. */
      exclude_tools: z.array(z.string().min(1)).default(["delegate"]),
      /** Of Amplifier's delegate. Hooks hold for sub-agents, too, so none can be left out. */
      exclude_hooks: z
        .array(z.string())
        .max(0, "hooks hold for sub-agents, too; leave the list empty")
        .default([]),
      /** Seconds that a delegation may take. Default: no bound but the turn's own. */
      timeout: z.number().positive().max(2_000_000).optional(),
    })
    .prefault({}),
});

export type DelegateSettings = z.output<typeof config>;
