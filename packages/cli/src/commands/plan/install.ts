import type { Command } from "commander";
import { countOf } from "../../screen/count.ts";
import { addExamples, jsonOption, planArgument } from "../../options/common.ts";
import { loaderOptions } from "../../host/loader-options.ts";
import { addPlanOptions, type PlanOptions } from "../../options/plan-options.ts";
import { printable } from "../../screen/printable.ts";
import { shortPath } from "../../render/problems.ts";
import type { Shell } from "../../process/shell.ts";
import { withStatus } from "../../process/with-status.ts";
import { exitCodes, type ExitCode } from "../../process/exit-codes.ts";

interface Options extends PlanOptions {
  readonly json?: true;
  readonly update?: true;
}

/** `toolmount install [plan]`: fetches the packages that the plan names by version or repository. */
export function define(command: Command, shell: Shell): void {
  addPlanOptions(command)
    .argument("[plan]", planArgument)
    .option("--update", "fetch again what is there already")
    .option(...jsonOption)
    .action(async (plan: string | undefined, options: Options) => {
      shell.end(await install(plan, options, shell));
    });
  addExamples(command, ["toolmount install mount-plans/mine.yaml", "toolmount install --update"]);
}

async function install(plan: string | undefined, options: Options, shell: Shell): Promise<ExitCode> {
  const { installSources } = await import("../../install/install-sources.ts");
  const report = await withStatus(shell, "fetching packages", (inner) =>
    installSources(plan, { ...loaderOptions(options, inner), update: options.update }),
  );
  const { out } = shell;
  if (options.json === true) out.json(report);
  else {
    for (const { source, name, version, commit } of report.sources) {
      const from = commit === undefined ? "" : ` at ${commit.slice(0, 12)}`;
      out.line(
        `  ${printable(source)}  ${out.paint("dim", printable(`${name ?? "?"} ${version ?? "?"}${from}`))}`,
      );
    }
    for (const { source, problem } of report.missing)
      out.line(
        out.paint("yellow", `  ⚠ ${printable(`${source} is not installed, and not required: ${problem}`)}`),
      );
    const folder = printable(shortPath(report.folder, shell.cwd));
    out.line(
      `${out.paint("green", "✔")} ${countOf(report.sources, "source")}${report.sources.length === 0 ? " to fetch" : ` in ${folder}`}`,
    );
  }
  return exitCodes.done;
}
