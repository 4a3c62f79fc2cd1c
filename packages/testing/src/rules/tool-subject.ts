import type { Rule, RuleProblem, ToolSubject } from "@toolmount/core/validation";

export type ToolRule = Rule<ToolSubject>;

/** Returns a problem of a tool; `part` names the member, such as `inputSchema` or `execute`, and is empty for the whole tool. */
export function problemOf(subject: ToolSubject, part: string, problem: string): RuleProblem {
  return { where: `tools.${subject.name || "(without a name)"}${part === "" ? "" : `.${part}`}`, problem };
}

/** Whether a tool has toolmount's own shape: made with `defineTool`, or a plain definition with the same members. */
export function isNative({ info }: ToolSubject): boolean {
  return info?.origin === "toolmount";
}

/** Every text of a tool: from the list of the host, or from the mounted object when the host refused it. */
export function textsOf({ info, thing }: ToolSubject): Readonly<Record<string, unknown>> {
  if (info !== null) {
    const { name, description, inputSchema, outputSchema, usage, summary, tags, version, modes, dependsOn } =
      info;
    return { name, description, inputSchema, outputSchema, usage, summary, tags, version, modes, dependsOn };
  }
  if (typeof thing !== "object" || thing === null) return {};
  return {
    name: readMember(thing, "name"),
    description: readMember(thing, "description"),
    usage: readMember(thing, "usage"),
    inputSchema: readMember(thing, "input_schema"),
  };
}

/** A member of an object that the host refused; undefined when its getter throws, which the refusal reports. */
function readMember(thing: object, key: string): unknown {
  try {
    return (thing as Readonly<Record<string, unknown>>)[key];
  } catch {
    return undefined;
  }
}
