import { messageOf } from "@toolmount/core/errors";
import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { isToolmountError, ToolmountError, type JsonObject } from "@toolmount/core";
import { fillOptions } from "../host/defaults.ts";
import { describeModule } from "./describe-module.ts";
import { importModule } from "../modules/import.ts";
import { isRecord } from "../diagnostics/json.ts";
import { readManifest, type ModuleManifest } from "../modules/manifest.ts";
import { resolveSource } from "../modules/resolve.ts";

/** A package's folder, what it says that it mounts, and what it does mount. */
export interface DescribedPackage {
  /** Its `package.json`. */
  readonly file: string;
  /** The whole of that file. */
  readonly written: Readonly<Record<string, unknown>>;
  /** What belongs under `toolmount` there. */
  readonly manifest: ModuleManifest;
}

/**
 * Imports the package of a folder, mounts it in a host of its own and tells what its manifest should say. The folder
 * is its `session.working_dir`.
 *
 * Throws `SOURCE_NOT_FOUND`, `MODULE_IMPORT_FAILED`, `MODULE_INVALID`, `CONFIG_INVALID` and `MODULE_MOUNT_FAILED`.
 */
export async function describePackage(
  folder: string,
  { cwd, config }: { readonly cwd: string; readonly config?: JsonObject | undefined },
): Promise<DescribedPackage> {
  const path = resolve(cwd, folder);
  const file = join(path, "package.json");
  const written = await readPackageFile(file);
  const { conditions } = fillOptions({ cwd });
  const lookup = { folder: cwd, given: {}, conditions };
  const { path: entry = "", name } = await resolveSource({ kind: "path", written: folder, path }, lookup);
  const options = { name, config, manifest: readManifest(written["toolmount"]), workingDir: path };
  const exports = await attempt(name, "MODULE_IMPORT_FAILED", () => importModule(pathToFileURL(entry).href));
  const manifest = await attempt(name, "MODULE_MOUNT_FAILED", () => describeModule(exports, options));
  return { file, written, manifest };
}

async function readPackageFile(file: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    const json: unknown = JSON.parse(await readFile(file, "utf8"));
    if (isRecord(json)) return json;
  } catch (cause) {
    throw new ToolmountError("SOURCE_NOT_FOUND", { source: file }, { cause });
  }
  throw new ToolmountError("MODULE_INVALID", { module: file, problem: "it is no object" });
}

/** Runs what belongs to the package, and gives whatever it throws a code. */
async function attempt<Value>(
  module: string,
  code: "MODULE_IMPORT_FAILED" | "MODULE_MOUNT_FAILED",
  work: () => Promise<Value>,
): Promise<Value> {
  try {
    return await work();
  } catch (cause) {
    if (isToolmountError(cause)) throw cause;
    const problem = messageOf(cause);
    throw new ToolmountError(code, { module, problem }, { cause });
  }
}
