import { isNative, problemOf, type ToolRule } from "./tool-subject.ts";

/** The checks of the arguments that decide where an effect goes. */
export const flowRules: readonly ToolRule[] = [
  {
    id: "control_declared",
    severity: "warning",
    why: "a plan with flows asks where these values come from; without them it cannot",
    fix: 'name the arguments that decide where the effect goes or what it touches: control: ["recipient"]; [] if none does',
    *check(subject) {
      const { info } = subject;
      if (!isNative(subject) || info === null || info.category === "read") return;
      if (info.control === undefined)
        yield problemOf(
          subject,
          "control",
          `it is of category ${info.category ?? "unclassified"} and does not say`,
        );
    },
  },
  {
    id: "control_known",
    severity: "error",
    why: "a name that no argument has protects nothing",
    fix: "write the name as the schema has it",
    *check(subject) {
      const { info } = subject;
      const known = Object.keys((info?.inputSchema["properties"] as object | undefined) ?? {});
      for (const key of ["control", "content"] as const)
        for (const name of info?.[key] ?? [])
          if (!known.includes(name)) yield problemOf(subject, key, `"${name}" is no argument of the tool`);
    },
  },
];
