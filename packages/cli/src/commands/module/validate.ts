import type { CheckReport, CheckStep, Finding } from "@toolmount/testing";
import type { ValidateRequest } from "../../trial/validate-process.ts";
import { type Command, Option } from "commander";
import { countOf } from "../../screen/count.ts";
import { addExamples, jsonOption } from "../../options/common.ts";
import { readJsonObject } from "../../options/json-option.ts";
import { printable } from "../../screen/printable.ts";
import type { Shell } from "../../process/shell.ts";
import { exitCodes, type ExitCode } from "../../process/exit-codes.ts";

interface Options {
  readonly type: string;
  readonly profile?: readonly string[];
  readonly config?: string;
  readonly sideEffects?: true;
  readonly json?: true;
}

/**
 * The values of `--profile`. The rules of `core` always apply. Without the option, the profiles that fit the module's tools
 * apply, too.
 */
const profileNames = ["core", "aptix", "amplifier", "forge"];

/** `toolmount package validate <path>`: checks a tool module against the contract. */
export function define(command: Command, shell: Shell): void {
  command
    .argument("<path>", "the package's folder, or the module's file")
    .addOption(new Option("--type <type>", "what the module is").choices(["tool"]).default("tool"))
    .addOption(
      new Option("--profile <name...>", "apply only the rules of these contracts, and of core").choices(
        profileNames,
      ),
    )
    .option("--config <json>", "the config of the module, when it does not mount without one")
    .option("--side-effects", "also call tools that write, delete or act, with {} and junk")
    .option(...jsonOption)
    .action(async (path: string, options: Options) => {
      shell.end(await validate(path, options, shell));
    });
  addExamples(command, [
    "toolmount package validate tools/hello-world",
    "toolmount package validate . --type tool --json",
  ]);
}

async function validate(path: string, options: Options, shell: Shell): Promise<ExitCode> {
  const { profile, config, sideEffects = false } = options;
  const asked = {
    path,
    cwd: shell.cwd,
    profile,
    config: readJsonObject("--config", config) ?? {},
    sideEffects,
  };
  const report = await shell.interruptible(({ signal }) => validateInProcess(asked, signal));
  if (options.json === true) shell.out.json(report);
  else writeReport(report, shell);
  return report.passed ? exitCodes.done : exitCodes.failed;
}

/** Validates a module in a separate process. If that process crashes or hangs, this becomes a finding of the report. */
async function validateInProcess(request: ValidateRequest, signal: AbortSignal): Promise<CheckReport> {
  const [{ runTrial }, { addExternalFindings }] = await Promise.all([
    import("../../trial/run-trial.ts"),
    import("@toolmount/testing"),
  ]);
  const first: CheckStep = { during: "import" };
  const result = await runTrial<CheckReport, CheckStep>("validate-process", request, first, signal);
  return result.kind === "report" ? result.report : addExternalFindings(null, [result.incident]);
}

function writeReport(report: CheckReport, { out }: Shell): void {
  for (const { profile, passed, findings, checks } of report.verdicts) {
    const mark = passed ? out.paint("green", "✔") : out.paint("red", "✖");
    out.line(`${mark} ${profile}: ${countOf(checks, "check")}, ${passed ? "compliant" : "not compliant"}`);
    for (const finding of findings) writeFinding(finding, out);
  }
  const { checks, errors, warnings, tools } = report;
  const names =
    tools.length === 0 ? "no tool" : tools.map((name) => printable(name) || "(without a name)").join(", ");
  out.line(
    out.paint(
      "dim",
      `${names}: ${countOf(checks, "check")}, ${countOf(errors, "error")}, ${countOf(warnings, "warning")}`,
    ),
  );
}

function writeFinding({ rule, severity, where, problem, why, fix }: Finding, out: Shell["out"]): void {
  const paint = severity === "error" ? "red" : "yellow";
  out.line(`  ${out.paint(paint, severity)} ${out.paint("bold", rule)} at ${printable(where)}`);
  out.line(`    ${printable(problem.replaceAll("\n", " "))}`);
  out.line(`    ${out.paint("dim", "why:")} ${why}`);
  out.line(`    ${out.paint("cyan", "hint:")} ${fix}`);
}
