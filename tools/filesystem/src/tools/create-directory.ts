import { data, defineTool, type ToolContext } from "@toolmount/core";
import { z } from "zod";
import { answering, type Wording } from "../files/answer.ts";
import { requiredText } from "../files/arguments.ts";
import type { Settings } from "../config.ts";
import { createDirectoryUsage as usage } from "../usage/create-directory.ts";
import { keepFolders } from "../files/keep.ts";
import { undoFolders } from "../files/undo.ts";
import { previewing } from "../files/preview.ts";
import { differenceIn } from "../files/session-difference.ts";
import { openWorkspace, type Services, type Workspace } from "../files/workspace.ts";

const schema = z.strictObject({
  path: requiredText("path").describe("The folder to create, with missing folders above it"),
});

const wording: Wording = {
  NOT_A_DIRECTORY: (_error, path) => `Cannot create directory: ${path} is, or is below, a file`,
  OS_ERROR: (error) => `OS error creating directory: ${error.message}`,
};

/** Makes the tool `create_directory`, which makes a folder and missing folders above it. */
export function createCreateDirectory(settings: Settings, services?: Services) {
  return createDirectoryIn(openWorkspace(settings, services));
}

export function createDirectoryIn(workspace: Workspace) {
  return defineTool({
    name: "create_directory",
    description:
      "Creates a folder in the project, with missing folders above it. Use for an empty folder, not before write_file: it creates the folders of a file itself.",
    summary: "Makes a folder.",
    usage,
    schema,
    category: "write",
    control: ["path"],
    consequenceLevel: "low",
    requiresConfirmation: false,
    idempotent: true,
    tags: ["filesystem"],
    version: "1.0.0",
    idempotentUndo: true,
    undo: undoFolders(workspace),
    difference: differenceIn(workspace),
    execute: work(workspace),
    preview: previewing(workspace, work, ({ path }) => [path]),
  });
}

/** Returns the tool's work in a workspace, which may be the real one or that of a rehearsal. */
function work(workspace: Workspace) {
  return ({ path: given }: z.output<typeof schema>, context: ToolContext) =>
    answering(workspace, { path: given, wording, context }, async (path) => {
      await keepFolders(workspace, context, path);
      return data({ path, created: await workspace.files.makeFolder(path) });
    });
}
