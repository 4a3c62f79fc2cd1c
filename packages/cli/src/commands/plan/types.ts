import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
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

/** `toolmount types [plan]`: the tools of a plan as TypeScript: their types, and a client with one method a tool. */
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
  const files = {
    "toolmount-tools.d.ts": await renderTypes(tools),
    "toolmount-client.ts": renderClient(tools),
  };
  const paths = Object.keys(files).map((name) => join(folder, name));
  const texts = Object.values(files);
  const before = await Promise.all(paths.map((path) => readFile(path, "utf8").catch(() => undefined)));
  const changed = paths.filter((_, at) => before[at] !== texts[at]);
  if (options.check !== true) {
    await mkdir(folder, { recursive: true });
    await Promise.all(paths.map((path, at) => writeFile(path, texts[at]!)));
  }
  const isStale = options.check === true && changed.length > 0;
  if (options.json === true) shell.out.json({ files: paths, changed, tools: tools.length });
  else writeReport({ paths, changed, count: countOf(tools, "tool") }, options, shell);
  return isStale ? exitCodes.failed : exitCodes.done;
}

interface Report {
  readonly paths: readonly string[];
  readonly changed: readonly string[];
  /** Of the tools. */
  readonly count: string;
}

function writeReport({ paths, changed, count }: Report, { check }: Options, { out, cwd }: Shell): void {
  for (const path of paths) {
    const isNew = changed.includes(path);
    const sign = check === true && isNew ? out.paint("red", "✖") : out.paint("green", "✔");
    const what = isNew
      ? check === true
        ? "is out of date: toolmount types writes it"
        : "written"
      : "unchanged";
    out.line(`${sign} ${printable(shortPath(path, cwd))} ${out.paint("dim", what)}`);
  }
  out.line(out.paint("dim", count));
}
