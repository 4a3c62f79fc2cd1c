import type { JsonObject } from "@toolmount/core";

/** A plan in which one rule says something else. */
export interface Mutant {
  readonly plan: JsonObject;
  /** Where the rule is: `["policy", "rules", 0]`. */
  readonly path: readonly (string | number)[];
  /** What was done to it: `ask → deny`. */
  readonly change: string;
}
