import type { BootEntry, EntryStatus, HostStatus } from "@toolmount/loader";
import type { Command } from "commander";
import { reportingOptions } from "../../host/loader-options.ts";
import { addExamples, jsonOption, planArgument } from "../../options/common.ts";
import { addPlanOptions, type PlanOptions } from "../../options/plan-options.ts";
import type { Shell } from "../../process/shell.ts";
import { exitCodes, type ExitCode } from "../../process/exit-codes.ts";
import { shortPath, writeProblems } from "../../render/problems.ts";
import { countModules } from "../../render/written-entries.ts";
import { printable } from "../../screen/printable.ts";
import type { Style } from "../../screen/screen.ts";
import { writeTable } from "../../screen/table.ts";

interface Options extends PlanOptions {
  readonly json?: true;
}

/**
 * `toolmount doctor status [plan]`: mounts the plan, and shows the state of each module; with `--verbose`, the time of each
 * step.
 */
export function define(command: Command, shell: Shell): void {
  addPlanOptions(command)
    .argument("[plan]", planArgument)
    .option(...jsonOption)
    .action(async (plan: string | undefined, options: Options) => {
      shell.end(await status(plan, options, shell));
    });
  addExamples(command, [
    "toolmount doctor status mount-plans/coding.yaml",
    "toolmount doctor status --verbose",
  ]);
}

async function status(plan: string | undefined, options: Options, shell: Shell): Promise<ExitCode> {
  const { openHost } = await import("@toolmount/loader");
  const host = await openHost(plan, reportingOptions(options, shell));
  const report = host.status();
  const isWhole = ["verbose", "debug"].includes(shell.settings.verbosity);
  const tree = isWhole ? host.bootTree() : undefined;
  await host.close();
  if (options.json === true) shell.out.json(tree === undefined ? report : { ...report, tree });
  else writeReport(report, tree, shell);
  const isBroken = report.entries.some(({ state }) => state === "failed" || state === "skipped");
  return isBroken ? exitCodes.failed : exitCodes.done;
}

const styles: Readonly<Record<EntryStatus["state"], Style>> = {
  mounted: "green",
  sleeping: "green",
  degraded: "yellow",
  failed: "red",
  skipped: "yellow",
};

function writeReport(
  { plan, entries }: HostStatus,
  tree: readonly BootEntry[] | undefined,
  shell: Shell,
): void {
  const { out, cwd } = shell;
  out.line(`${printable(shortPath(plan.file ?? "", cwd))}: ${countModules(entries)}`);
  if (tree === undefined) writeEntries(entries, shell);
  else writeTree(tree, shell);
}

function writeEntries(entries: readonly EntryStatus[], { out, cwd }: Shell): void {
  writeTable(
    out,
    [
      { title: "module", cell: ({ id }) => out.paint("bold", printable(id)) },
      { title: "state", cell: ({ state }) => out.paint(styles[state], state) },
      { title: "section", cell: ({ section }) => section },
      { title: "version", cell: ({ version }) => printable(version ?? "–") },
      { title: "tools", cell: ({ tools }) => (tools.length === 0 ? "–" : printable(tools.join(", "))) },
    ],
    entries,
  );
  const problems = entries.flatMap((entry) => entry.problems);
  if (problems.length > 0) out.line();
  writeProblems(out, problems, cwd);
}

function writeTree(tree: readonly BootEntry[], { out }: Shell): void {
  writeBranches(tree, "");
  function writeBranches(branches: readonly BootEntry[], before: string): void {
    for (const [index, { id, state, times, needs }] of branches.entries()) {
      const isLast = index === branches.length - 1;
      const steps = Object.entries(times).filter(([, ms]) => ms !== undefined);
      const total = steps.reduce((sum, [, ms]) => sum + (ms as number), 0);
      const facts = steps
        .map(([step, ms]) => `${step.replace(/Ms$/, "")} ${(ms as number).toFixed(1)}`)
        .join(", ");
      const name = out.paint(styles[state], printable(id));
      out.line(
        `${before}${isLast ? "└─" : "├─"} ${name} ${total.toFixed(1)} ms ${out.paint("dim", `(${facts})`)}`,
      );
      writeBranches(needs, `${before}${isLast ? "   " : "│  "}`);
    }
  }
}
