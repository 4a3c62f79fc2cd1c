import type { ModuleSubject, Rule } from "@toolmount/core/validation";

/** The checks of cancelled calls. */
export const abortRules: readonly Rule<ModuleSubject>[] = [
  {
    id: "abort_in_flight",
    severity: "warning",
    why: "a cancelled call that runs on still costs",
    fix: "pass context.abortSignal to what the tool waits for",
    *check({ ignoredCancel }) {
      for (const name of ignoredCancel)
        yield { where: `tools.${name}.execute`, problem: "it ran on after it was cancelled" };
    },
  },
];
