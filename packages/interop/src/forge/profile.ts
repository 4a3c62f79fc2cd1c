import type { ToolDefinition } from "@toolmount/core";
import type { Profile, ToolSubject } from "@toolmount/core/validation";
import { enforced, problemAt } from "../profile-words.ts";

const definitionOf = (subject: ToolSubject) => subject.thing as Partial<ToolDefinition>;

/** The rules of Tool-Forge's ToolDefinition and ToolResult, in addition to those of the core. */
export const forgeProfile: Profile = {
  name: "forge",
  origin: "forge",
  toolRules: [
    enforced("name_snake_case", "one way of writing names", "write it in lower snake case"),
    enforced(
      "schema_required",
      "without a schema nothing is checked, and a model guesses",
      "give it a schema",
    ),
    {
      id: "name_verb_noun",
      severity: "warning",
      why: "a verb and a noun say what happens to what",
      fix: "name it like get_weather",
      *check(subject) {
        if (subject.info !== null && !subject.name.includes("_"))
          yield problemAt(subject, "name", "it is a single word");
      },
    },
    {
      id: "version_present",
      severity: "warning",
      why: "who pins a tool pins its version",
      fix: 'version: "1.0.0"',
      *check(subject) {
        const { version } = definitionOf(subject);
        if (subject.info !== null && (typeof version !== "string" || !/^\d+\.\d+\.\d+/.test(version)))
          yield problemAt(
            subject,
            "version",
            version === undefined ? "there is none" : "it is not a semantic version",
          );
      },
    },
    {
      id: "status_present",
      severity: "warning",
      why: "a tool is offered, kept for old callers, or gone",
      fix: 'status: "active"',
      *check(subject) {
        if (subject.info !== null && definitionOf(subject).status === undefined)
          yield problemAt(subject, "status", "there is none");
      },
    },
    {
      id: "description_contract",
      severity: "error",
      why: "the description is the routing contract: what, and when",
      fix: 'two sentences: what it does, "Use when …"',
      *check(subject) {
        const { description = "" } = subject.info ?? {};
        const sentences = description.split(/(?<=[.!?])\s+(?=[A-Z])/).length;
        if (subject.info === null) return;
        if (
          !/\b(?:use|call)\b.{0,30}\b(?:when|whenever|if|for|to|after|before)\b|\bwhen\b/i.test(description)
        )
          yield problemAt(subject, "description", "it does not say when to use the tool");
        else if (sentences > 3) yield problemAt(subject, "description", `it has ${sentences} sentences`);
      },
    },
    {
      id: "abort_checked_first",
      severity: "error",
      why: "a cancelled call must not touch anything",
      fix: 'check context.abortSignal first, and return error "Request was cancelled"',
      async check(subject) {
        if (subject.info === null || !subject.isHarmless || subject.sample === null) return [];
        const { execute } = subject.thing as { execute: (params: object, context: object) => unknown };
        try {
          const answer = await Reflect.apply(execute, subject.thing, [
            subject.sample,
            { abortSignal: AbortSignal.abort(), userId: "trial" },
          ]);
          const { error } = (answer ?? {}) as { error?: unknown };
          return error === "Request was cancelled"
            ? []
            : [problemAt(subject, "execute", "it continues with an aborted signal")];
        } catch {
          return [problemAt(subject, "execute", "it throws when its signal is aborted")];
        }
      },
    },
  ],
};
