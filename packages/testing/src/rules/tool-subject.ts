import type { Rule, RuleProblem, ToolSubject } from "@toolmount/core/validation";

export type ToolRule = Rule<ToolSubject>;

/** Makes a problem of a tool. `part` is the member, such as `inputSchema` or `execute`; empty for the whole tool. */
export function problemOf(subject: ToolSubject, part: string, problem: string): RuleProblem {
  return { where: `tools.${subject.name || "(without a name)"}${part === "" ? "" : `.${part}`}`, problem };
}

/** Whether a tool has toolmount's own shape: it was made with `defineTool`, or is a plain definition with the same members. */
export function isNative({ info }: ToolSubject): boolean {
  return info?.origin === "toolmount";
}

/** Returns all texts of a tool: as the host lists them, or from the mounted object if the host refused it. */
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

/** Returns a member of an object that the host refused; undefined if its getter throws, which the refusal reports. */
function readMember(thing: object, key: string): unknown {
  try {
    return (thing as Readonly<Record<string, unknown>>)[key];
  } catch {
    return undefined;
  }
}
