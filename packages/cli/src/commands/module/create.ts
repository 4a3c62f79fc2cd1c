import { readdir } from "node:fs/promises";
import { resolve } from "node:path";
import { ToolmountError } from "@toolmount/core";
import { Argument, type Command } from "commander";
import { addExamples, jsonOption } from "../../options/common.ts";
import { printable } from "../../screen/printable.ts";
import { shortPath } from "../../render/problems.ts";
import { nameTool, type ToolNames } from "../../scaffold/names.ts";
import { writeFiles } from "../../scaffold/write-files.ts";
import type { Shell } from "../../process/shell.ts";
import { exitCodes, type ExitCode } from "../../process/exit-codes.ts";
import { readRanges } from "../../scaffold/ranges.ts";
import { renderTemplates, type TemplateFiles } from "../../scaffold/templates.ts";

interface Options {
  readonly json?: true;
  readonly name?: string;
}

/** `toolmount package create tool <name> [folder]`: creates a package with one tool, which passes every check. */
export function define(command: Command, shell: Shell): void {
  command
    .addArgument(new Argument("<kind>", "what to create").choices(["tool"]))
    .argument("<name>", "the subject of the tool, in lower case: weather, send-mail")
    .argument("[folder]", "the folder to create it in; default: a new folder of that name")
    .option("--name <name>", "the name of the package; default: toolmount-tool-<name>")
    .option(...jsonOption)
    .action(async (_kind: string, name: string, folder: string | undefined, options: Options) => {
      shell.end(await create(name, folder, options, shell));
    });
  addExamples(command, [
    "toolmount package create tool weather",
    "toolmount package create tool send-mail --name @acme/mail-tool",
  ]);
}

async function create(
  name: string,
  given: string | undefined,
  options: Options,
  { cwd, out }: Shell,
): Promise<ExitCode> {
  const names = nameTool(name, options.name);
  const folder = resolve(cwd, given ?? names.id);
  await requireEmpty(folder);
  const files = await renderToolPackage(names);
  await writeFiles(folder, files);
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
      problem: `the folder ${folder} is not empty; name another folder`,
    });
}

function nextSteps(names: ToolNames, folder: string): string {
  return [
    "",
    `  cd ${printable(folder)}`,
    "  npm install",
    "  npm test                 # builds it, runs its tests, checks its manifest",
    "  npm publish",
    "",
    `A plan beside which the package is installed mounts it with: module: ${names.module}`,
  ].join("\n");
}

/**
 * Returns the range from the current release upward, without an upper limit. Whether a host mounts the package depends on the
 * contract that the package declares.
 */
function peerRange(core: string): string {
  return core.replace(/^\^/, ">=");
}

async function renderToolPackage(names: ToolNames): Promise<TemplateFiles> {
  const { id, tool, type, words, module } = names;
  const known = await readRanges();
  const ranges = Object.entries(known).map(([name, range]) => [`range:${name}`, range]);
  return renderTemplates("tool", {
    id,
    package: names.package,
    tool,
    Type: type,
    type: `${type[0]!.toLowerCase()}${type.slice(1)}`,
    words,
    module,
    peer: peerRange(known["@toolmount/core"]!),
    ...Object.fromEntries(ranges),
  });
}
