import type { Command } from "commander";
import { addExamples, jsonOption, planArgument } from "../../options/common.ts";
import { readJsonObject } from "../../options/json-option.ts";
import { reportEdit } from "../../render/edit.ts";
import type { Shell } from "../../process/shell.ts";

interface Options {
  readonly json?: true;
  readonly id?: string;
  readonly source?: string;
  readonly prefix?: string;
  readonly config?: string;
  readonly optional?: true;
  readonly hooks?: true;
}

/** `toolmount add <module> [plan]`: an entry more, the rest of the file as it was. */
export function define(command: Command, shell: Shell): void {
  command
    .argument("<module>", "a package's name, whole or short, or a path")
    .argument("[plan]", planArgument)
    .option("--id <id>", "what the entry is called; its module, if not given")
    .option("--source <source>", "where the module is, such as npm:name@^1")
    .option("--prefix <prefix>", "put before the names of its tools")
    .option("--config <json>", "its config")
    .option("--optional", "the plan opens without it")
    .option("--hooks", "add to hooks instead of tools")
    .option(...jsonOption)
    .action(async (module: string, plan: string | undefined, options: Options) => {
      const { addEntries } = await import("@toolmount/loader/commands");
      const { id, source, prefix, config, optional, hooks } = options;
      const required = optional === true ? false : undefined;
      const entry = { module, id, source, required, prefix, config: readJsonObject("--config", config) };
      const section = hooks === true ? "hooks" : "tools";
      reportEdit(await addEntries(plan, [entry], { cwd: shell.cwd, section }), shell, options.json === true);
    });
  addExamples(command, [
    'toolmount add filesystem --config \'{"working_dir":"."}\'',
    "toolmount add @acme/weather plan.yaml --prefix acme_",
  ]);
}
