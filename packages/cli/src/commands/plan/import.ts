import { readFile, writeFile } from "node:fs/promises";
import { basename, dirname, resolve } from "node:path";
import { isToolmountError, ToolmountError } from "@toolmount/core";
import type { Command } from "commander";
import { addExamples, jsonOption, planArgument } from "../../options/common.ts";
import { printable } from "../../screen/printable.ts";
import { reportEdit } from "../../render/edit.ts";
import type { Shell } from "../../process/shell.ts";

/** `toolmount import <list> [plan]`: the MCP servers that another application lists, as entries of a plan, new or not. */
export function define(command: Command, shell: Shell): void {
  command
    .argument("<list>", "the file in which Claude Desktop, Cursor or VS Code lists MCP servers")
    .argument("[plan]", planArgument)
    .option(...jsonOption)
    .action(async (list: string, plan: string | undefined, { json }: { readonly json?: true }) => {
      await importServers(list, plan, json === true, shell);
    });
  addExamples(command, [
    "toolmount import .vscode/mcp.json",
    "toolmount import ~/.cursor/mcp.json mount-plan.yaml",
  ]);
}

async function importServers(
  list: string,
  plan: string | undefined,
  json: boolean,
  shell: Shell,
): Promise<void> {
  const { addEntries, readServerList } = await import("@toolmount/loader/commands");
  const { entries, variables } = await readServerList(await readList(resolve(shell.cwd, list)));
  const report = await addEntries(plan, entries, { cwd: shell.cwd }).catch(async (error: unknown) => {
    if (!isToolmountError(error) || error.code !== "PLAN_NOT_FOUND") throw error;
    return addEntries(await writeNewPlan(plan, shell), entries, { cwd: shell.cwd });
  });
  const asked = variables.filter(({ because }) =>
    report.added.some((id) => because === id || because.startsWith(`${id}, `)),
  );
  reportEdit(report, shell, json, { variables: asked });
  if (json) return;
  for (const { name, because } of asked)
    shell.out.line(
      `  ${shell.out.paint("yellow", "set")} ${printable(name)} ${shell.out.paint("dim", `(${printable(because)})`)}`,
    );
}

/** A list of servers is enough to begin with: where there is no plan, one is written. */
async function writeNewPlan(plan: string | undefined, { cwd }: Shell): Promise<string> {
  const file = resolve(cwd, plan ?? "mount-plan.yaml");
  const name = basename(dirname(file));
  await writeFile(file, `version: 1\nname: ${JSON.stringify(name.slice(0, 200))}\n`, { flag: "wx" });
  return file;
}

async function readList(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (cause) {
    throw new ToolmountError("USAGE_INVALID", { problem: `${path} cannot be read` }, { cause });
  }
}
