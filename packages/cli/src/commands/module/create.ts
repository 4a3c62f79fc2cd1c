import { mkdir, readdir, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { ToolmountError } from "@toolmount/core";
import { Argument, type Command } from "commander";
import { addExamples, jsonOption } from "../../options/common.ts";
import { printable } from "../../screen/printable.ts";
import { shortPath } from "../../render/problems.ts";
import { nameTool, readRanges, type ToolNames } from "../../scaffold/names.ts";
import { moduleName } from "../../scaffold/readme.ts";
import { toolFiles } from "../../scaffold/tool-files.ts";
import { exitCodes, type ExitCode, type Shell } from "../../process/shell.ts";

interface Options {
  readonly json?: true;
  readonly package?: string;
}

/** `toolmount create tool <name> [folder]`: a package of one tool, which passes every check as it is. */
export function define(command: Command, shell: Shell): void {
  command
    .addArgument(new Argument("<kind>", "what to make").choices(["tool"]))
    .argument("<name>", "what it is about, in lower case: weather, send-mail")
    .argument("[folder]", "where to make it; default a new folder of that name")
    .option("--package <name>", "the package's name; default toolmount-tool-<name>")
    .option(...jsonOption)
    .action(async (_kind: string, name: string, folder: string | undefined, options: Options) => {
      shell.end(await create(name, folder, options, shell));
    });
  addExamples(command, [
    "toolmount create tool weather",
    "toolmount create tool send-mail --package @acme/mail-tool",
  ]);
}

async function create(
  name: string,
  given: string | undefined,
  options: Options,
  { cwd, out }: Shell,
): Promise<ExitCode> {
  const names = nameTool(name, options.package);
  const folder = resolve(cwd, given ?? names.id);
  await requireEmpty(folder);
  const files = toolFiles(names, await readRanges());
  for (const [path, text] of Object.entries(files)) await write(join(folder, path), text);
  if (options.json === true) out.json({ folder, ...names, files: Object.keys(files) });
  else {
    out.line(`${out.paint("green", "✔")} ${printable(shortPath(folder, cwd))}: package ${names.package}`);
    out.line(nextSteps(names, shortPath(folder, cwd)));
  }
  return exitCodes.done;
}

async function requireEmpty(folder: string): Promise<void> {
  const there = await readdir(folder).catch((error: NodeJS.ErrnoException) =>
    error.code === "ENOENT" ? [] : Promise.reject(error),
  );
  if (there.length > 0)
    throw new ToolmountError("USAGE_INVALID", {
      problem: `the folder ${folder} is not empty; name another one`,
    });
}

async function write(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}

function nextSteps(names: ToolNames, folder: string): string {
  return [
    "",
    `  cd ${printable(folder)}`,
    "  npm install",
    "  npm test                 # its tests, and all that a tool module owes",
    "  npm publish              # builds it first",
    "",
    `Installed where a plan is, it is mounted by its short name: module: ${moduleName(names)}`,
  ].join("\n");
}
