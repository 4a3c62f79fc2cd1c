import { existsSync } from "node:fs";
import { appendFile, readFile } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { isToolmountError, ToolmountError } from "@toolmount/core";
import type { Command } from "commander";
import { workPlace } from "../../host/machine.ts";
import { addExamples, jsonOption } from "../../options/common.ts";
import type { Shell } from "../../process/shell.ts";
import { exitCodes, type ExitCode } from "../../process/exit-codes.ts";
import { interruption } from "../../process/signals.ts";
import { importFile, knownSettings } from "../../scaffold/import-file.ts";
import {
  repositoryAround,
  renderInit,
  runIn,
  toolPackagesOf,
  type InitAnswers,
} from "../../scaffold/init-files.ts";
import type { TemplateFiles } from "../../scaffold/templates.ts";
import { writeFiles } from "../../scaffold/write-files.ts";
import { quoted } from "../../render/next-commands.ts";
import { shortPath } from "../../render/problems.ts";
import { printable } from "../../screen/printable.ts";

interface Options {
  readonly json?: true;
  readonly yes?: true;
}

/** `toolmount init [folder]`: writes a plan, a first tool and the files that they need. */
export function define(command: Command, shell: Shell): void {
  command
    .argument("[folder]", "the folder of the plan; default: this one")
    .option("-y, --yes", "ask nothing, and write a plan with a first tool")
    .option(...jsonOption)
    .action(async (folder: string | undefined, options: Options) => {
      shell.end(await init(folder, options, shell));
    });
  addExamples(command, ["toolmount init --yes", "toolmount init my-tools"]);
}

async function init(given: string | undefined, options: Options, shell: Shell): Promise<ExitCode> {
  const folder = resolve(shell.cwd, given ?? ".");
  await refuseSecondPlan(folder);
  const found = knownSettings.filter((path) => existsSync(join(folder, path)));
  const name = basename(folder);
  const defaults: Answers = {
    name,
    firstTool: true,
    files: false,
    work: "no",
    imports: false,
    git: false,
    install: false,
  };
  const asks = options.yes !== true && options.json !== true && shell.terminal !== undefined;
  const answers = asks
    ? await askPerson(defaults, { found, folder, isNamed: given !== undefined }, shell, shell.terminal)
    : defaults;
  if (answers === null) return exitCodes.interrupted;
  const { written, kept } = await writeNew(folder, await renderInit(answers));
  const imports = answers.imports ? await importAll(found, folder) : [];
  const isImported = (path: string) => imports.some((one) => one.path === path && one.problem === undefined);
  const lists = found.filter((path) => !isImported(path));
  if (options.json !== true) writeFilesReport({ written, kept, imports }, shell);
  const isInstalled = await prepare(folder, answers, kept, shell);
  const next = nextCommands({ folder, answers, lists, kept, isInstalled }, shell.cwd);
  if (options.json === true) shell.out.json({ folder, written, kept, next });
  else writeNext(next, shell);
  return exitCodes.done;
}

/** Creates a git repository and installs packages, each if the person wants it. Resolves to whether packages were installed. */
async function prepare(
  folder: string,
  { git, install }: Answers,
  kept: readonly string[],
  shell: Shell,
): Promise<boolean> {
  if (git) await runIn(folder, ["git", "init", "--quiet"], shell.env);
  return install && !kept.includes("package.json") && (await runIn(folder, ["npm", "install"], shell.env));
}

interface Answers extends InitAnswers {
  /** Whether the files of other applications in the folder are imported. */
  readonly imports: boolean;
  /** Whether the folder becomes a git repository. */
  readonly git: boolean;
  /** Whether npm installs the packages. */
  readonly install: boolean;
}

/** A file of another application, with the entries that were added from it. `problem` says why it could not be imported. */
interface ImportedFile {
  readonly path: string;
  readonly added: readonly string[];
  /** Environment variables that the user must set, because their values do not belong in plans. */
  readonly variables: readonly { readonly name: string; readonly because: string }[];
  readonly problem?: string;
}

async function importAll(paths: readonly string[], folder: string): Promise<ImportedFile[]> {
  const done: ImportedFile[] = [];
  for (const path of paths)
    try {
      const imported = await importFile(path, undefined, folder);
      const variables = imported.kind === "servers" ? imported.variables : [];
      done.push({ path, added: imported.report.added, variables });
    } catch (error) {
      // The plan is written already, so a file that cannot be imported is reported and does not end the command.
      if (!isToolmountError(error)) throw error;
      done.push({ path, added: [], variables: [], problem: error.message });
    }
  return done;
}

async function refuseSecondPlan(folder: string): Promise<void> {
  const { planFileNames } = await import("@toolmount/loader/commands");
  const there = planFileNames.find((name) => existsSync(join(folder, name)));
  if (there !== undefined)
    throw new ToolmountError("USAGE_INVALID", {
      problem: `${join(folder, there)} exists already; toolmount add <module> adds to it`,
    });
}

interface Asked {
  /** Paths of the files of other applications in the folder. */
  readonly found: readonly string[];
  readonly folder: string;
  readonly isNamed: boolean;
}

