import { messageOf } from "@toolmount/core/errors";
import { readFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { isToolmountError, ToolmountError } from "@toolmount/core";
import { fillOptions } from "../host/defaults.ts";
import { importModule, type ModuleExports } from "../modules/import.ts";
import { isRecord } from "../diagnostics/json.ts";
import { resolveSource } from "../modules/resolve.ts";

/** A package that was imported from its folder, or a module from its file. */
export interface ImportedPackage {
  readonly name: string;
  readonly folder: string;
  /** What was imported. */
  readonly url: string;
  /** The `toolmount` part of its `package.json`; null when there is none. */
  readonly manifest: Readonly<Record<string, unknown>> | null;
  readonly exports: ModuleExports;
}

/**
 * Imports the module of a folder, as a plan's `./folder` would, or of a file. Throws `SOURCE_NOT_FOUND`,
 * `MODULE_INVALID` and `MODULE_IMPORT_FAILED`.
 */
export async function importPackage(
  written: string,
  { cwd }: { readonly cwd: string },
): Promise<ImportedPackage> {
  const path = resolve(cwd, written);
  const { conditions } = fillOptions({ cwd });
  const lookup = { folder: cwd, given: {}, conditions };
  const { path: entry = "", name } = await resolveSource({ kind: "path", written, path }, lookup);
  const url = pathToFileURL(entry).href;
  const folder = entry === path ? dirname(path) : path;
  const manifest = entry === path ? null : await readManifestPart(folder);
  try {
    return { name, folder, url, manifest, exports: await importModule(url) };
  } catch (cause) {
    if (isToolmountError(cause)) throw cause;
    const problem = messageOf(cause);
    throw new ToolmountError("MODULE_IMPORT_FAILED", { module: name, problem }, { cause });
  }
}

async function readManifestPart(folder: string): Promise<Readonly<Record<string, unknown>> | null> {
  const text = await readFile(join(folder, "package.json"), "utf8").catch(() => "{}");
  const json = parseJson(text, folder);
  return isRecord(json) && isRecord(json["toolmount"]) ? json["toolmount"] : null;
}

function parseJson(text: string, folder: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const problem = `its package.json is not JSON: ${messageOf(cause)}`;
    throw new ToolmountError("MODULE_INVALID", { module: folder, problem }, { cause });
  }
}
