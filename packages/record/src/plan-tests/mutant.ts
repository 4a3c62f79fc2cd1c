import type { JsonObject } from "@toolmount/core";

/** A plan in which one rule is changed. */
export interface Mutant {
  readonly plan: JsonObject;
  /** The path of the rule, for example `["policy", "rules", 0]`. */
  readonly path: readonly (string | number)[];
  /** How the rule was changed, for example `ask → deny`. */
  readonly change: string;
}
