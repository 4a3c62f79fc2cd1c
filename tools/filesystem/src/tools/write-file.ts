import { data, defineTool, type ToolContext } from "@toolmount/core";
import { z } from "zod";
import { answering, type Wording } from "../files/answer.ts";
import { Refusal } from "../files/refusal.ts";
import { filePath } from "../files/arguments.ts";
import type { Settings } from "../config.ts";
import { inTurn, replaceContent } from "../files/under-lock.ts";
import { requireReplaceable } from "../files/seen-files.ts";
import { encodeText } from "../files/text-file.ts";
import { undoWrite } from "../files/undo.ts";
import { previewing } from "../files/preview.ts";
import { openWorkspace, type Services, type Workspace } from "../files/workspace.ts";
import { writeFileUsage as usage } from "../usage/write-file.ts";

const schema = z.strictObject({
  file_path: filePath.describe(
    "The file, relative to the working folder or absolute; creates missing folders",
  ),
  content: z
    .string({ error: ({ input }) => (input === undefined ? "content is required" : undefined) })
    .describe("The whole content; the old content is lost"),
});

const wording: Wording = {
  IS_A_DIRECTORY: (_error, path) => `Cannot write to directory: ${path}`,
  OS_ERROR: (error) => `OS error writing file: ${error.message}`,
};

/** Writes a whole file, with the folders above it. */
export function createWriteFile(settings: Settings, services?: Services) {
  return writeFileIn(openWorkspace(settings, services));
}

export function writeFileIn(workspace: Workspace) {
  return defineTool({
    name: "write_file",
    description:
      "Writes a whole file of the project, new or in place of an old one. Use for new files and complete rewrites; to change a part of a file, use edit_file.",
    summary: "Writes a whole file.",
    usage,
    schema,
    category: "write",
    control: ["file_path"],
    content: ["content"],
    consequenceLevel: "medium",
    requiresConfirmation: false,
    idempotent: true,
    tags: ["filesystem"],
    version: "1.0.0",
    idempotentUndo: true,
    undo: undoWrite(workspace),
    execute: work(workspace),
    preview: previewing(workspace, work, ({ file_path }) => [file_path]),
  });
}

/** The work of the tool over a workspace: the real one, or that of a rehearsal. */
function work(workspace: Workspace) {
  return ({ file_path, content }: z.output<typeof schema>, context: ToolContext) =>
    answering(workspace, { path: file_path, wording, context }, async (path) => {
      const bytes = requireBytes(path, content);
      await inTurn(workspace, path, async (real) => {
        const expected = await requireReplaceable(workspace, context.session, path, real);
        await replaceContent(workspace, { given: path, real, bytes, expected }, context);
      });
      return data({ file_path: path, bytes: bytes.length });
    });
}

function requireBytes(path: string, content: string): Buffer {
  const bytes = encodeText(content, { name: "utf-8", hasMark: false });
  if (bytes !== null) return bytes;
  throw new Refusal(`content has half of a character, which ${path} cannot hold`, "ENCODING_UNFIT", { path });
}
