import { relative, resolve, sep } from "node:path";
import { isBelow, nextCommandFiles } from "../programs/next-command.ts";
import type { LoadedPlan } from "../mount/load-plan.ts";
import { runOf } from "../mount/runner-modules.ts";
import type { ModuleUse } from "../mount/module-use.ts";

/** A script or a skill in the plan's folder that the next command would run or read. */
export interface NextFile {
  /** The path from the plan's folder, with "/". A folder of skills counts as one file. */
  readonly file: string;
  /** The id of an entry whose tools may write the file; absent if all tools are kept from writing it. */
  readonly writableBy?: string | undefined;
}

/** Returns the scripts and skills in the plan's folder that the plan names, and which of them a tool may write. */
export async function nextFiles({ opened, plan, modules, texts }: LoadedPlan): Promise<readonly NextFile[]> {
  const { folder } = opened;
  const named = await nextCommandFiles({ folder, plan, modules, texts });
  const writers = modules.flatMap((use) => writerOf(use, folder));
  const files = [...new Set(named.flatMap((each) => [...each.files, ...each.writable]))];
  return files
    .filter((file) => isBelow(file, folder))
    .map((file) => {
      const writer = writers.find(({ write }) => write.some((root) => isBelow(file, root)));
      const shown = relative(folder, file).split(sep).join("/");
      return { file: shown, ...(writer !== undefined && { writableBy: writer.id }) };
    });
}

/**
 * Returns the folders in which an entry may write even protected files: those granted to an MCP server, and those granted behind
 * the border `permission`, because Node's permission model cannot exclude a file from a folder.
 */
function writerOf(
  { id, source, config, entry }: ModuleUse,
  folder: string,
): readonly { readonly id: string; readonly write: readonly string[] }[] {
  const run = entry === null ? undefined : runOf(entry);
  const grants = [
    source.kind === "scheme" ? config["write"] : undefined,
    run?.["border"] === "permission" ? run["write"] : undefined,
  ].flat();
  const write = grants.filter((each) => typeof each === "string").map((each) => resolve(folder, each));
  return write.length === 0 ? [] : [{ id, write }];
}
