import type { PackageAge } from "../../install/find-outdated.ts";
import type { Command } from "commander";
import { loaderOptions } from "../../host/loader-options.ts";
import { addExamples, jsonOption, planArgument } from "../../options/common.ts";
import { addPlanOptions, type PlanOptions } from "../../options/plan-options.ts";
import { countOf } from "../../screen/count.ts";
import { printable } from "../../screen/printable.ts";
import { writeTable, type Column } from "../../screen/table.ts";
import type { Shell } from "../../process/shell.ts";
import { withStatus } from "../../process/with-status.ts";
import { exitCodes, type ExitCode } from "../../process/exit-codes.ts";

interface Options extends PlanOptions {
  readonly json?: true;
}

/** `toolmount doctor updates [plan]`: shows the packages and repositories of a plan that have a newer version. */
export function define(command: Command, shell: Shell): void {
  addPlanOptions(command)
    .argument("[plan]", planArgument)
    .option(...jsonOption)
    .action(async (plan: string | undefined, options: Options) => {
      shell.end(await outdated(plan, options, shell));
    });
  addExamples(command, [
    "toolmount doctor updates",
    "toolmount doctor updates mount-plans/coding.yaml --json",
  ]);
}

/** Fails if a package is outdated, or if its newest version could not be found, so that a script notices. */
async function outdated(plan: string | undefined, options: Options, shell: Shell): Promise<ExitCode> {
  const { filterOutdated, findOutdated } = await import("../../install/find-outdated.ts");
  const packages = await withStatus(shell, "asking for newer versions", (inner) =>
    findOutdated(plan, loaderOptions(options, inner)),
  );
  const old = await filterOutdated(packages);
  const unknown = packages.filter(({ problem }) => problem !== undefined);
  if (options.json === true) shell.out.json({ packages: packages.length, outdated: old, unknown });
  else writeReport(packages.length, old, unknown, shell);
  return old.length + unknown.length === 0 ? exitCodes.done : exitCodes.failed;
}

function writeReport(
  count: number,
  old: readonly PackageAge[],
  unknown: readonly PackageAge[],
  { out }: Shell,
): void {
  const columns: Column<PackageAge>[] = [
    { title: "package", cell: ({ name }) => out.paint("bold", printable(name)) },
    { title: "installed", cell: ({ installed }) => shortVersion(installed) },
    { title: "wanted", cell: ({ wanted }) => out.paint("green", shortVersion(wanted)) },
    { title: "latest", cell: ({ latest }) => out.paint("yellow", shortVersion(latest)) },
    { title: "entries", cell: ({ entries }) => printable(entries.join(", ")) },
  ];
  if (old.length > 0) {
    writeTable(out, columns, old);
    out.line();
    out.line("fetch what the plan allows: toolmount install --update; what is in package.json: npm update");
  }
  for (const { name, problem = "" } of unknown)
    out.line(
      `${out.paint("yellow", "?")} ${printable(name)} ${out.paint("dim", printable(problem.split("\n")[0]!))}`,
    );
  if (old.length + unknown.length === 0)
    out.line(
      `${out.paint("green", "✔")} ${countOf(count, "package")}${count === 1 ? " is" : " are"} up to date`,
    );
}

/** Returns a version as text; of the id of a commit, the first 12 characters. */
function shortVersion(version: string | undefined): string {
  if (version === undefined) return "–";
  return printable(/^[0-9a-f]{40,64}$/.test(version) ? version.slice(0, 12) : version);
}
