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

/** The checks of what a tool says about undoing its calls. */
export const undoRules: readonly ToolRule[] = [
  {
    id: "undo_of_changes",
    severity: "error",
    why: "people read which changes cannot be undone, and a read changes nothing",
    fix: "leave undo and irreversible out, or give the tool another category",
    *check(subject) {
      const { info } = subject;
      if (info?.category !== "read") return;
      if (info.undoable === true) yield problemOf(subject, "undo", "it is of category read, and has an undo");
      if (info.irreversible === true)
        yield problemOf(subject, "irreversible", "it is of category read, and says that it is irreversible");
    },
  },
];
