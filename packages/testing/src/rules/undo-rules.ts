import { problemOf, type ToolRule } from "./tool-subject.ts";

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
