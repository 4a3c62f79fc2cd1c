import { isToolmountError, ToolmountError, type Clock } from "@toolmount/core";
import { messageOf } from "@toolmount/core/errors";
import { findErrorOrigin, findSyntaxError, type ErrorOrigin } from "./error-origin.ts";
import { importFile, importPackageFile } from "./fresh-import.ts";
import type { ModuleExports } from "./import.ts";
import type { GivenModule, Resolution } from "./resolve.ts";
import { withTimeout } from "./with-timeout.ts";

/** Longest part of a module's own error message that is reported, in characters. */
const maxMessage = 500;

/** What an import is bounded by. */
export interface ImportContext {
  readonly clock: Clock;
  /** Milliseconds that one import, or one mount, may take. */
  readonly startTimeoutMs: number;
  /** When this process started, in milliseconds since the epoch. */
  readonly startedAt: number;
}

/** Imports a module that was found. Throws `MODULE_IMPORT_FAILED`, also when it takes longer than `startTimeoutMs`. */
export async function importResolved(
  resolution: Resolution,
  { clock, startTimeoutMs, startedAt }: ImportContext,
): Promise<ModuleExports> {
  const { given, name } = resolution;
  const late = () => importFailed(name, `it was not imported within ${startTimeoutMs} ms`);
  try {
    const work = given === undefined ? importPath(resolution, startedAt) : takeGiven(given);
    return await withTimeout(work, startTimeoutMs, clock, late);
  } catch (error) {
    // `defineTool` refuses a definition while its module is imported: that is an error of the module's code.
    if (isToolmountError(error) && error.code !== "TOOL_INVALID") throw error;
    throw importFailed(name, messageOf(error).slice(0, maxMessage), error, await originOf(error, resolution));
  }
}

function importFailed(
  module: string,
  problem: string,
  cause?: unknown,
  origin?: ErrorOrigin,
): ToolmountError {
  const details = { module, problem, ...(origin !== undefined && { origin }) };
  return new ToolmountError("MODULE_IMPORT_FAILED", details, { cause });
}

/** Node's error for a syntax error in JavaScript has no place; then the file is parsed again to find it. */
async function originOf(error: unknown, { path }: Resolution): Promise<ErrorOrigin | undefined> {
  const origin = findErrorOrigin(error);
  return origin === undefined && error instanceof SyntaxError && path !== undefined
    ? findSyntaxError(path)
    : origin;
}

async function takeGiven(given: GivenModule): Promise<ModuleExports> {
  return isImporter(given) ? given() : given;
}

function isImporter(given: GivenModule): given is () => Promise<ModuleExports> | ModuleExports {
  return typeof given === "function";
}

async function importPath(
  { path = "", files, version }: Resolution,
  startedAt: number,
): Promise<ModuleExports> {
  return files === undefined ? importPackageFile(path, version) : importFile(files, startedAt);
}
