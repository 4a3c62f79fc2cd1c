import { rewriteText } from "@toolmount/paths";
import { isToolmountError, ToolmountError } from "@toolmount/core/errors";
import { canonicalJson } from "@toolmount/core/json";
import type { DescribedPackage } from "@toolmount/loader/commands";
import type { Command } from "commander";
import { countOf } from "../../screen/count.ts";
import { addExamples, jsonOption } from "../../options/common.ts";
import { readJsonObject } from "../../options/json-option.ts";
import { printable } from "../../screen/printable.ts";
import { shortPath } from "../../render/problems.ts";
import type { Shell } from "../../process/shell.ts";
import { exitCodes, type ExitCode } from "../../process/exit-codes.ts";

interface Options {
  readonly json?: true;
  readonly check?: true;
  readonly config?: string;
}

/** `toolmount package manifest <package>`: mounts the package, and writes its tools into its `package.json`. */
export function define(command: Command, shell: Shell): void {
  command
    .argument("<package>", "the package's folder")
    .option("--check", "change nothing; fail when the manifest differs from what the package mounts")
    .option("--config <json>", "the config of the package, when it does not mount without one")
    .option(...jsonOption)
    .action(async (folder: string, options: Options) => {
      shell.end(await manifest(folder, options, shell));
    });
  addExamples(command, [
    "toolmount package manifest tools/hello-world",
    "toolmount package manifest . --check",
  ]);
}

async function manifest(folder: string, { json, check, config }: Options, shell: Shell): Promise<ExitCode> {
  const { describePackage } = await import("@toolmount/loader/commands");
  const described = await describePackage(folder, {
    cwd: shell.cwd,
    config: readJsonObject("--config", config),
    adapters: async (coordinator) => (await import("@toolmount/interop/mount")).mount(coordinator, {}),
  }).catch(nameConfigOption);
  const same = canonicalJson(described.written["toolmount"] ?? null) === canonicalJson(described.manifest);
  const stale = check === true && !same;
  if (check !== true && !same) await write(described);
  if (json === true)
    shell.out.json({
      file: described.file,
      same,
      written: check !== true && !same,
      manifest: described.manifest,
    });
  else if (stale) reportStale(described, shell);
  else reportTrue(described, same ? "is true" : "is written", shell);
  return stale ? exitCodes.failed : exitCodes.done;
}

/** Throws the error again. An error about the config then also names the option that sets the config. */
function nameConfigOption(error: unknown): never {
  if (!isToolmountError(error) || error.code !== "CONFIG_INVALID") throw error;
  const { module, problem } = error.details as { readonly module: string; readonly problem: string };
  const fix = `${problem}; give the config with --config '{"key": "value"}'`;
  throw new ToolmountError("CONFIG_INVALID", { module, problem: fix }, { cause: error });
}

async function write({ file, written, manifest: toolmount }: DescribedPackage): Promise<void> {
  await rewriteText(file, (now) => {
    const current = now === null ? written : (JSON.parse(now.replace(/^\ufeff/, "")) as object);
    return `${JSON.stringify({ ...current, toolmount }, null, 2)}\n`;
  });
}

function reportTrue(
  { file, manifest: { tools = [] } }: DescribedPackage,
  state: string,
  { out, cwd }: Shell,
): void {
  const path = printable(shortPath(file, cwd));
  out.line(`${out.paint("green", "✔")} ${path}: the manifest ${state}, ${countOf(tools, "tool")}`);
}

function reportStale({ file }: DescribedPackage, { out, cwd }: Shell): void {
  out.line(
    `${out.paint("red", "✖")} ${printable(shortPath(file, cwd))}: the manifest differs from what the package mounts`,
  );
  out.line(`  ${out.paint("cyan", "hint:")} run the command without --check, and commit what it writes`);
}
