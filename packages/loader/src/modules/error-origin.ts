import { readFileSync } from "node:fs";
import { basename, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { messageOf, ToolmountError, type CodePlace } from "@toolmount/core/errors";
import { codeFrame } from "../diagnostics/code-frame.ts";
import { createPlanText } from "../diagnostics/source-text.ts";

/** Returns the folders of this package and of core, whose stack frames say nothing about a module. */
const ownFolders = () =>
  ["#package.json", "@toolmount/core"].map((name) => fileURLToPath(new URL(".", import.meta.resolve(name))));

/**
 * Finds the place of an error: that of a syntax error, the import of a missing module, or the first place in the stack that is
 * in `folder`. Without `folder`, the first place outside of `node_modules`, this package and core counts. Undefined if the error
 * names no such place.
 */
export function findErrorOrigin(error: unknown, folder?: string): CodePlace | undefined {
  if (!(error instanceof Error)) return undefined;
  const stack = String(error.stack);
  const marked = readMarked(stack);
  if (marked !== undefined) return marked;
  const importer = findImporter(error.message);
  if (importer !== undefined) return importer;
  const places = [
    ...stack.matchAll(/^\s+at (?:.*?[ (])??((?:file:\/\/|\/)[^()\n]+?)(?:\?[^:()\n]*)?:(\d+):(\d+)\)?$/gm),
  ].map(([, file, line, column]) => ({ file: toPath(file!), line: Number(line), column: Number(column) }));
  const folders = ownFolders();
  const own = places.find(({ file }) =>
    folder === undefined
      ? !file.includes("/node_modules/") && !folders.some((one) => file.startsWith(one))
      : file.startsWith(folder + sep),
  );
  return own === undefined ? undefined : withFrame(own.file, own.line, own.column);
}

/** Maximum number of characters that are reported of an error message of a module. */
const maxMessage = 500;

export function shortMessage(error: unknown): string {
  return messageOf(error).slice(0, maxMessage);
}

/** Creates the error of a module whose code failed, with the place in that code. */
export function moduleFailed(
  code: "MODULE_IMPORT_FAILED" | "MODULE_MOUNT_FAILED",
  module: string,
  problem: string,
  cause?: unknown,
  origin = findErrorOrigin(cause),
): ToolmountError {
  const details = { module, problem, ...(origin !== undefined && { origin }) };
  return new ToolmountError(code, details, { cause });
}

/** Finds the import statement that names a missing module. Node's error names the importing file, but not the line. */
function findImporter(message: string): CodePlace | undefined {
  const match = /^Cannot find (?:package|module) '([^']+)' imported from ([^\n]+?)(?:\?[^\n]*)?$/m.exec(
    message,
  );
  if (match === null) return undefined;
  const [, missing = "", importer = ""] = match;
  const file = toPath(importer);
  // For a missing file, the message has its absolute path, but the import statement may only have a relative one. So the name is
  // searched.
  const wanted = missing.startsWith("/") || missing.startsWith("file:") ? basename(missing) : missing;
  const lines = readLines(file);
  const line = lines.findIndex((text) => /["']/.test(text) && text.includes(wanted));
  return line === -1 ? undefined : withFrame(file, line + 1, lines[line]!.indexOf(wanted) + 1);
}

function readLines(file: string): readonly string[] {
  try {
    return readFileSync(file, "utf8").split("\n");
  } catch {
    return [];
  }
}

/**
 * Finds the place of a syntax error, which Node's error does not have. `node --check` parses the file without running it, and
 * prints the place.
 */
export async function findSyntaxError(file: string): Promise<CodePlace | undefined> {
  const { execFile } = await import("node:child_process");
  const stderr = await new Promise<string>((resolve) => {
    execFile(process.execPath, ["--check", file], (_error, _stdout, text) => resolve(text));
  });
  return readMarked(stderr);
}

/**
 * Reads the place in a text that begins with `file:line`, some lines of code, and a mark below the column, as Node prints syntax
 * errors.
 */
function readMarked(text: string): CodePlace | undefined {
  const found = /^((?:file:\/\/|\/)[^\n]+?)(?:\?[^:\n]*)?:(\d+)\n(?:[^\n]*\n){1,9}?(\s*)\^/.exec(text);
  if (found === null) return undefined;
  const [, file, line, space] = found;
  return withFrame(toPath(file!), Number(line), space!.length + 1);
}

function toPath(file: string): string {
  return file.startsWith("file://") ? fileURLToPath(file) : file;
}

function withFrame(file: string, line: number, column: number): CodePlace | undefined {
  try {
    const frame = codeFrame(createPlanText(file, readFileSync(file, "utf8")), { line, column });
    return { file, line, column, frame };
  } catch {
    return undefined;
  }
}
