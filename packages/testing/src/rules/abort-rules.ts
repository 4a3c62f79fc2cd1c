import type { ModuleSubject, Rule } from "@toolmount/core";

/** The checks of cancelled calls. */
export const abortRules: readonly Rule<ModuleSubject>[] = [
  {
    id: "abort_in_flight",
    severity: "warning",
    why: "a call that nobody waits for goes on costing",
    mend: "pass context.abortSignal to what the tool waits for",
    *check({ deaf }) {
      for (const name of deaf)
        yield { where: `tools.${name}.execute`, problem: "it ran on after it was cancelled" };
    },
  },
];
