import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Command } from "commander";
import { rewriteText } from "@toolmount/paths";
import { loaderOptions } from "../../host/loader-options.ts";
import { describePlan, mergeDescription, type PublishOptions } from "../../scaffold/describe-plan.ts";
import { addExamples, jsonOption, planArgument } from "../../options/common.ts";
import { exitCodes } from "../../process/exit-codes.ts";
import type { Shell } from "../../process/shell.ts";
import { shortPath } from "../../render/problems.ts";
import { printable } from "../../screen/printable.ts";

interface Options extends PublishOptions {
  readonly json?: true;
}

/**
 * `toolmount package publish [plan]`: writes a `server.json`, the file with which a plan is listed in registries of MCP servers.
 */
export function define(command: Command, shell: Shell): void {
  command
    .argument("[plan]", planArgument)
    .option(
      "--name <name>",
      'the server\'s name, such as io.github.me/tools; default "mcpName" of package.json',
    )
    .option(
      "--public-url <url>",
      "where people and clients reach the server, such as https://tools.example.com",
    )
    .option("--sign-in", "with --public-url: clients sign in by themselves, and need no token")
    .option(...jsonOption)
    .action(async (plan: string | undefined, options: Options) => {
      await publish(plan ?? shell.settings.plan, options, shell);
    });
  addExamples(command, [
    "toolmount package publish --name io.github.acme/weather",
    "toolmount package publish --name com.example/tools --public-url https://tools.example.com --sign-in",
  ]);
}

async function publish(plan: string | undefined, options: Options, shell: Shell): Promise<void> {
  const { readEffectivePlan } = await import("@toolmount/loader/commands");
  const read = await readEffectivePlan(plan, loaderOptions({}, shell));
  const folder = dirname(read.files.at(-1) ?? join(shell.cwd, "plan"));
  const { server, todo } = await describePlan(read, folder, options);
  const file = join(folder, "server.json");
  const text = mergeDescription(existsSync(file) ? await readFile(file, "utf8") : undefined, server);
  if (text !== null) await rewriteText(file, () => text);
  const { out } = shell;
  if (options.json === true) out.json({ file, written: text !== null, server, todo });
  else {
    const done = text === null ? "is as it should be already" : `describes ${server.name} ${server.version}`;
    out.line(`${out.paint("green", "✔")} ${printable(`${shortPath(file, shell.cwd)} ${done}`)}`);
    for (const one of todo) out.line(`  ${out.paint("yellow", "•")} ${printable(one)}`);
  }
  shell.end(exitCodes.done);
}
