import { hash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { ToolmountError } from "@toolmount/core/errors";
import type { Command } from "commander";
import { addExamples } from "../../options/common.ts";
import type { Shell } from "../../process/shell.ts";
import { addCallOptions, callWords, type CallOptions } from "./call.ts";

/** `toolmount program [plan] <file>`: calls the plan's tool `run_program` with the text of a file. */
export function define(command: Command, shell: Shell): void {
  addCallOptions(command)
    .usage("[options] [plan] <file>")
    .argument("[plan-file...]", "the plan, if it is not the nearest one; the file of the program")
    .action(async (words: string[], options: CallOptions) => {
      const all = wordsOfCall(words);
      const id = options.session === undefined ? undefined : await idOf(resolve(shell.cwd, words.at(-1)!));
      shell.end(await callWords(all, options, shell, id));
    });
  addExamples(command, [
    "toolmount program totals.ts",
    "toolmount program plan.yaml totals.ts --session office",
  ]);
}

/**
 * Returns an id that depends only on the text of the file. So a second run of the same program in the same session continues a
 * run whose process died. Undefined if the file cannot be read.
 */
async function idOf(file: string): Promise<string | undefined> {
  const text = await readFile(file).catch(() => null); // the call itself reports a file that cannot be read
  return text === null ? undefined : `program-${hash("sha256", text).slice(0, 16)}`;
}

function wordsOfCall(words: readonly string[]): readonly string[] {
  const file = words.at(-1);
  if (file === undefined || words.length > 2)
    throw new ToolmountError("USAGE_INVALID", { problem: "give one file; a plan may stand before it" });
  return [...words.slice(0, -1), "run_program", `source=@${file}`];
}
