import { Command } from "commander";
import fc from "fast-check";
import { expect, test } from "vitest";
import * as call from "../../src/commands/calls/call.ts";
import * as list from "../../src/commands/plan/list.ts";
import { addGlobalOptions } from "../../src/options/global-options.ts";
import { readPlainLine } from "../../src/plain-line.ts";
import type { Shell } from "../../src/process/shell.ts";

const words = fc.array(
  fc.oneof(
    fc.constantFrom(
      "--json",
      "-",
      "plan.yaml",
      "read_file",
      '{"a":1}',
      "a=1",
      "b:=2",
      "--plan",
      "-q",
      "--",
      "",
    ),
    fc.string(),
  ),
  { maxLength: 6 },
);

/** What the whole program makes of a line: its words and options; undefined for a line that it refuses. */
function readByCommander(name: "list" | "call", line: readonly string[]) {
  let read: { readonly words: readonly string[]; readonly options: object } | undefined;
  const program = new Command("toolmount").exitOverride().configureOutput({ outputError: () => {} });
  addGlobalOptions(program);
  const command = program.command(name);
  ({ list, call })[name].define(command, {} as Shell);
  command.action((given: string | readonly string[] | undefined, options: object) => {
    read = { words: [given ?? []].flat(), options: { ...program.opts(), ...options } };
  });
  try {
    program.parse([name, ...line], { from: "user" });
  } catch {
    return undefined;
  }
  return read;
}

test.each(["list", "call"] as const)(
  "a plain line of %s is read as the library of command lines reads it",
  (name) => {
    let plain = 0;
    const check = (line: readonly string[]) => {
      const read = readPlainLine([name, ...line]);
      if (read === null) return;
      plain++;
      expect(readByCommander(name, line)).toEqual({ words: read.words, options: read.options });
    };
    fc.assert(fc.property(words, check));
    check(["plan.yaml", "--json"]);
    expect(plain).toBeGreaterThan(1);
  },
);

test("a line with another command, an option, an empty word or too many words is left to the whole program", () => {
  const lines = [
    [],
    ["check"],
    ["constructor"],
    ["list", "a", "b"],
    ["call", "-q", "x"],
    ["call", ""],
    ["call", "--", "x"],
  ];
  for (const line of lines) expect(readPlainLine(line)).toBeNull();
});
