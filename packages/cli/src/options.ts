import { type Command, InvalidArgumentError } from "commander";

/** What every command says of its plan. */
export const planArgument =
  "the plan: a file, or a folder that has one; else the nearest one from here upward";

/** What every command says of `--json`. */
export const jsonOption = ["--json", "print everything as JSON, for programs"] as const;

/** Adds an example to a command's help. */
export function addExamples(command: Command, examples: readonly string[]): void {
  const lines = examples.map((example) => `  $ ${example}`).join("\n");
  command.addHelpText("after", `\nExample${examples.length === 1 ? "" : "s"}:\n${lines}`);
}

/** Longest delay a timer can hold. */
const maxTimeoutMs = 2 ** 31 - 1;

/** Reads a number of milliseconds. */
export function readMilliseconds(text: string): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= 1 && value <= maxTimeoutMs) return value;
  throw new InvalidArgumentError(`It is a whole number of milliseconds, from 1 to ${maxTimeoutMs}.`);
}
