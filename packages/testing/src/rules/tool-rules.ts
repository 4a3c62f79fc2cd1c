import { endingRules, exampleRules } from "./call-rules.ts";
import { descriptionRules } from "./description-rules.ts";
import { flowRules } from "./flow-rules.ts";
import { undoRules } from "./undo-rules.ts";
import { mountRules } from "./mount-rules.ts";
import { resultRules } from "./result-rules.ts";
import { schemaRules } from "./schema-rules.ts";
import { textRules } from "./text-rules.ts";
import type { ToolRule } from "./tool-subject.ts";

/** The checks of every tool, whatever its contract, in the order of a report. */
export const toolRules: readonly ToolRule[] = [
  ...mountRules,
  ...descriptionRules,
  ...schemaRules,
  ...flowRules,
  ...undoRules,
  ...textRules,
  ...endingRules,
  ...resultRules,
  ...exampleRules,
];
