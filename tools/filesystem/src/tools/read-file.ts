import { data, defineTool, type Omission, type PartialResult, type ToolContext } from "@toolmount/core";
import { isPathError, type FileBytes, type Files, type Place } from "@toolmount/paths";
import { z } from "zod";
import { answering, callFacts, type Wording } from "../files/answer.ts";
import { filePath, moreEntries } from "../files/arguments.ts";
import type { Settings } from "../config.ts";
import { isShown, mimeTypeOf } from "../text/file-kind.ts";
import { pageOf } from "../text/lines.ts";
import { readFileUsage as usage } from "../usage/read-file.ts";
import { forgetSeen, markSeen } from "../files/seen-files.ts";
import { decodeText, type Text } from "../files/text-file.ts";
import { previewing } from "../files/preview.ts";
import { openWorkspace, type Services, type Workspace } from "../files/workspace.ts";
import { basename, dirname, join } from "node:path";
import { Refusal } from "../files/refusal.ts";

const schema = z.strictObject({
  file_path: filePath.describe("The file, relative to the working folder or absolute"),
  offset: z.int().min(1).max(1_000_000_000).default(1).describe("First line to show, counted from 1"),
  limit: z.int().min(1).max(1_000_000).default(2000).describe("Most lines to show"),
  column: z
    .int()
    .min(1)
    .max(1_000_000_000)
    .default(1)
    .describe("First character of line offset, to read on in a long line, which is then shown alone"),
});

type Range = Pick<z.output<typeof schema>, "offset" | "limit" | "column">;

/** Maximum number of entries that are shown if the path leads to a folder. */
const maxEntries = 1000;

const wording: Wording = {
  FILE_TOO_LARGE: (error) => `${error.message}; look for the part you need with grep`,
  OS_ERROR: (error) => `Error reading file: ${error.message}`,
};

/** Makes the tool `read_file`: it reads text with numbered lines, shows images, describes other binaries, and lists folders. */
export function createReadFile(settings: Settings, services?: Services) {
  return readFileIn(openWorkspace(settings, services));
}

