import { isAbsolute, resolve } from "node:path";
import { ToolmountError } from "@toolmount/core";
import type { RootRules } from "@toolmount/paths";
import { z } from "zod";

const path = z.string().min(1);
const paths = z.array(path);
const bytes = z.int().min(1).max(1_073_741_824);

/** What a plan may set for this module. Paths are relative to the plan's folder; nothing in them is expanded. */
export const config = z.strictObject({
  working_dir: path
    .optional()
    .describe("What relative paths of a call are relative to; the plan's folder when left out"),
  allowed_read_paths: paths
    .optional()
    .describe("What may be read, with all below; working_dir and the write paths when left out"),
  allowed_write_paths: paths
    .optional()
    .describe("What may be written, with all below; working_dir when left out"),
  denied_read_paths: paths.default([]).describe("What may not be read, whatever else allows it"),
  denied_write_paths: paths.default([]).describe("What may not be written, whatever else allows it"),
  max_read_bytes: bytes.default(10_485_760).describe("Largest file that is read or edited"),
  max_write_bytes: bytes.default(10_485_760).describe("Largest file that is written"),
  max_image_bytes: bytes
    .default(5_242_880)
    .describe("Largest image that is shown; larger ones are described"),
  max_output_bytes: bytes
    .default(80_000)
    .describe("Most text that one read gives back; the rest is a page on"),
  read_before_write: z
    .boolean()
    .default(false)
    .describe("Whether a file that is there must have been read in the session before it is changed"),
});

/** A plan's settings, as they are written. */
export type Settings = z.input<typeof config>;

/** Settings with their defaults. */
export type ParsedSettings = z.output<typeof config>;

/** The roots that settings mean. `planFolder` is null where no host tells one; `working_dir` must then be absolute. */
export function rootRules(settings: ParsedSettings, planFolder: string | null): RootRules {
  const { working_dir, allowed_read_paths, allowed_write_paths } = settings;
  const workingDir = absolute(working_dir, planFolder);
  const all = (given: readonly string[]) => given.map((each) => resolve(planFolder ?? workingDir, each));
  const write = allowed_write_paths === undefined ? [workingDir] : all(allowed_write_paths);
  return {
    workingDir,
    read: allowed_read_paths === undefined ? [workingDir, ...write] : all(allowed_read_paths),
    write,
    deniedRead: all(settings.denied_read_paths),
    deniedWrite: all(settings.denied_write_paths),
  };
}

function absolute(workingDir: string | undefined, planFolder: string | null): string {
  if (planFolder !== null) return resolve(planFolder, workingDir ?? ".");
  if (workingDir !== undefined && isAbsolute(workingDir)) return resolve(workingDir);
  throw new ToolmountError("CONFIG_INVALID", {
    module: "@toolmount/tool-filesystem",
    problem: `working_dir is ${workingDir === undefined ? "not set" : "relative"}, and no session.working_dir is there`,
  });
}
