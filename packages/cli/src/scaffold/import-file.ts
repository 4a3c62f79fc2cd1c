import { readFile, writeFile } from "node:fs/promises";
import { basename, dirname, resolve } from "node:path";
import type { JsonObject } from "@toolmount/core";
import { isToolmountError, ToolmountError } from "@toolmount/core/errors";
import type { NewEntry } from "@toolmount/loader/commands";
import type { EditReport } from "../edit/edit-plan.ts";
import { parseSettings } from "./parse-settings.ts";
import { readPermissions, type PermissionRules } from "./read-permissions.ts";
import { readServerList, type ServerList } from "./read-server-list.ts";
import { servesToolmount } from "./serves-toolmount.ts";

/** Files where other applications keep MCP servers or permission rules, relative to the project folder. */
export const knownSettings = [
  ".mcp.json",
  ".cursor/mcp.json",
  ".vscode/mcp.json",
  ".claude/settings.json",
  ".claude/settings.local.json",
] as const;

/** What was added to a plan from a file of another application. */
type Imported =
  | {
      readonly kind: "servers";
      readonly report: EditReport;
      readonly variables: ServerList["variables"];
      /** Parts of the list that were not added, and servers that are already `toolmount serve` with a plan. */
      readonly left: readonly { readonly name: string; readonly because: string }[];
    }
  | { readonly kind: "rules"; readonly report: EditReport; readonly left: PermissionRules["left"] };

/**
 * Adds the MCP servers or the permission rules of a file to a plan. If there is no plan, it writes one first. Throws
 * `USAGE_INVALID` for a file that cannot be read, and the loader's errors for the plan.
 */
export async function importFile(list: string, plan: string | undefined, cwd: string): Promise<Imported> {
  const { addEntries, planPolicyRules } = await import("../edit/edit-plan.ts");
  const text = await readList(resolve(cwd, list));
  const rules = readPermissions(await parseSettings(text));
  if (rules !== undefined) {
    const { lists, left } = rules;
    const report = await addToPlan(plan, cwd, async (file) => {
      const edit = await planPolicyRules(file, { ...lists }, { cwd });
      await edit.save();
      return edit.report;
    });
    return { kind: "rules", report, left };
  }
  const { entries, variables, left: dropped } = await readServerList(text);
  const reasons = await Promise.all(entries.map((entry) => servesToolmount(mcpOf(entry), process.argv[1])));
  const own = entries.flatMap(({ module: name }, at) => {
    const because = reasons[at];
    return because === undefined ? [] : [{ name, because: `${because}: a plan must not mount itself` }];
  });
  const left = [...own, ...dropped];
  const others = entries.filter((_, at) => reasons[at] === undefined);
  const report = await addToPlan(plan, cwd, (file) => addEntries(file, others, { cwd }));
  const isAdded = (because: string) =>
    report.added.some((id) => because === id || because.startsWith(`${id}, `));
  return { kind: "servers", report, variables: variables.filter(({ because }) => isAdded(because)), left };
}

function mcpOf({ source }: NewEntry): JsonObject {
  return ((source ?? {}) as { readonly mcp?: JsonObject }).mcp ?? {};
}

/** Edits a plan. If there is no plan, it writes one first. */
export function addToPlan(
  plan: string | undefined,
  cwd: string,
  edit: (plan: string | undefined) => Promise<EditReport>,
): Promise<EditReport> {
  return edit(plan).catch(async (error: unknown) => {
    if (!isToolmountError(error) || error.code !== "PLAN_NOT_FOUND") throw error;
    return edit(await writeNewPlan(plan, cwd));
  });
}

/** Writes a new plan, because a list of servers is enough to begin with. Returns its path. */
async function writeNewPlan(plan: string | undefined, cwd: string): Promise<string> {
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
