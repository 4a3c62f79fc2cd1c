import { data, defineTool, type ToolContext } from "@toolmount/core";
import { z } from "zod";
import { answering } from "../files/answer.ts";
import { Refusal } from "../files/refusal.ts";
import { differs, editShape, filePath, sameStrings } from "../files/arguments.ts";
import type { Settings } from "../config.ts";
import { changeText, editWording as wording } from "../text/apply-edit.ts";
import { multiEditFileUsage as usage } from "../usage/multi-edit-file.ts";
import { replaceText, type Edit } from "../text/replace-text.ts";
import { undoWrite } from "../files/undo.ts";
import { previewing } from "../files/preview.ts";
import { differenceIn } from "../files/session-difference.ts";
import { openWorkspace, type Services, type Workspace } from "../files/workspace.ts";

const schema = z.strictObject({
  file_path: filePath.describe("The file, relative to the working folder or absolute"),
  edits: z
    .array(z.strictObject(editShape).refine(differs, sameStrings), {
      error: ({ input }) => (input === undefined ? "edits is required" : undefined),
    })
    .min(1, "edits is required")
    .max(200)
    .describe("The replacements, in order: each sees the result of the earlier ones"),
});

/** Makes the tool `multi_edit_file`, which makes several replacements in one file: all of them or none. */
export function createMultiEditFile(settings: Settings, services?: Services) {
  return multiEditFileIn(openWorkspace(settings, services));
}

export function multiEditFileIn(workspace: Workspace) {
  return defineTool({
    name: "multi_edit_file",
    description:
      "Makes several exact replacements in one file of the project, all of them or none. Use when one file needs more than one change; for a single one use edit_file.",
    summary: "Several replacements in a file, all or none.",
    usage,
    schema,
    category: "write",
    control: ["file_path"],
    content: ["edits"],
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
  return ({ file_path, edits }: z.output<typeof schema>, context: ToolContext) =>
    answering(workspace, { path: file_path, wording, context }, async (path) => {
      const change = (text: string) => replaceAllOf(text, edits, path);
      const { replacements, bytes, omitted } = await changeText(workspace, path, context, change);
      const answer = {
        file_path: path,
        edits_applied: edits.length,
        replacements_made: replacements,
        bytes_written: bytes,
      };
      return data(answer, { omitted });
    });
}

function replaceAllOf(
  text: string,
  edits: readonly Edit[],
  path: string,
): { text: string; replacements: number } {
  let done = { text, replacements: 0 };
  for (const [at, edit] of edits.entries()) {
    const { text: next, replacements } = naming(at, () => replaceText(done.text, edit, path));
    done = { text: next, replacements: done.replacements + replacements };
  }
  return done;
}

/** Runs an edit. If it is refused, the refusal names the edit, counted from 1. */
function naming<Value>(at: number, edit: () => Value): Value {
  try {
    return edit();
  } catch (thrown) {
    if (!(thrown instanceof Refusal)) throw thrown;
    const message = `edit ${at + 1}: ${thrown.message}; nothing was changed`;
    throw new Refusal(message, thrown.code, { ...thrown.details, edit: at + 1 });
  }
}
