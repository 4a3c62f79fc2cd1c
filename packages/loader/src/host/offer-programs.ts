import type { Capabilities } from "@toolmount/core";
import type { OpenedPlan } from "../mount/load-plan.ts";

/** Tokens of definitions from which `programs: auto` offers programs alone, when the plan has no `maxTokens`. */
const usualTokens = 8_000;

/** Returns what a plan says about programs; null when it says nothing. The schema has checked it. */
export function programsOf({ written }: Pick<OpenedPlan, "written">): Capabilities["offer.programs"] {
  const { programs, maxTokens = usualTokens } = (written["offer"] ?? {}) as {
    readonly programs?: "always" | "auto";
    readonly maxTokens?: number;
  };
  return programs === undefined ? null : { when: programs, maxTokens };
}