async function askPerson(
  defaults: Answers,
  { found, folder, isNamed }: Asked,
  shell: Shell,
  terminal: NonNullable<Shell["terminal"]>,
): Promise<Answers | null> {
  const { confirm, isCancel, text } = await import("@clack/prompts");
  return shell.interruptible(async (controller) => {
    const common = { ...terminal, signal: controller.signal };
    const ask = async <Answer>(question: Promise<Answer>): Promise<Exclude<Answer, symbol>> => {
      const answer = await question;
      if (isCancel(answer)) throw new Left();
      return answer as Exclude<Answer, symbol>;
    };
    const agrees = (message: string, initialValue = true) =>
      ask(confirm({ ...common, message, initialValue }));
    try {
      // If the person named the folder, the plan gets the folder's name without a question.
      const name = isNamed
        ? defaults.name
        : await ask(text({ ...common, message: "Name of the plan?", initialValue: defaults.name }));
      const firstTool = await agrees("Write a first tool, to try and to change?");
      const works = await agrees("Let agents change files and run commands in this folder?", false);
      return {
        name: name.trim() || defaults.name,
        firstTool,
        work: works ? await workPlace(shell) : "no",
        files: works || (await agrees("Let tools read the files of this folder?", false)),
        imports: found.length > 0 && (await agrees(`Import ${found.join(" and ")}?`)),
        install: await agrees("Install the packages with npm now?"),
        git: repositoryAround(folder) === undefined && (await agrees("Make the folder a git repository?")),
      };
    } catch (error) {
      if (!(error instanceof Left)) throw error;
      controller.abort(interruption("SIGINT"));
      return null;
    }
  });
}

/** Thrown when the person ends the questions with Ctrl-C. */
class Left extends Error {}

interface Written {
  readonly written: readonly string[];
  /** Files that already existed. They are left as they are, except that `.gitignore` gets missing lines. */
  readonly kept: readonly string[];
}

/** Writes the files that do not exist yet. To an existing `.gitignore` it adds the missing lines. */
async function writeNew(folder: string, files: TemplateFiles): Promise<Written> {
  const paths = Object.keys(files);
  const kept = paths.filter((path) => existsSync(join(folder, path)));
  const written = paths.filter((path) => !kept.includes(path));
  await writeFiles(folder, Object.fromEntries(written.map((path) => [path, files[path]!])));
  if (kept.includes(".gitignore")) await addLines(join(folder, ".gitignore"), files[".gitignore"]!);
  return { written, kept };
}

async function addLines(file: string, wanted: string): Promise<void> {
  const text = await readFile(file, "utf8");
  const lines = text.split(/\r?\n/).map((line) => line.replace(/\/$/, ""));
  const missing = wanted
    .trim()
    .split("\n")
    .filter((line) => !lines.includes(line.replace(/\/$/, "")));
  if (missing.length === 0) return;
  await appendFile(file, `${text === "" || text.endsWith("\n") ? "" : "\n"}${missing.join("\n")}\n`);
}

interface Outcome {
  readonly folder: string;
  readonly answers: InitAnswers;
  readonly lists: readonly string[];
  readonly kept: readonly string[];
  readonly isInstalled: boolean;
}

function nextCommands({ folder, answers, lists, kept, isInstalled }: Outcome, cwd: string): string[] {
  const packages = ["toolmount", "@toolmount/core", "zod", ...toolPackagesOf(answers)];
  return [
    ...(folder === cwd ? [] : [`cd ${quoted(shortPath(folder, cwd))}`]),
    // A package.json that already existed does not list these packages, so the command names them.
    ...(isInstalled
      ? []
      : [kept.includes("package.json") ? `npm install ${packages.join(" ")}` : "npm install"]),
    "npx toolmount check",
    ...(answers.firstTool ? [`npx toolmount call count_words '{"text":"one two three"}'`] : []),
    ...lists.map((path) => `npx toolmount import ${path}`),
  ];
}

interface Report extends Written {
  readonly imports: readonly ImportedFile[];
}

function writeFilesReport({ written, kept, imports }: Report, { out, env }: Shell): void {
  for (const path of written) out.line(`${out.paint("green", "✔")} ${printable(path)}`);
  for (const path of kept) out.line(`${out.paint("yellow", "•")} ${printable(path)} exists already`);
  for (const { path, added, problem } of imports)
    if (problem === undefined)
      out.line(
        `${out.paint("green", "✔")} ${path}: ${added.length === 0 ? "nothing new" : printable(added.join(", "))}`,
      );
    else out.line(`${out.paint("yellow", "•")} ${path} is not imported: ${printable(problem)}`);
  for (const { name, because } of imports.flatMap(({ variables }) => variables))
    if (env[name] === undefined)
      out.line(
        `${out.paint("yellow", "•")} set the environment variable ${printable(name)} ${out.paint("dim", `(${printable(because)})`)}`,
      );
}

function writeNext(next: readonly string[], { out }: Shell): void {
  out.line("\nNext:");
  for (const command of next) out.line(`  ${out.paint("cyan", printable(command))}`);
}
