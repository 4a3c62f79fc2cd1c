import { ToolmountError, type JsonObject, type Profile } from "@toolmount/core";
import type { CheckReport, Finding } from "@toolmount/testing";
import { type Command, Option } from "commander";
import { countOf } from "../count.ts";
import { addExamples, jsonOption } from "../options.ts";
import { printable } from "../render/printable.ts";
import { exitCodes, type ExitCode, type Shell } from "../shell.ts";

interface Options {
  readonly type: string;
  readonly profile?: readonly string[];
  readonly config?: string;
  readonly sideEffects?: true;
  readonly json?: true;
}

/** The rules of the core are always asked; of these, the ones whose tools the module mounts. */
const profileNames = ["core", "aptix", "amplifier", "forge"];

/** `toolmount validate <path>`: whether a tool module keeps the contract. */
export function define(command: Command, shell: Shell): void {
  command
    .argument("<path>", "the package's folder, or the module's file")
    .addOption(new Option("--type <type>", "what the module is").choices(["tool"]).default("tool"))
    .addOption(
      new Option("--profile <name...>", "ask the rules of these contracts only, beside the core's").choices(
        profileNames,
      ),
    )
    .option("--config <json>", "a config that the module takes, when it does not mount without one")
    .option("--side-effects", "call tools that write, delete or act with {} and junk, too")
    .option(...jsonOption)
    .action(async (path: string, options: Options) => {
      shell.end(await validate(path, options, shell));
    });
  addExamples(command, [
    "toolmount validate tools/hello-world",
    "toolmount module validate . --type tool --json",
  ]);
}

async function validate(path: string, options: Options, shell: Shell): Promise<ExitCode> {
  const report = await withStdoutToStderr(() => check(path, options, shell.cwd));
  if (options.json === true) shell.out.json(report);
  else writeReport(report, shell);
  return report.passed ? exitCodes.done : exitCodes.failed;
}

/** What a module prints while it is tried is not the answer of this command: it goes to stderr. */
async function withStdoutToStderr<Value>(work: () => Promise<Value>): Promise<Value> {
  const write = process.stdout.write.bind(process.stdout);
  process.stdout.write = process.stderr.write.bind(process.stderr);
  try {
    return await work();
  } finally {
    process.stdout.write = write;
  }
}

async function check(
  path: string,
  { profile, config, sideEffects }: Options,
  cwd: string,
): Promise<CheckReport> {
  const { importPackage } = await import("@toolmount/loader");
  const { checkToolModule } = await import("@toolmount/testing");
  const interop = await import("@toolmount/interop");
  const profiles: readonly Profile[] = [interop.aptixProfile, interop.amplifierProfile, interop.forgeProfile];
  const found = await importOrFail(() => withinTime(path, importPackage(path, { cwd })));
  return checkToolModule(found.exports, {
    config: readConfig(config),
    profiles: profiles.filter(({ name }) => profile === undefined || profile.includes(name)),
    extensions: [interop],
    extensionUrls: [import.meta.resolve("@toolmount/interop")],
    sideEffects: sideEffects ?? false,
    ...(found.imported && {
      url: found.imported.url,
      manifest: found.imported.manifest,
      capabilities: { "session.working_dir": found.imported.folder },
    }),
  });
}

/** Longest that a module may take to be imported, in milliseconds. */
const importMs = 30_000;

/** A module that waits at its top level for what never comes is one that cannot be imported. */
async function withinTime<Value>(module: string, work: Promise<Value>): Promise<Value> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const problem = `its import did not come to an end within ${importMs} ms`;
  const late = new Promise<never>((_, reject) => {
    const give = () => reject(new ToolmountError("MODULE_IMPORT_FAILED", { module, problem }));
    timer = setTimeout(give, importMs);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

interface Found {
  readonly exports: Readonly<Record<string, unknown>> | (() => Promise<never>);
  readonly imported?: {
    readonly url: string;
    readonly folder: string;
    readonly manifest: Readonly<Record<string, unknown>> | null;
  };
}

/** A module that was found and cannot be imported is a finding; one that is not there is not. */
async function importOrFail(
  work: () => Promise<Found["imported"] & { exports: Readonly<Record<string, unknown>> }>,
): Promise<Found> {
  try {
    const imported = await work();
    return { exports: imported.exports, imported };
  } catch (error) {
    if (!(error instanceof ToolmountError) || error.code !== "MODULE_IMPORT_FAILED") throw error;
    return { exports: () => Promise.reject(error) };
  }
}

function readConfig(text: string | undefined): JsonObject {
  if (text === undefined) return {};
  try {
    return JSON.parse(text) as JsonObject;
  } catch (cause) {
    throw new ToolmountError(
      "USAGE_INVALID",
      { problem: `--config is not JSON: ${String(cause)}` },
      { cause },
    );
  }
}

function writeReport(report: CheckReport, { out }: Shell): void {
  for (const { profile, passed, findings, checks } of report.verdicts) {
    const mark = passed ? out.paint("green", "✔") : out.paint("red", "✖");
    out.line(`${mark} ${profile}: ${countOf(checks, "check")}, ${passed ? "compliant" : "not compliant"}`);
    for (const finding of findings) writeFinding(finding, out);
  }
  const { checks, errors, warnings, tools } = report;
  const told =
    tools.length === 0 ? "no tool" : tools.map((name) => printable(name) || "(without a name)").join(", ");
  out.line(
    out.paint(
      "dim",
      `${told}: ${countOf(checks, "check")}, ${countOf(errors, "error")}, ${countOf(warnings, "warning")}`,
    ),
  );
}

function writeFinding({ rule, severity, where, problem, why, mend }: Finding, out: Shell["out"]): void {
  const paint = severity === "error" ? "red" : "yellow";
  out.line(`  ${out.paint(paint, severity)} ${out.paint("bold", rule)} at ${printable(where)}`);
  out.line(`    ${printable(problem.replaceAll("\n", " "))}`);
  out.line(`    ${out.paint("dim", "why:")} ${why}`);
  out.line(`    ${out.paint("cyan", "hint:")} ${mend}`);
}
