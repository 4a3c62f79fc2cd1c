import type { Command } from "commander";

/** The help text for the argument that names the plan. */
export const planArgument =
  "the plan: a file, or a folder that has one; else the nearest one from here upward";

/** The option `--json` of every command. */
export const jsonOption = ["--json", "print everything as JSON, for programs"] as const;

/** Collects the values of an option that may be given again. */
export function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

export function addExamples(command: Command, examples: readonly string[]): void {
  const lines = examples.map((example) => `  $ ${example}`).join("\n");
  command.addHelpText("after", `\nExample${examples.length === 1 ? "" : "s"}:\n${lines}`);
}
