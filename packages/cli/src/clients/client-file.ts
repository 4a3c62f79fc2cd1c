import { readFile, stat } from "node:fs/promises";
import { ToolmountError } from "@toolmount/core";
import { firstProblem, parseToml, readJsonc } from "../scaffold/parse-settings.ts";
import { editJsonc } from "./jsonc-file.ts";
import { editToml } from "./toml-file.ts";

/**
 * Maximum number of bytes of a client's file. The limit is high because some applications also keep their other state in this
 * file.
 */
const maxBytes = 64 * 1024 * 1024;

/**
 * Reads the text of a client's file. Resolves to undefined if the file does not exist. Throws `USAGE_INVALID` for anything but a
 * file, because reading a pipe could wait forever, and for a file of more than 64 MiB.
 */
export async function readClientFile(file: string): Promise<string | undefined> {
  const facts = await stat(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT" || error.code === "ENOTDIR") return undefined;
    throw error;
  });
  if (facts === undefined) return undefined;
  const what = facts.isDirectory() ? "a folder" : facts.isFile() ? undefined : "neither a file nor a folder";
  if (what !== undefined) throw unreadable(`${file} is ${what}`);
  if (facts.size > maxBytes) throw unreadable(`${file} has more than ${maxBytes} bytes`);
  return readFile(file, "utf8");
}

function unreadable(problem: string): ToolmountError {
  return new ToolmountError("USAGE_INVALID", { problem });
}

/**
 * Parses JSON with comments, or TOML if the file's name ends so; an empty text is an empty object. Throws `USAGE_INVALID` for a
 * text with errors, and for a text that is only a string, a number, a boolean or null.
 */
export async function parseClientFile(text: string, file: string): Promise<object> {
  if (isToml(file)) return parseToml(text);
  const { parsed, errors } = await readJsonc(text === "" ? "{}" : text);
  if (errors.length === 0 && typeof parsed === "object" && parsed !== null) return parsed;
  const problem = await firstProblem(text, errors);
  const [at, words] =
    problem === undefined ? ["", "it is no object"] : [`:${problem.line}:${problem.column}`, problem.words];
  throw unreadable(`${file}${at} is not JSON with comments: ${words}; correct it first`);
}

/**
 * Returns the text of a client's file after the value at `path` was replaced or, if `value` is undefined, removed. Comments and
 * the style of the file stay.
 */
export async function editClientText(
  text: string,
  path: readonly string[],
  value: unknown,
  file: string,
): Promise<string> {
  const parsed = await parseClientFile(text, file);
  if (value === undefined && memberAt(parsed, path) === undefined) return text;
  if (isToml(file)) return editToml(text, path, value, file);
  return editJsonc(text, path, value);
}

function isToml(file: string): boolean {
  return file.endsWith(".toml");
}

/** Reads the value at a path. Returns undefined if the document has no value there. */
export function memberAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (at, key) => (typeof at === "object" && at !== null ? (at as Record<string, unknown>)[key] : undefined),
    value,
  );
}
