import { Command } from "commander";
import { expect, test } from "vitest";
import { addGlobalOptions, applyGlobalOptions } from "../../src/options/global-options.ts";

/** What a command gets of words: the shell's settings, and its arguments. */
function given(words: readonly string[], argument = "[plan]") {
  const settings = { verbosity: "normal", plan: undefined };
  const program = new Command().exitOverride();
  addGlobalOptions(program);
  let seen: readonly unknown[] = [];
  const command = program.command("list").argument("[tool]").argument(argument);
  command.action((...values: readonly unknown[]) => void (seen = values.slice(0, 2)));
  program.hook("preAction", () => applyGlobalOptions(program, command, { settings } as never));
  program.parse(words, { from: "user" });
  return { ...settings, seen };
}

test.each([
  [[], "normal"],
  [["-q"], "quiet"],
  [["--quiet"], "quiet"],
  [["--verbose"], "verbose"],
  [["--debug"], "debug"],
  [["--quiet", "--verbose"], "verbose"],
  [["--quiet", "--verbose", "--debug"], "debug"],
])("the options %j log as %s", (options, verbosity) => {
  expect(given([...options, "list"])).toEqual({ verbosity, plan: undefined, seen: [undefined, undefined] });
});

test("--plan is the plan's argument, where the last argument is one", () => {
  expect(given(["--plan", "a.yaml", "list"])).toMatchObject({ plan: "a.yaml", seen: [undefined, "a.yaml"] });
  expect(given(["--plan", "a.yaml", "list", "x"])).toMatchObject({ seen: ["x", "a.yaml"] });
  expect(given(["--plan", "a.yaml", "list", "x", "y"], "[other]")).toMatchObject({
    plan: "a.yaml",
    seen: ["x", "y"],
  });
  expect(() => given(["--plan", "a.yaml", "list", "x", "b.yaml"])).toThrow("the plan is given twice");
});
