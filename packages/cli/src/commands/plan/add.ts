import { basename } from "node:path";
import { ToolmountError } from "@toolmount/core";
import type { Problem } from "@toolmount/loader";
import type { EditedSection, NewEntry } from "@toolmount/loader/commands";
import type { EditReport } from "../../edit/edit-plan.ts";
import type { Command } from "commander";
import { loaderOptions } from "../../host/loader-options.ts";
import { addExamples, jsonOption, planArgument } from "../../options/common.ts";
import { readJsonObject } from "../../options/json-option.ts";
import { reportEdit } from "../../render/edit.ts";
import type { Shell } from "../../process/shell.ts";
import { printable } from "../../screen/printable.ts";
import type { TryReport, TryRequest } from "../../trial/mount-process.ts";

interface Options {
  readonly json?: true;
  readonly id?: string;
  readonly source?: string;
  readonly prefix?: string;
  readonly export?: readonly string[];
  readonly config?: string;
  readonly optional?: true;
  readonly hooks?: true;
}

/**
 * `toolmount add <module> [plan]`: adds an entry if its module can be mounted, and leaves the rest of the file as it
 * was.
 */
export function define(command: Command, shell: Shell): void {
  command
    .argument("<module>", "a package's name, whole or short, or a path")
    .argument("[plan]", planArgument)
    .option("--id <id>", "what the entry is called; its module, if not given")
    .option("--source <source>", "where the module is, such as npm:name@^1")
    .option("--prefix <prefix>", "put before the names of its tools")
    .option(
      "--export <names...>",
      "of a package of another library: the exports that are, or make, its tools",
    )
    .option("--config <json>", "its config")
    .option("--optional", "the plan opens without it")
    .option("--hooks", "add to hooks instead of tools")
    .option(...jsonOption)
    .action(async (module: string, plan: string | undefined, options: Options) => {
      await add(module, plan, options, shell);
    });
  addExamples(command, [
    'toolmount add filesystem --config \'{"working_dir":"."}\'',
    "toolmount add @acme/weather plan.yaml --prefix acme_",
    "toolmount add @tavily/ai-sdk --export tavilySearch",
  ]);
}

async function add(module: string, plan: string | undefined, options: Options, shell: Shell): Promise<void> {
  const { json, id, source, prefix, config, optional, hooks, export: exported } = options;
  const { addEntries } = await import("../../edit/edit-plan.ts");
  const required = optional === true ? false : undefined;
  const own = { export: exported, required, prefix, config: readJsonObject("--config", config) };
  const entry = { module, id, source, ...own };
  const tools: TryReport["tools"][number][] = [];
  const section = hooks === true ? "hooks" : "tools";
  const check = (entries: readonly NewEntry[], folder: string) =>
    findProblems(entries, { section, folder, shell, tools });
  const report = await addEntries(plan, [entry], { cwd: shell.cwd, section, check });
  const settings = Object.entries({ source, export: exported, required, prefix, config }).filter(
    ([, value]) => value !== undefined,
  );
  if (report.kept.length > 0 && settings.length > 0) throw nameTaken(report, settings[0]![0]);
  reportEdit(report, shell, json === true, tools.length === 0 ? {} : { tools });
  if (json !== true) for (const tool of tools) writeTool(tool, shell);
}

function writeTool({ name, asks }: TryReport["tools"][number], { out }: Shell): void {
  const when = asks === "dynamic" ? "asks, by its arguments" : asks ? "asks" : "does not ask";
  out.line(`  ${printable(name)}  ${out.paint("dim", when)}`);
}

/** Options for an entry that is there already would be lost without a word. */
function nameTaken({ file, kept: [id = ""] }: EditReport, option: string): ToolmountError {
  const says = option === "required" ? "optional" : option;
  const problem = `${basename(file)} has an entry "${id}" already, and --${says} does not change it; name the new entry with --id, or edit the file`;
  return new ToolmountError("PLAN_VALUE_INVALID", { problem });
}

interface Attempt {
  readonly section: EditedSection;
  readonly folder: string;
  readonly shell: Shell;
  /** Gets what the trial shows. */
  readonly tools: TryReport["tools"][number][];
}

/** Why new entries cannot be mounted. A module without a manifest is imported, in its own process. */
async function findProblems(
  entries: readonly NewEntry[],
  { section, folder, shell, tools }: Attempt,
): Promise<readonly Problem[]> {
  const { tryEntries } = await import("@toolmount/loader/commands");
  const options = { ...loaderOptions({}, shell), cwd: folder, section };
  const { problems, unknown } = await tryEntries(entries, { ...options, load: false });
  if (problems.length > 0 || unknown.length === 0) return problems.map(withoutPath);
  const { runTrial } = await import("../../trial/run-trial.ts");
  const request: TryRequest = { entries, section, cwd: folder, verbosity: shell.settings.verbosity };
  const tried = await shell.interruptible(({ signal }) =>
    runTrial<TryReport, Step>("mount-process", request, { during: "import" }, signal),
  );
  if (tried.kind === "report") {
    tools.push(...tried.report.tools);
    return tried.report.problems.map(withoutPath);
  }
  const message = `${unknown.join(", ")} cannot be added; when it is imported, ${tried.incident.problem}`;
  return [{ code: "MODULE_IMPORT_FAILED", message }];
}

/** The plan has no such line yet. */
function withoutPath({ path: _, ...problem }: Problem): Problem {
  return problem;
}

interface Step {
  readonly during: "import";
}
