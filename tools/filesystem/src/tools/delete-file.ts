import { data, defineTool, type ToolContext } from "@toolmount/core";
import { z } from "zod";
import { answering, callFacts, type Wording } from "../files/answer.ts";
import { requiredText } from "../files/arguments.ts";
import type { Settings } from "../config.ts";
import { deleteFileUsage as usage } from "../usage/delete-file.ts";
import { forgetSeen } from "../files/seen-files.ts";
import { keepDeleted } from "../files/keep.ts";
import { undoDelete } from "../files/undo.ts";
import { previewing } from "../files/preview.ts";
import { differenceIn } from "../files/session-difference.ts";
import { openWorkspace, type Services, type Workspace } from "../files/workspace.ts";

const schema = z.strictObject({
  path: requiredText("path").describe("The file, folder or link to delete permanently"),
  recursive: z.boolean().default(false).describe("Deletes a folder with its content"),
});

const wording: Wording = {
  DIRECTORY_NOT_EMPTY: (error) => `${error.message}; set recursive=true to delete it with all that is in it`,
  OS_ERROR: (error) => `OS error deleting: ${error.message}`,
};

/**
 * Makes the tool `delete_file`, which deletes a file, folder or link. A person is asked, unless the deletion waits in a layer.
 */
export function createDeleteFile(settings: Settings, services?: Services) {
  return deleteFileIn(openWorkspace(settings, services));
}

export function deleteFileIn(workspace: Workspace) {
  return defineTool({
    name: "delete_file",
    description:
      "Deletes a file or folder of the project permanently, after a person approved. Use only when the user asked to delete; to rename or move, use move_file.",
    summary: "Deletes a file or folder permanently.",
    usage,
    schema,
    category: "delete",
    control: ["path"],
    consequenceLevel: "high",
    requiresConfirmation: !workspace.isContained,
    tags: ["filesystem"],
    version: "1.0.0",
    idempotentUndo: true,
    undo: undoDelete(workspace),
    difference: differenceIn(workspace),
    execute: work(workspace),
    preview: previewing(workspace, work, ({ path }) => [path]),
  });
}

/** Returns the tool's work in a workspace, which may be the real one or that of a rehearsal. */
function work(workspace: Workspace) {
  return ({ path: given, recursive }: z.output<typeof schema>, context: ToolContext) =>
    answering(workspace, { path: given, wording, context }, async (path) => {
      await keepDeleted(workspace, context, { path, recursive });
      const options = { recursive, signal: context.abortSignal };
      const { removed, place } = await workspace.files.remove(path, options);
      forgetSeen(context.session, place.real);
      workspace.announce("artifact:delete", { path: place.real, entries: removed, ...callFacts(context) });
      return data({ path, entries_deleted: removed });
    });
}
