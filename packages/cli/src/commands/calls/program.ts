import { hash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { systemClock } from "@toolmount/core";
import { ToolmountError } from "@toolmount/core/errors";
import type { Command } from "commander";
import { auditSinkOf } from "@toolmount/record/internal";
import { findProgram, listPrograms } from "../../host/find-program.ts";
import { openPlan } from "../../host/open-plan.ts";
import { addExamples } from "../../options/common.ts";
import { exitCodes, type ExitCode } from "../../process/exit-codes.ts";
import type { Shell } from "../../process/shell.ts";
import { writeProgram, writePrograms } from "../../render/program.ts";
import { addCallOptions, callWords, type CallOptions } from "./call.ts";

interface Options extends CallOptions {
  readonly list?: true;
  readonly show?: string | true;
}

/** `toolmount program [plan] <file>`: a call of the plan's tool `run_program` with the text of a file; or what became of one. */
export function define(command: Command, shell: Shell): void {
  addCallOptions(command)
    .usage("[options] [plan] <file>")
    .argument("[plan-file...]", "the plan, if it is not the nearest one; the file of the program")
    .option("--list", "list the programs of the audit instead, the newest first")
    .option(
      "--show [id]",
      "show one of them instead, with its calls; also by the id of a question that it asks; default: the newest",
    )
    .action(async (words: string[], options: Options) => {
      if (options.list === true || options.show !== undefined)
        return shell.end(await look(words, options, shell));
      const all = wordsOfCall(words);
      const id = options.session === undefined ? undefined : await idOf(resolve(shell.cwd, words.at(-1)!));
      shell.end(await callWords(all, options, shell, id));
    });
  addExamples(command, [
    "toolmount program totals.ts",
    "toolmount program plan.yaml totals.ts --session office",
    "toolmount program --show 5f0c",
  ]);
}

/** Programs that a list has. */
const maxListed = 50;

/** Lists programs, or shows one: with its source, its calls and where it waits. */
async function look([plan, ...more]: readonly string[], options: Options, shell: Shell): Promise<ExitCode> {
  if (more.length > 0)
    throw new ToolmountError("USAGE_INVALID", { problem: "--list and --show take no file; only a plan" });
  const { out } = shell;
  const host = await openPlan(plan, options, shell);
  try {
    const sink = auditSinkOf(host);
    if (options.show === undefined) {
      const programs = await listPrograms(host, sink, maxListed);
      if (options.json === true) out.json(programs);
      else writePrograms(out, programs, systemClock.now());
      return exitCodes.done;
    }
    const shown = await findProgram(host, sink, options.show === true ? null : options.show);
    if (options.json === true) out.json(shown);
    else writeProgram(out, shown, systemClock.now());
    return exitCodes.done;
  } finally {
    await host.close();
  }
}

/** The same for the same program: run again in its session, it continues where it was when its process died. */
async function idOf(file: string): Promise<string | undefined> {
  const text = await readFile(file).catch(() => null); // the arguments report a file that cannot be read
  return text === null ? undefined : `program-${hash("sha256", text).slice(0, 16)}`;
}

function wordsOfCall(words: readonly string[]): readonly string[] {
  const file = words.at(-1);
  if (file === undefined || words.length > 2)
    throw new ToolmountError("USAGE_INVALID", { problem: "give one file; a plan may stand before it" });
  return [...words.slice(0, -1), "run_program", `source=@${file}`];
}
