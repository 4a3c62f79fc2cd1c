import type { Command } from "commander";
import { addExamples, jsonOption, planArgument } from "../../options/common.ts";
import { importFile } from "../../scaffold/import-file.ts";
import { reportEdit, reportList } from "../../render/edit.ts";
import type { Shell } from "../../process/shell.ts";

/**
 * `toolmount import <list> [plan]`: adds the MCP servers and permission rules of another application to a new or existing plan.
 */
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
  const imported = await importFile(list, plan, shell.cwd);
  const { report } = imported;
  if (imported.kind === "servers") {
    const { variables, left } = imported;
    reportEdit(report, shell, json, { variables, left });
    if (json) return;
    reportList(left, variables, shell);
    return;
  }
  const { left } = imported;
  reportEdit(report, shell, json, { left });
  if (json) return;
  reportList(
    left.map(({ rule, because }) => ({ name: rule, because })),
    [],
    shell,
  );
  if (report.added.length > 0)
    shell.out.line(
      "  check that each rule fits a tool of the plan: toolmount check; try one: toolmount describe <tool>",
    );
}
