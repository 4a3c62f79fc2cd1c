import { data, defineTool, type ToolContext } from "@toolmount/core";
import { z } from "zod";
import { answering, callFacts, type Wording } from "../files/answer.ts";
import { requiredText } from "../files/arguments.ts";
import type { Settings } from "../config.ts";
import { resolvePath } from "../files/mention.ts";
import { moveFileUsage as usage } from "../usage/move-file.ts";
import { forgetSeen } from "../files/seen-files.ts";
import { keepMoved } from "../files/keep.ts";
import { undoMove } from "../files/undo.ts";
import { previewing } from "../files/preview.ts";
import { differenceIn } from "../files/session-difference.ts";
import { openWorkspace, type Services, type Workspace } from "../files/workspace.ts";

const schema = z.strictObject({
  source: requiredText("source").describe("The file or folder to move"),
  destination: requiredText("destination").describe("The new path with the name; creates missing folders"),
  overwrite: z.boolean().default(false).describe("Replaces an existing file"),
});

const wording: Wording = {
  ALREADY_EXISTS: (error) => `${error.message}; choose another destination, or set overwrite=true for a file`,
  NOT_A_FILE: (_error, path) =>
    `Cannot move ${path}: only files and folders are moved, no links or special files`,
  OS_ERROR: (error) => `OS error moving: ${error.message}`,
};

/** Makes the tool `move_file`, which moves or renames a file or folder. */
export function createMoveFile(settings: Settings, services?: Services) {
  return moveFileIn(openWorkspace(settings, services));
}

export function moveFileIn(workspace: Workspace) {
  return defineTool({
    name: "move_file",
    description:
      "Moves or renames a file or folder of the project. Use to rename or reorganise; it does not copy.",
    summary: "Moves or renames a file or folder.",
    usage,
    schema,
    category: "write",
    control: ["source", "destination"],
    consequenceLevel: "medium",
    requiresConfirmation: false,
    tags: ["filesystem"],
    version: "1.0.0",
    idempotentUndo: true,
    undo: undoMove(workspace),
    difference: differenceIn(workspace),
    execute: work(workspace),
    preview: previewing(workspace, work, ({ source, destination }) => [source, destination]),
  });
}

/** Returns the tool's work in a workspace, which may be the real one or that of a rehearsal. */
function work(workspace: Workspace) {
  return ({ source, destination, overwrite }: z.output<typeof schema>, context: ToolContext) =>
    answering(workspace, { path: source, wording, context }, async (path) => {
      const target = await resolvePath(workspace, destination);
      await keepMoved(workspace, context, { source: path, destination: target, overwrite });
      const options = { overwrite, signal: context.abortSignal };
      const { from, to } = await workspace.files.move(path, target, options);
      for (const { real } of [from, to]) forgetSeen(context.session, real);
      workspace.announce("artifact:move", { path: from.real, to: to.real, ...callFacts(context) });
      return data({ source: path, destination: target });
    });
}
