import type { Rule, RuleProblem, ToolSubject } from "@toolmount/core/validation";

/** A rule of a profile that is checked for every tool. */
export type ToolRule = Rule<ToolSubject>;

/** Returns a problem of a tool with its place, `tools.<name>` or `tools.<name>.<part>`. */
export function problemAt({ name }: ToolSubject, part: string, problem: string): RuleProblem {
  return { where: `tools.${name || "(without a name)"}${part === "" ? "" : `.${part}`}`, problem };
}

/** Makes a rule that the adapter enforces when a tool is mounted. */
export function enforced(id: string, why: string, fix: string): ToolRule {
  return {
    id,
    severity: "error",
    why,
    fix,
    *check(subject) {
      if (subject.refusedBy === id) yield problemAt(subject, "", subject.refused!.message);
    },
  };
}

/** Makes a rule about the usage text of a tool. */
export function texted(
  id: string,
  severity: "error" | "warning",
  texts: { readonly why: string; readonly fix: string; readonly problem: string },
  isMet: (usage: string, subject: ToolSubject) => boolean,
): ToolRule {
  return {
    id,
    severity,
    why: texts.why,
    fix: texts.fix,
    *check(subject) {
      const usage = subject.info?.usage;
      if (usage !== undefined && !isMet(usage, subject)) yield problemAt(subject, "usage", texts.problem);
    },
  };
}
