import type { Profile } from "@toolmount/core/validation";
import { moduleRules } from "./module-rules.ts";
import { toolRules } from "./tool-rules.ts";
import { usageRules } from "./usage-rules.ts";
import { abortRules } from "./abort-rules.ts";

/** The rules for every module, whatever its contract. */
export const coreProfile: Profile = {
  name: "core",
  moduleRules: [...moduleRules, ...abortRules],
  toolRules: [...toolRules, ...usageRules],
};