export function readFileIn(workspace: Workspace) {
  return defineTool({
    name: "read_file",
    description:
      "Reads a file of the project with numbered lines, a page at a time; shows images and describes other binaries. Use when the path is known; to find files or text, use glob or grep.",
    summary: "Reads a file, or a page of it.",
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

/** Returns the tool's work in a workspace, which may be the real one or that of a rehearsal. */
function work(workspace: Workspace) {
  return ({ file_path, ...range }: z.output<typeof schema>, context: ToolContext) =>
    answering(workspace, { path: file_path, wording, context }, (path) =>
      readPath(workspace, path, range, context),
    );
}

async function readPath(workspace: Workspace, path: string, range: Range, context: ToolContext) {
  const { files, settings } = workspace;
  try {
    const file = await files.read(path, settings.max_read_bytes, context.abortSignal);
    markSeen(context, file.place.real, file.bytes);
    workspace.announce("artifact:read", {
      path: file.place.real,
      bytes: file.bytes.length,
      ...callFacts(context),
    });
    return showFile(workspace, file, range);
  } catch (thrown) {
    if (!isPathError(thrown)) throw thrown;
    if (thrown.code === "IS_A_DIRECTORY") return await showFolder(workspace, path, context);
    if (thrown.code === "NOT_FOUND") await explainMissing(workspace, path, context);
    throw thrown;
  }
}

function showFile(
  { settings }: Workspace,
  file: FileBytes & { place: Place },
  range: Range,
): PartialResult<object> {
  const text = decodeText(file.bytes);
  if (text !== null)
    return showText(file.place.given, text, { ...range, maxBytes: settings.max_output_bytes });
  return showBinary(file, settings.max_image_bytes);
}

function showText(
  path: string,
  { text, encoding }: Text,
  range: Range & { maxBytes: number },
): PartialResult<object> {
  const { offset } = range;
  const page = pageOf(text, range);
  const { content, totalLines, linesRead } = page;
  const next = offset + linesRead;
  const warnings: string[] = [];
  if (encoding.name === "latin1") warnings.push("the file is not UTF-8; it was read as Latin-1");
  if (linesRead === 0 && offset > totalLines && totalLines > 0)
    warnings.push(`the file ends at line ${totalLines}, before offset ${offset}`);
  return data(
    {
      file_path: path,
      content,
      total_lines: totalLines,
      lines_read: linesRead,
      offset,
      ...(linesRead > 0 && next <= totalLines ? { next_offset: next } : {}),
      ...(encoding.name === "utf-8" ? {} : { encoding: encoding.name }),
      ...(totalLines === 0 ? { warning: "File exists but has empty contents" } : {}),
    },
    { warnings: warnings.length === 0 ? undefined : warnings, omitted: cutsOf(page, next, range.limit) },
  );
}

/** Returns the entries of `omitted` for a page: the ends of long lines, and the lines after the page. */
function cutsOf(
  { totalLines, linesRead, wasCut, hidden }: ReturnType<typeof pageOf>,
  next: number,
  limit: number,
): readonly Omission[] {
  const rest = linesRead === 0 ? 0 : totalLines - next + 1;
  const long = {
    what: "the ends of long lines",
    amount: `${hidden} characters`,
    why: "the page shows the start of a long line",
    how: "read_file with the offset and the column that the line names",
  };
  const lines = {
    what: `the lines from ${next} on`,
    amount: `${rest} ${rest === 1 ? "line" : "lines"}`,
    why: wasCut ? "the page has no room for more" : `the page has at most ${limit} lines`,
    how: `read_file with offset ${next}`,
  };
  return [...(hidden > 0 ? [long] : []), ...(rest > 0 ? [lines] : [])];
}

function showBinary(
  { bytes, place }: FileBytes & { place: Place },
  maxImageBytes: number,
): PartialResult<object> {
  const mimeType = mimeTypeOf(bytes);
  const canBeShown = isShown(mimeType) && bytes.length <= maxImageBytes;
  const shown = canBeShown ? "shown beside this answer" : "not shown as text";
  return data(
    {
      file_path: place.given,
      content: `Binary file (${mimeType}, ${bytes.length} bytes), ${shown}`,
      is_binary: true,
      mime_type: mimeType,
      bytes: bytes.length,
    },
    canBeShown
      ? { content: [{ type: "image", data: bytes.toString("base64"), mimeType }] }
      : { omitted: [bytesOf(bytes.length)] },
  );
}

function bytesOf(count: number): Omission {
  const why = "they are neither text nor an image that can be shown";
  return {
    what: "the bytes of the file",
    amount: `${count} bytes`,
    why,
    how: "a program that reads the format",
  };
}

async function showFolder({ files }: Workspace, path: string, { abortSignal: signal }: ToolContext) {
  const { entries, total } = await files.list(path, { offset: 0, limit: maxEntries, signal });
  const rows = entries.map(({ name, kind }) => `${prefixes[kind]}${name}`);
  const answer = { file_path: path, content: rows.join("\n"), is_directory: true, entry_count: total };
  const rest = total - entries.length;
  return data(answer, { omitted: moreEntries(rest, "list_directory with offset") });
}

const prefixes = { directory: "DIR  ", file: "FILE ", link: "LINK ", other: "OTHER " };

async function explainMissing({ files }: Workspace, path: string, { session }: ToolContext): Promise<void> {
  const { real } = await files.locate(path, "read");
  forgetSeen(session, real);
  await nearName(files, path);
}

/** Maximum number of names among which a similar one is searched. */
const maxNames = 2000;

/**
 * Throws `NOT_FOUND` with the name that was probably meant, if the folder has one that differs only in case, normal form or
 * ending, or whose bytes are not UTF-8. Does nothing otherwise.
 */
async function nearName(files: Files, path: string): Promise<void> {
  const near = await findNear(files, path);
  if (near === path && path.includes("\ufffd"))
    throw new Refusal(`${path} cannot be read by its name, which is not UTF-8; a command can`, "NOT_FOUND", {
      path,
    });
  if (near !== undefined)
    throw new Refusal(`Path not found: ${path} (did you mean ${near}?)`, "NOT_FOUND", { path, near });
}

async function findNear(files: Files, path: string): Promise<string | undefined> {
  try {
    const { entries } = await files.list(dirname(path), { offset: 0, limit: maxNames });
    const names = entries.map(({ name }) => name);
    const same = (form: (name: string) => string) =>
      names.find((name) => form(name) === form(basename(path)));
    const name = same(plain) ?? same((each) => stem(plain(each)));
    return name === undefined ? undefined : join(dirname(path), name);
  } catch (thrown) {
    if (isPathError(thrown)) return undefined;
    throw thrown;
  }
}

function plain(name: string): string {
  return name.normalize("NFC").toLowerCase();
}

function stem(name: string): string {
  return name.replace(/(?<=.)\.[^.]*$/, "");
}
