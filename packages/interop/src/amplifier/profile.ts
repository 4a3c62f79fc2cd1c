import type { Profile } from "@toolmount/core/validation";
import { isRecord, readForeignSchema } from "../schema/guards.ts";
import { mountRules } from "./mount-rules.ts";
import { problemAt } from "../profile-words.ts";

/** Rules of Amplifier's contract for tools and modules, in addition to those of the core. */
export const amplifierProfile: Profile = {
  name: "amplifier",
  origin: "amplifier",
  moduleRules: mountRules,
  toolRules: [
    {
      id: "tool_description",
      severity: "warning",
      why: "a model decides by the description whether to call",
      fix: "say in a sentence what the tool does and expects",
      *check(subject) {
        const description = isRecord(subject.thing) ? subject.thing["description"] : undefined;
        if (subject.info !== null && (typeof description !== "string" || description.trim() === ""))
          yield problemAt(subject, "description", "it is empty, or no text");
      },
    },
    {
      id: "input_schema_present",
      severity: "warning",
      why: "without a schema nothing is checked, and a model guesses",
      fix: "add input_schema, or get_schema()",
      *check(subject) {
        if (subject.info !== null && readForeignSchema(subject.thing as object) === undefined)
          yield problemAt(subject, "input_schema", "there is none");
      },
    },
    {
      id: "empty_input",
      severity: "error",
      why: "a tool reports missing arguments in its result and does not throw",
      fix: "check the input first, and return { success: false, error: { message } }",
      async check(subject) {
        if (subject.info === null || !subject.isHarmless) return [];
        const tool = subject.thing as { execute(input: object): unknown };
        try {
          const answer: unknown = await tool.execute({});
          return isRecord(answer)
            ? []
            : [problemAt(subject, "execute", "it does not answer {} with a result")];
        } catch (thrown) {
          const what = thrown instanceof Error ? `${thrown.name} ${thrown.message}` : String(thrown);
          return [problemAt(subject, "execute", `it throws on {}: ${what}`.slice(0, 300))];
        }
      },
    },
  ],
};
