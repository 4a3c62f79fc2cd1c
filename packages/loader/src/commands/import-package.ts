import { readFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { isToolmountError, ToolmountError } from "@toolmount/core";
import { isRecord } from "../diagnostics/json.ts";
import { messageOf } from "@toolmount/core/errors";
import { fillOptions } from "../host/defaults.ts";
import { moduleFailed } from "../modules/error-origin.ts";
import { importModule } from "@toolmount/core/import";
import type { ModuleExports } from "../modules/source.ts";
import { readManifest, type ModuleManifest } from "../modules/manifest.ts";
import { resolveSource } from "../modules/resolve.ts";
import { describeModule, type DescribeOptions } from "./describe-module.ts";

/** The imported module of a package's folder, or of a single file. */
export interface ImportedPackage {
  readonly name: string;
  readonly folder: string;
  /** The URL that was imported. */
  readonly url: string;
  /** The content of `package.json`; null for a file, and for a folder that has none. */
  readonly json: Readonly<Record<string, unknown>> | null;
  /** The `toolmount` part of `package.json`; null if it has no such part. */
  readonly manifest: Readonly<Record<string, unknown>> | null;
  readonly exports: ModuleExports;
}

/**
 * Imports the module of a folder or a file, as `./folder` in a plan would. Throws `SOURCE_NOT_FOUND`, `MODULE_INVALID` and
 * `MODULE_IMPORT_FAILED`.
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
  const json = entry === path ? null : await readPackageJson(folder);
  const manifest = isRecord(json?.["toolmount"]) ? json["toolmount"] : null;
  const exports = await runPackageCode(name, "MODULE_IMPORT_FAILED", () => importModule(url));
  return { name, folder, url, json, manifest, exports };
}

async function readPackageJson(folder: string): Promise<Readonly<Record<string, unknown>> | null> {
  const text = await readFile(join(folder, "package.json"), "utf8").catch(() => undefined);
  if (text === undefined) return null;
  try {
    const json: unknown = JSON.parse(text);
    return isRecord(json) ? json : null;
  } catch (cause) {
    const problem = `its package.json is not JSON: ${messageOf(cause)}`;
    throw new ToolmountError("MODULE_INVALID", { module: folder, problem }, { cause });
  }
}

/** Runs code of a package. If it throws an error that is not toolmount's, wraps this error in one with `code`. */
async function runPackageCode<Value>(
  module: string,
  code: "MODULE_IMPORT_FAILED" | "MODULE_MOUNT_FAILED",
  work: () => Promise<Value>,
): Promise<Value> {
  try {
    return await work();
  } catch (cause) {
    if (isToolmountError(cause)) throw cause;
    throw moduleFailed(code, module, messageOf(cause), cause);
  }
}

/** A package and the manifest that describes it. */
export interface DescribedPackage {
  /** The path of its `package.json`. */
  readonly file: string;
  /** The content of that file. */
  readonly written: Readonly<Record<string, unknown>>;
  /** The manifest that describes the package, which belongs under `toolmount` in that file. */
  readonly manifest: ModuleManifest;
}

/**
 * Imports the package of a folder, mounts it in a separate host, and returns the manifest that describes it. While it is mounted,
 * `session.working_dir` is its folder.
 *
 * Throws `SOURCE_NOT_FOUND`, `MODULE_IMPORT_FAILED`, `MODULE_INVALID`, `CONFIG_INVALID` and `MODULE_MOUNT_FAILED`.
 */
export async function describePackage(
  folder: string,
  { cwd, ...given }: { readonly cwd: string } & Pick<DescribeOptions, "config" | "adapters">,
): Promise<DescribedPackage> {
  const { name, folder: path, json, exports } = await importPackage(folder, { cwd });
  const file = join(path, "package.json");
  if (json === null) throw new ToolmountError("SOURCE_NOT_FOUND", { source: file });
  const options = { ...given, name, manifest: readManifest(json["toolmount"]), workingDir: path };
  const manifest = await runPackageCode(name, "MODULE_MOUNT_FAILED", () => describeModule(exports, options));
  return { file, written: json, manifest };
}
