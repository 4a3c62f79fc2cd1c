import { ToolmountError } from "@toolmount/core/errors";
import type { ParseError } from "jsonc-parser";

/** Parses JSON with comments and trailing commas. Throws `USAGE_INVALID` for a text that is nested too deeply for the parser. */
export async function readJsonc(
  text: string,
): Promise<{ readonly parsed: unknown; readonly errors: readonly ParseError[] }> {
  const { parse } = await import("jsonc-parser");
  const errors: ParseError[] = [];
  try {
    return { parsed: parse(text, errors, { allowTrailingComma: true }), errors };
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return refuse("the JSON is nested too deeply to be read");
  }
}

/** Parses JSON with comments and trailing commas, TOML or YAML. Throws `USAGE_INVALID` with the line of the error. */
export async function parseSettings(text: string): Promise<unknown> {
  const start = text.replace(/^(?:\s|#.*)+/, "");
  if (/^(?:\[{1,2}[\w"']|[\w."'-]+\s*=)/.test(start)) return parseToml(text);
  if (/^[\w"'-]/.test(start)) return parseYaml(text);
  const { parsed: list, errors } = await readJsonc(text);
  const problem = await firstProblem(text, errors);
  if (problem === undefined) return list;
  const { words, line, column } = problem;
  return refuse(`the list is not JSON: ${words} in line ${line}, column ${column}`);
}

/** Returns the first error of JSON in words, and its place, counted from 1. */
export async function firstProblem(
  text: string,
  [first]: readonly ParseError[],
): Promise<{ readonly words: string; readonly line: number; readonly column: number } | undefined> {
  if (first === undefined) return undefined;
  const { printParseErrorCode } = await import("jsonc-parser");
  const lines = text.slice(0, first.offset).split("\n");
  // A code such as `CloseBraceExpected` becomes words.
  const words = printParseErrorCode(first.error).replaceAll(/\B[A-Z]/g, (letter) => ` ${letter}`);
  return { words: words.toLowerCase(), line: lines.length, column: lines.at(-1)!.length + 1 };
}

/** Parses TOML. Throws `USAGE_INVALID` with the line of the error. */
export async function parseToml(text: string): Promise<Readonly<Record<string, unknown>>> {
  const { parse, TomlError } = await import("smol-toml");
  try {
    return parse(text);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const problem = error.message.split("\n", 1)[0]!.replace(/^Invalid TOML document: /, "");
    return refuse(`the list is not TOML: ${problem} in line ${error.line}, column ${error.column}`);
  }
}

async function parseYaml(text: string): Promise<unknown> {
  const { parseDocument } = await import("yaml");
  const document = parseDocument(text);
  const [error] = document.errors;
  if (error !== undefined) return refuse(`the list is not YAML: ${error.message.split("\n", 1)[0]!}`);
  try {
    return document.toJS() as unknown;
  } catch {
    return refuse("the list is not YAML that can be read: its aliases have no end");
  }
}

export function refuse(problem: string): never {
  throw new ToolmountError("USAGE_INVALID", { problem });
}
