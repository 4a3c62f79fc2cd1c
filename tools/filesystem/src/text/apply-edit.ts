import type { Omission, ToolContext } from "@toolmount/core";
import type { PathError } from "@toolmount/paths";
import type { Wording } from "../files/answer.ts";
import { inTurn, replaceContent } from "../files/under-lock.ts";
import { Refusal } from "../files/refusal.ts";
import { requireKnown } from "../files/seen-files.ts";
import { decodeText, encodeText, type Text } from "../files/text-file.ts";
import type { Workspace } from "../files/workspace.ts";

/** Messages of both edit tools for errors of the disk. */
export const editWording: Wording = {
  IS_A_DIRECTORY: (_error, path) => `Cannot edit directory: ${path}`,
  NOT_FOUND: (_error, path) => `File not found: ${path}`,
  OS_ERROR: (error: PathError) => `OS error modifying file: ${error.message}`,
};

/**
 * Changes a text file as a whole or not at all, and keeps its encoding. Refuses if the file differs from what the session
 * knows, or is changed by another program meanwhile.
 */
export async function changeText(
  workspace: Workspace,
  path: string,
  context: ToolContext,
  change: (text: string) => { text: string; replacements: number },
): Promise<{ replacements: number; bytes: number; omitted: readonly Omission[] }> {
  const { files } = workspace;
  return await inTurn(workspace, path, async (real) => {
    const file = await files.read(path, workspace.settings.max_read_bytes, context.abortSignal);
    requireKnown(workspace, context.session, { given: path, real, bytes: file.bytes });
    const before = requireText(path, file.bytes);
    const { text, replacements } = change(before.text);
    const bytes = requireEncoded(path, { ...before, text });
    const content = { given: path, real, bytes, expected: file.identity };
    const omitted = await replaceContent(workspace, content, context);
    return { replacements, bytes: bytes.length, omitted };
  });
}

function requireText(path: string, bytes: Buffer): Text {
  const text = decodeText(bytes);
  if (text !== null) return text;
  throw new Refusal(`Cannot read file: ${path} (not a text file or encoding issue)`, "NOT_TEXT", { path });
}

function requireEncoded(path: string, { text, encoding }: Text): Buffer {
  const bytes = encodeText(text, encoding);
  if (bytes !== null) return bytes;
  const message = `new_string has characters that ${path} cannot hold: the file is ${encoding.name}`;
  throw new Refusal(message, "ENCODING_UNFIT", { path, encoding: encoding.name });
}
