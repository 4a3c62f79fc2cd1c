import { data, defineTool, type ToolContext } from "@toolmount/core";
import { isPathError } from "@toolmount/paths";
import { z } from "zod";
import { answering, type Wording } from "../files/answer.ts";
import { Refusal } from "../files/refusal.ts";
import { filePath } from "../files/arguments.ts";
import type { Settings } from "../config.ts";
import { inTurn, replaceContent } from "../files/under-lock.ts";
import { requireReplaceable } from "../files/seen-files.ts";
import { decodeText, encodeText, hasOnlyCrlf, type Text } from "../files/text-file.ts";
import { undoWrite } from "../files/undo.ts";
import { previewing } from "../files/preview.ts";
import { differenceIn } from "../files/session-difference.ts";
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

/** Makes the tool `write_file`, which writes a whole file and makes missing folders above it. */
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
    difference: differenceIn(workspace),
    execute: work(workspace),
    preview: previewing(workspace, work, ({ file_path }) => [file_path]),
  });
}

const utf8 = { name: "utf-8", hasMark: false } as const;

/** Returns the tool's work in a workspace, which may be the real one or that of a rehearsal. */
function work(workspace: Workspace) {
  return ({ file_path, content }: z.output<typeof schema>, context: ToolContext) =>
    answering(workspace, { path: file_path, wording, context }, async (path) => {
      const { bytes, kept, omitted } = await inTurn(workspace, path, async (real) => {
        const expected = await requireReplaceable(workspace, context.session, path, real);
        const written = requireBytes(path, content, await oldText(workspace, path, context.abortSignal));
        const next = { given: path, real, bytes: written.bytes, expected };
        const left = await replaceContent(workspace, next, context);
        return { ...written, omitted: left };
      });
      return data({ file_path: path, bytes: bytes.length }, { ...keptWarning(kept), omitted });
    });
}

function keptWarning(kept: readonly string[]): { warnings?: readonly string[] } {
  if (kept.length === 0) return {};
  return { warnings: [`the file keeps its ${kept.join(" and ")}; to write it without, delete it first`] };
}

/** Returns the present text of a file; null if it has none that can be read. */
async function oldText(
  { files, settings }: Workspace,
  path: string,
  signal: AbortSignal,
): Promise<Text | null> {
  try {
    return decodeText((await files.read(path, settings.max_read_bytes, signal)).bytes);
  } catch (thrown) {
    if (isPathError(thrown)) return null; // a new file, or one that may be written but not read
    throw thrown;
  }
}

interface Written {
  readonly bytes: Buffer;
  /** Properties of the old file that stay although the new content does not have them. */
  readonly kept: readonly string[];
}

/** Returns the content as bytes, with the byte order mark, encoding and line ends of the file that it replaces. */
function requireBytes(path: string, content: string, old: Text | null): Written {
  const kept: string[] = [];
  let text = content;
  if (old !== null && hasOnlyCrlf(old.text) && /(?<!\r)\n/.test(content)) {
    text = content.replaceAll(/\r?\n/g, "\r\n");
    kept.push("line ends (CRLF)");
  }
  const encoding = old?.encoding ?? utf8;
  const isMarked = encoding.hasMark && !content.startsWith("\ufeff");
  const own = encodeText(text, { ...encoding, hasMark: isMarked });
  if (isMarked && own !== null) kept.unshift("byte order mark");
  if (encoding.name !== "utf-8" && own !== null) kept.unshift(`encoding (${encoding.name})`);
  const bytes = own ?? encodeText(text, utf8);
  if (bytes !== null) return { bytes, kept };
  throw new Refusal(`content has half of a character, which ${path} cannot hold`, "ENCODING_UNFIT", { path });
}
