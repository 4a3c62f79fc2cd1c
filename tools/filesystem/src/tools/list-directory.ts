import { data, defineTool, type Omission, type ToolContext } from "@toolmount/core";
import { z } from "zod";
import { answering, type Wording } from "../files/answer.ts";
import { moreEntries, requiredText } from "../files/arguments.ts";
import type { Settings } from "../config.ts";
import { listDirectoryUsage as usage } from "../usage/list-directory.ts";
import { previewing } from "../files/preview.ts";
import { openWorkspace, type Services, type Workspace } from "../files/workspace.ts";

const schema = z.strictObject({
  path: requiredText("path").default(".").describe("The folder, relative to the working folder or absolute"),
  offset: z.int().min(1).max(1_000_000).default(1).describe("First entry to show, counted from 1"),
  limit: z.int().min(1).max(5000).default(500).describe("Most entries to show"),
});

const wording: Wording = { OS_ERROR: (error) => `Error listing directory: ${error.message}` };

/** Makes the tool `list_directory`, which lists one folder: folders first, then by name. Links are listed as links. */
export function createListDirectory(settings: Settings, services?: Services) {
  return listDirectoryIn(openWorkspace(settings, services));
}

export function listDirectoryIn(workspace: Workspace) {
  return defineTool({
    name: "list_directory",
    description:
      "Lists the names, types and sizes in one folder of the project, folders first. Use to look around in one folder; to find files by pattern in many, use glob.",
    summary: "Lists one folder.",
    usage,
    schema,
    category: "read",
    consequenceLevel: "low",
    requiresConfirmation: false,
    idempotent: true,
    tags: ["filesystem"],
    version: "1.0.0",
    execute: work(workspace),
    preview: previewing(workspace, work),
  });
}

/** Returns the entry of `omitted` for entries after the page. In a very large folder, not all of them are counted. */
function restOf(rest: number, next: number, isComplete: boolean): readonly Omission[] {
  if (isComplete) return moreEntries(rest, `list_directory with offset ${next}`);
  const why = "not all entries of a folder this large are looked at";
  return [{ what: "entries of the folder", amount: `${rest} or more`, why, how: "glob with a pattern" }];
}

/** Returns the tool's work in a workspace, which may be the real one or that of a rehearsal. */
function work(workspace: Workspace) {
  return ({ path: given, offset, limit }: z.output<typeof schema>, context: ToolContext) =>
    answering(workspace, { path: given, wording, context }, async (path) => {
      const page = { offset: offset - 1, limit, signal: context.abortSignal };
      const { entries, total, isComplete } = await workspace.files.list(path, page);
      const next = offset + entries.length;
      return data(
        {
          path,
          entries: entries.map(({ name, kind, bytes }) => ({
            name,
            type: kind,
            ...(bytes === undefined ? {} : { bytes }),
          })),
          entry_count: total,
          ...(entries.length > 0 && next <= total ? { next_offset: next } : {}),
        },
        { omitted: restOf(total - next + 1, next, isComplete) },
      );
    });
}
