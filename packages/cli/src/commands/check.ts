import type { EntryStatus, Problem } from "@toolmount/loader";
import type { Command } from "commander";
import { countOf, problemsOf } from "../failure.ts";
import { addExamples, jsonOption, planArgument } from "../options.ts";
import { printable } from "../render/printable.ts";
import { shortPath, writeProblems } from "../render/problems.ts";
import { exitCodes, type ExitCode, type Shell } from "../shell.ts";
import { createTerminalLogger } from "../terminal-logger.ts";

interface Options {
  readonly json?: true;
}

/** `toolmount check [plan]`: every problem of a plan at once. */
export function define(command: Command, shell: Shell): void {
  command
    .argument("[plan]", planArgument)
    .option(...jsonOption)
    .action(async (plan: string | undefined, { json }: Options) => {
      shell.end(await check(plan, json === true, shell));
    });
  addExamples(command, ["toolmount check mount-plans/coding.yaml"]);
}

async function check(plan: string | undefined, json: boolean, shell: Shell): Promise<ExitCode> {
  const report = await inspect(plan, shell);
  if (json) shell.out.json(report);
  else writeReport(report, shell);
  return report.ok ? exitCodes.done : exitCodes.planInvalid;
}

type Report =
  | {
      readonly ok: true;
      readonly plan: string | undefined;
      readonly modules: readonly EntryStatus[];
      readonly problems: readonly Problem[];
    }
  | { readonly ok: false; readonly problems: readonly Problem[] };

async function inspect(plan: string | undefined, shell: Shell): Promise<Report> {
  const { openHost } = await import("@toolmount/loader");
  try {
    const host = await openHost(plan, {
      env: shell.env,
      cwd: shell.cwd,
      logger: createTerminalLogger(shell.err),
    });
    const { entries } = host.status();
    await host.close();
    return {
      ok: true,
      plan: host.plan.file,
      modules: entries,
      problems: entries.flatMap(({ problems }) => problems),
    };
  } catch (error) {
    const problems = problemsOf(error);
    if (problems === undefined) throw error;
    return { ok: false, problems };
  }
}

function writeReport(report: Report, shell: Shell): void {
  const { out } = shell;
  writeProblems(out, report.problems, shell.cwd);
  if (!report.ok) return out.line(out.paint("red", `✖ ${countOf(report.problems, "problem")}`));
  const tools = report.modules.flatMap((module) => module.tools);
  const left = report.modules.filter(({ state }) => state === "failed" || state === "skipped");
  const file = printable(shortPath(report.plan ?? "", shell.cwd));
  out.line(
    `${out.paint("green", "✔")} ${file}: ${countOf(report.modules, "module")}, ${countOf(tools, "tool")}`,
  );
  if (left.length > 0)
    out.line(
      out.paint(
        "yellow",
        `  left out, since not required: ${left.map(({ id }) => printable(id)).join(", ")}`,
      ),
    );
}
