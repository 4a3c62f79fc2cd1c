import { join } from "node:path";
import { ToolmountError, type JsonObject } from "@toolmount/core";
import { readManifest, type ModuleManifest } from "../modules/manifest.ts";
import { describeModule } from "./describe-module.ts";
import { importPackage, runPackageCode } from "./import-package.ts";

/** A package, and the manifest that is true of it. */
export interface DescribedPackage {
  /** The path of its `package.json`. */
  readonly file: string;
  /** The content of that file. */
  readonly written: Readonly<Record<string, unknown>>;
  /** What belongs under `toolmount` there. */
  readonly manifest: ModuleManifest;
}

/**
 * Imports the package of a folder, mounts it in a host of its own and writes the manifest that describes it. The folder is
 * its `session.working_dir`.
 *
 * Throws `SOURCE_NOT_FOUND`, `MODULE_IMPORT_FAILED`, `MODULE_INVALID`, `CONFIG_INVALID` and `MODULE_MOUNT_FAILED`.
 */
export async function describePackage(
  folder: string,
  { cwd, config }: { readonly cwd: string; readonly config?: JsonObject | undefined },
): Promise<DescribedPackage> {
  const { name, folder: path, json, exports } = await importPackage(folder, { cwd });
  const file = join(path, "package.json");
  if (json === null) throw new ToolmountError("SOURCE_NOT_FOUND", { source: file });
  const options = { name, config, manifest: readManifest(json["toolmount"]), workingDir: path };
  const manifest = await runPackageCode(name, "MODULE_MOUNT_FAILED", () => describeModule(exports, options));
  return { file, written: json, manifest };
}
