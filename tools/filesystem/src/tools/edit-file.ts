import { data, defineTool, type ToolContext } from "@toolmount/core";
import { z } from "zod";
import { answering } from "../files/answer.ts";
import { differs, editShape, filePath, sameStrings } from "../files/arguments.ts";
import type { Settings } from "../config.ts";
import { changeText, editWording as wording } from "../text/apply-edit.ts";
import { editFileUsage as usage } from "../usage/edit-file.ts";
import { replaceText } from "../text/replace-text.ts";
import { undoWrite } from "../files/undo.ts";
import { previewing } from "../files/preview.ts";
import { differenceIn } from "../files/session-difference.ts";
import { openWorkspace, type Services, type Workspace } from "../files/workspace.ts";

const schema = z
  .strictObject({
    file_path: filePath.describe("The file, relative to the working folder or absolute"),
    ...editShape,
  })
  .refine(differs, sameStrings);

/** Makes the tool `edit_file`, which replaces one text by another in a file. */
export function createEditFile(settings: Settings, services?: Services) {
  return editFileIn(openWorkspace(settings, services));
}

export function editFileIn(workspace: Workspace) {
  return defineTool({
    name: "edit_file",
    description:
      "Replaces an exact text in one file of the project. Use to change a part of a file; for several changes of one file use multi_edit_file, for a new file write_file.",
    summary: "Replaces text in a file.",
    usage,
    schema,
    category: "write",
    control: ["file_path"],
    content: ["new_string"],
    consequenceLevel: "medium",
    requiresConfirmation: false,
    tags: ["filesystem"],
    version: "1.0.0",
    idempotentUndo: true,
    undo: undoWrite(workspace),
    difference: differenceIn(workspace),
    execute: work(workspace),
    preview: previewing(workspace, work, ({ file_path }) => [file_path]),
  });
}

/** Returns the tool's work in a workspace, which may be the real one or that of a rehearsal. */
function work(workspace: Workspace) {
  return ({ file_path, ...edit }: z.output<typeof schema>, context: ToolContext) =>
    answering(workspace, { path: file_path, wording, context }, async (path) => {
      const change = (text: string) => replaceText(text, edit, path);
      const { replacements, bytes, omitted } = await changeText(workspace, path, context, change);
      return data({ file_path: path, replacements_made: replacements, bytes_written: bytes }, { omitted });
    });
}
