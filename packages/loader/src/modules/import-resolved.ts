import { isToolmountError, type Clock } from "@toolmount/core";
import { withTimeout } from "@toolmount/core/internal";
import { findErrorOrigin, findSyntaxError, moduleFailed, shortMessage } from "./error-origin.ts";
import { importFile, importPackageFile } from "./fresh-import.ts";
import { serverLine } from "./refuse-entry.ts";
import type { GivenModule, ModuleExports } from "./source.ts";
import type { Resolution } from "./resolve.ts";

export interface ImportContext {
  readonly clock: Clock;
  /** Milliseconds that one import, or one mount, may take. */
  readonly startTimeoutMs: number;
  /** When this process started, in milliseconds since the epoch. */
  readonly startedAt: number;
}

/** Imports a module that was found. Throws `MODULE_IMPORT_FAILED`, also if importing takes longer than `startTimeoutMs`. */
export async function importResolved(
  resolution: Resolution,
  { clock, startTimeoutMs, startedAt }: ImportContext,
): Promise<ModuleExports> {
  const { given, name } = resolution;
  const late = `it was not imported within ${startTimeoutMs} ms`;
  try {
    const work = given === undefined ? importPath(resolution, startedAt) : takeGiven(given);
    return await withTimeout(clock, startTimeoutMs, work, () =>
      Promise.reject(moduleFailed("MODULE_IMPORT_FAILED", name, late)),
    );
  } catch (error) {
    // `TOOL_INVALID` comes from `defineTool`, which the module calls while it is imported, so it is an error in the module's
    // code.
    if (isToolmountError(error) && error.code !== "TOOL_INVALID") throw error;
    const origin = await originOf(error, resolution);
    const problem = `${shortMessage(error)}${orAsServer(resolution)}`;
    throw moduleFailed("MODULE_IMPORT_FAILED", name, problem, error, origin);
  }
}

/**
 * Returns a hint if the package is an MCP server, whose import may have failed because it is meant to be started as a program.
 */
function orAsServer({ mcpProgram }: Resolution): string {
  return mcpProgram === undefined
    ? ""
    : `; it is a server of MCP, a program: write ${serverLine(mcpProgram)}`;
}

/** Finds the place of an error. Node's error about a syntax error in JavaScript has no place, so the file is parsed again. */
async function originOf(error: unknown, { path }: Resolution) {
  const origin = findErrorOrigin(error);
  return origin === undefined && error instanceof SyntaxError && path !== undefined
    ? findSyntaxError(path)
    : origin;
}

async function takeGiven(given: GivenModule): Promise<ModuleExports> {
  return typeof given === "function" ? given() : given;
}

async function importPath(
  { path = "", files, version }: Resolution,
  startedAt: number,
): Promise<ModuleExports> {
  return files === undefined ? importPackageFile(path, version) : importFile(files, startedAt);
}
