import { readFile, writeFile } from "node:fs/promises";
import { basename, dirname, resolve } from "node:path";
import { isToolmountError, ToolmountError } from "@toolmount/core";
import type { EditReport, PermissionRules } from "@toolmount/loader/commands";
import type { Command } from "commander";
import { addExamples, jsonOption, planArgument } from "../../options/common.ts";
import { printable } from "../../screen/printable.ts";
import { reportEdit } from "../../render/edit.ts";
import type { Shell } from "../../process/shell.ts";

/** `toolmount import <list> [plan]`: the MCP servers and permission rules of another application, in a plan, new or not. */
export function define(command: Command, shell: Shell): void {
  command
    .argument(
      "<list>",
      "the file in which Claude Desktop, Cursor or VS Code lists MCP servers, or the settings of Claude Code",
    )
    .argument("[plan]", planArgument)
    .option(...jsonOption)
    .action(async (list: string, plan: string | undefined, { json }: { readonly json?: true }) => {
      await importSettings(list, plan, json === true, shell);
    });
  addExamples(command, [
    "toolmount import .vscode/mcp.json",
    "toolmount import ~/.cursor/mcp.json mount-plan.yaml",
    "toolmount import .claude/settings.json",
  ]);
}

async function importSettings(
  list: string,
  plan: string | undefined,
  json: boolean,
  shell: Shell,
): Promise<void> {
  const { parseSettings, readPermissions } = await import("@toolmount/loader/commands");
  const text = await readList(resolve(shell.cwd, list));
  const settings = await parseSettings(text);
  const rules = readPermissions(settings);
  if (rules === undefined) return importServers(text, plan, json, shell);
  await importRules(rules, plan, json, shell);
}

/** Adds permission rules to the policy of a plan. */
async function importRules(
  { lists, left }: PermissionRules,
  plan: string | undefined,
  json: boolean,
  shell: Shell,
): Promise<void> {
  const { addPolicyRules } = await import("@toolmount/loader/commands");
  const report = await addToPlan(plan, shell, (file) =>
    addPolicyRules(file, { ...lists }, { cwd: shell.cwd }),
  );
  reportEdit(report, shell, json, { left });
  if (json) return;
  for (const { rule, because } of left)
    shell.out.line(
      `  ${shell.out.paint("yellow", "left out")} ${printable(rule)} ${shell.out.paint("dim", `(${because})`)}`,
    );
  if (report.added.length > 0)
    shell.out.line(
      "  check that each rule fits a tool of the plan: toolmount check; try one: toolmount why <tool>",
    );
}

async function importServers(
  text: string,
  plan: string | undefined,
  json: boolean,
  shell: Shell,
): Promise<void> {
  const { addEntries, readServerList } = await import("@toolmount/loader/commands");
  const { entries, variables } = await readServerList(text);
  const report = await addToPlan(plan, shell, (file) => addEntries(file, entries, { cwd: shell.cwd }));
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

/** Edits a plan. Without a plan it first writes one. */
function addToPlan(
  plan: string | undefined,
  shell: Shell,
  edit: (plan: string | undefined) => Promise<EditReport>,
): Promise<EditReport> {
  return edit(plan).catch(async (error: unknown) => {
    if (!isToolmountError(error) || error.code !== "PLAN_NOT_FOUND") throw error;
    return edit(await writeNewPlan(plan, shell));
  });
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
