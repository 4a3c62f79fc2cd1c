import type { ToolInfo } from "@toolmount/core";
import { describe, test } from "vitest";
import { expectFound, type Row } from "./subjects.ts";

describe("flows and undo", () => {
  const write = { category: "write" } as const;
  test.each<Row>([
    [{ category: "read" }],
    [write, "control: it is of category write and does not say"],
    [{ ...write, control: [] }],
    [{ ...write, control: ["path"] }],
    [{ category: undefined } as never, "control: it is of category unclassified and does not say"],
    [{ ...write, origin: "aptix" }],
  ])("control_declared: %j", (...row) => expectFound("control_declared", row));

  test.each<Row>([
    [{ control: ["path"], content: ["path"] }],
    [
      { control: ["path", "to"], content: ["text"] },
      'control: "to" is no argument of the tool',
      'content: "text" is no argument of the tool',
    ],
    [{ control: ["to"], inputSchema: { type: "object" } }, 'control: "to" is no argument of the tool'],
    [{}],
  ])("control_known: %j", (...row) => expectFound("control_known", row));

  test.each<Row>([
    [{}],
    [{ undoable: true }, "undo: it is of category read, and has an undo"],
    [{ irreversible: true }, "irreversible: it is of category read, and says that it is irreversible"],
    [{ undoable: false as never, irreversible: false as never }],
    [{ ...write, undoable: true, irreversible: true }],
  ])("undo_of_changes: %j", (...row) => expectFound("undo_of_changes", row));
});

describe("usage", () => {
  const usage = (text: string, argumentNames = ["path"]): Partial<ToolInfo> => ({
    usage: text,
    inputSchema: { type: "object", properties: Object.fromEntries(argumentNames.map((name) => [name, {}])) },
  });
  test.each<Row>([
    [usage("Reads.")],
    [usage(" \n"), "usage: it is missing"],
    [{}, "usage: it is missing"],
    [{ origin: "aptix" }],
  ])("usage_present: %j", (...row) => expectFound("usage_present", row));

  const unmentioned = (name: string) => `usage: it does not mention the argument "${name}"`;
  const undeclared = (name: string) => `usage: it has an argument "${name}", which the schema does not have`;
  const example = (name: string) => `usage: a good example has "${name}", which the schema does not have`;
  test.each<Row>([
    [{}],
    [usage("Takes path.")],
    [usage("Takes paths."), unmentioned("path")],
    [usage("Takes a_path, $path."), unmentioned("path")],
    [usage("Takes -i.", ["-i"])],
    [usage("Takes axb.", ["a.b"]), unmentioned("a.b")],
    [usage("Takes a.", ["a", "b"]), unmentioned("b")],
    [usage("Arguments\n- path (string)\n- to (string)"), undeclared("to")],
    [usage("path\nARGUMENTS:\n* `to` (string)\n  - from: it"), undeclared("to"), undeclared("from")],
    [usage("path\nArguments\nto (string)\n- to is nothing\n- to")],
    [usage("path\n- to (string)\nArguments\n- path (string)\nRules\n- from (it)")],
    [usage("path\nArguments\n- to (string)\nError codes:\n- A: a"), undeclared("to")],
    [usage('path\nGood usage\n- {"path":1,"to":2}'), example("to")],
    [usage('path\nGood usage\n- {"path":1} and {"to":2}')],
    [usage('path\nGood usage\n- to\n- {"path":1}\nBad usage\n- {"to":2}')],
    [usage('path\nBad usage\n- {"to":2}')],
    [{ ...usage("Takes it."), origin: "forge" }],
  ])("usage_in_step: %j", (...row) => expectFound("usage_in_step", row));
});
