import { readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { makeFolder } from "@toolmount/paths";
import type { Command } from "commander";
import { openPlan } from "../../host/open-plan.ts";
import { addExamples, jsonOption, planArgument } from "../../options/common.ts";
import { addPlanOptions, type PlanOptions } from "../../options/plan-options.ts";
import { renderClient, renderTypes } from "../../render/tool-types.ts";
import { shortPath } from "../../render/problems.ts";
import { countOf } from "../../screen/count.ts";
import { printable } from "../../screen/printable.ts";
import type { Shell } from "../../process/shell.ts";
import { exitCodes, type ExitCode } from "../../process/exit-codes.ts";

interface Options extends PlanOptions {
  readonly json?: true;
  readonly out: string;
  readonly check?: true;
}

/** `toolmount types [plan]`: writes the tools of a plan as TypeScript: their types, and a client with a method for each tool. */
export function define(command: Command, shell: Shell): void {
  addPlanOptions(command)
    .argument("[plan]", planArgument)
    .option("--out <folder>", "the folder of the two files", ".")
    .option("--check", "write nothing, and fail when a file is not what would be written")
    .option(...jsonOption)
    .action(async (plan: string | undefined, options: Options) => {
      shell.end(await types(plan, options, shell));
    });
  addExamples(command, ["toolmount types --out src", "toolmount types --out src --check"]);
}

async function types(plan: string | undefined, options: Options, shell: Shell): Promise<ExitCode> {
  const host = await openPlan(plan, options, shell);
  const tools = host.tools();
  await host.close();
  const folder = resolve(shell.cwd, options.out);
  const files = await Promise.all([
    compare(join(folder, "toolmount-tools.d.ts"), await renderTypes(tools)),
    compare(join(folder, "toolmount-client.ts"), renderClient(tools)),
  ]);
  const changed = files.filter(({ isChanged }) => isChanged);
  if (options.check !== true) {
    makeFolder(folder);
    await Promise.all(changed.map(({ path, text }) => writeFile(path, text)));
  }
  const pathsOf = (some: readonly TypesFile[]) => some.map(({ path }) => path);
  if (options.json === true)
    shell.out.json({ files: pathsOf(files), changed: pathsOf(changed), tools: tools.length });
  else writeReport(files, countOf(tools, "tool"), options, shell);
  return options.check === true && changed.length > 0 ? exitCodes.failed : exitCodes.done;
}

interface TypesFile {
  readonly path: string;
  readonly text: string;
  /** Whether the file on disk differs or does not exist. */
  readonly isChanged: boolean;
}

async function compare(path: string, text: string): Promise<TypesFile> {
  const before = await readFile(path, "utf8").catch(() => undefined);
  return { path, text, isChanged: before !== text };
}

function writeReport(
  files: readonly TypesFile[],
  count: string,
  { check }: Options,
  { out, cwd }: Shell,
): void {
  for (const { path, isChanged } of files) {
    const isStale = check === true && isChanged;
    const sign = isStale ? out.paint("red", "✖") : out.paint("green", "✔");
    const change = isStale ? "is out of date: toolmount types writes it" : "written";
    const what = isChanged ? change : "unchanged";
    out.line(`${sign} ${printable(shortPath(path, cwd))} ${out.paint("dim", what)}`);
  }
  out.line(out.paint("dim", count));
}
