import type { Profile } from "@toolmount/core/validation";
import { moduleRules } from "./module-rules.ts";
import { endingRules, exampleRules } from "./call-rules.ts";
import { descriptionRules } from "./description-rules.ts";
import { flowRules, undoRules } from "./flow-rules.ts";
import { mountRules } from "./mount-rules.ts";
import { resultRules } from "./result-rules.ts";
import { schemaRules } from "./schema-rules.ts";
import { textRules } from "./text-rules.ts";
import { usageRules } from "./usage-rules.ts";

/** The rules for every module and every tool, whatever the contract, in the order of a report. */
export const coreProfile: Profile = {
  name: "core",
  moduleRules,
  toolRules: [
    ...mountRules,
    ...descriptionRules,
    ...schemaRules,
    ...flowRules,
    ...undoRules,
    ...textRules,
    ...endingRules,
    ...resultRules,
    ...exampleRules,
    ...usageRules,
  ],
};
