import { data, defineTool, type ToolContext } from "@toolmount/core";
import { isPathError } from "@toolmount/paths";
import { z } from "zod";
import { answering, callFacts, type Wording } from "../files/answer.ts";
import { Refusal } from "../files/refusal.ts";
import { filePath } from "../files/arguments.ts";
import type { Settings } from "../config.ts";
import { inTurn } from "../files/under-lock.ts";
import { changed, markSeen, requireReplaceable } from "../files/seen-files.ts";
import { encodeText } from "../text/text-file.ts";
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
    consequenceLevel: "medium",
    requiresConfirmation: false,
    idempotent: true,
    tags: ["filesystem"],
    version: "1.0.0",
    execute: ({ file_path, content }, context) =>
      answering(workspace, { path: file_path, wording, context }, async (path) => {
        const bytes = requireBytes(path, content);
        requireSize(workspace, path, bytes.length);
        await writeWhole(workspace, path, bytes, context);
        return data({ file_path: path, bytes: bytes.length });
      }),
  });
}

function requireBytes(path: string, content: string): Buffer {
  const bytes = encodeText(content, { name: "utf-8", hasMark: false });
  if (bytes !== null) return bytes;
  throw new Refusal(`content has half of a character, which ${path} cannot hold`, "ENCODING_UNFIT", { path });
}

/** Refuses with `FILE_TOO_LARGE` what is larger than a file may be. */
export function requireSize({ settings }: Workspace, path: string, bytes: number): void {
  const { max_write_bytes: maxBytes } = settings;
  if (bytes <= maxBytes) return;
  const message = `Content too large: ${path} would have ${bytes} bytes, the limit is ${maxBytes}`;
  throw new Refusal(message, "FILE_TOO_LARGE", { path, bytes, maxBytes });
}

async function writeWhole(
  workspace: Workspace,
  path: string,
  bytes: Buffer,
  context: ToolContext,
): Promise<void> {
  const real = await inTurn(workspace, path, async (at) => {
    const expected = await requireReplaceable(workspace, context.session, path, at);
    await workspace.files
      .replace(path, bytes, { expected, signal: context.abortSignal })
      .catch(sayChanged(path));
    markSeen(context, at, bytes);
    return at;
  });
  workspace.announce("artifact:write", { path: real, bytes: bytes.length, ...callFacts(context) });
}

/** A change between the last check and the write has the same error as an earlier change. */
export function sayChanged(path: string): (thrown: unknown) => never {
  return (thrown) => {
    throw isPathError(thrown) && thrown.code === "FILE_CHANGED" ? changed(path) : thrown;
  };
}
