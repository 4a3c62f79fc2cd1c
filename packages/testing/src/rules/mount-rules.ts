import { scanDefinition } from "@toolmount/core/scan";
import { isNative, problemOf, textsOf, type ToolRule } from "./tool-subject.ts";

/** Returns a rule that the host itself enforces when a tool is mounted. */
function enforced(id: string, why: string, fix: string): ToolRule {
  return {
    id,
    severity: "error",
    why,
    fix,
    *check(subject) {
      if (subject.refusedBy === id) yield problemOf(subject, "", subject.refused!.message);
    },
  };
}

/** The checks of what the host requires to mount a tool. */
export const mountRules: readonly ToolRule[] = [
  {
    id: "tool_mountable",
    severity: "error",
    why: "a tool that the host refuses is not mounted",
    fix: "fix what the message says",
    *check(subject) {
      // Another rule reports a reference that leaves the schema.
      const isExplained = scanDefinition(textsOf(subject)).some(({ kind }) => kind === "ref");
      if (subject.refusedBy === "tool_mountable" && !isExplained)
        yield problemOf(subject, "", subject.refused!.message);
    },
  },
  enforced(
    "schema_json",
    "arguments are JSON everywhere: from the model, between processes, over the network",
    "move transforms, dates and coercion from the schema into execute",
  ),
  enforced("name_duplicate", "a name belongs to one tool", "rename one of them"),
  enforced("tool_name", "a tool is called by its name", "give it a name that is a text and not empty"),
  enforced("tool_execute", "execute is the function that a call runs", "give it an execute function"),
  enforced("tool_input_schema", "models write arguments by the schema", "give a JSON Schema object"),
  {
    id: "tool_execute_async",
    severity: "error",
    why: "the host awaits execute and passes the arguments to it",
    fix: "write it as async execute(input, context)",
    *check(subject) {
      const execute = (subject.thing as { execute?: unknown } | null)?.execute;
      if (subject.info === null || isNative(subject) || typeof execute !== "function") return;
      if (execute.length === 0 && !/\.\.\.|arguments/.test(Function.prototype.toString.call(execute)))
        yield problemOf(subject, "execute", "it takes no input");
      else if (
        subject.calls.some(({ returned, ran, thrown }) => ran && thrown === null && returned === undefined)
      )
        yield problemOf(subject, "execute", "it returns nothing");
    },
  },
];
