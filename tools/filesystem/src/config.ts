import { isAbsolute, resolve } from "node:path";
import { ToolmountError } from "@toolmount/core";
import type { RootRules } from "@toolmount/paths";
import { z } from "zod";

const path = z.string().min(1);
const paths = z.array(path);
const bytes = z.int().min(1).max(1_073_741_824);

/** The module's config in a plan. Paths are relative to the plan's folder; nothing in them is expanded. */
export const config = z.strictObject({
  working_dir: path.optional().describe("Where relative paths of a call start; default the plan's folder"),
  allowed_read_paths: paths
    .optional()
    .describe("Readable paths, with everything below; default working_dir and the write paths"),
  allowed_write_paths: paths
    .optional()
    .describe("Writable paths, with everything below; default working_dir"),
  denied_read_paths: paths.default([]).describe("Paths that must not be read, whatever else allows them"),
  denied_write_paths: paths.default([]).describe("Paths that must not be written, whatever else allows them"),
  max_read_bytes: bytes.default(10_485_760).describe("Largest file that is read or edited"),
  max_write_bytes: bytes.default(10_485_760).describe("Largest file that is written"),
  max_image_bytes: bytes
    .default(5_242_880)
    .describe("Largest image that is shown; larger ones are described"),
  max_output_bytes: bytes
    .default(80_000)
    .describe("Most bytes of text that one read returns; the rest is on the next page"),
  read_before_write: z
    .boolean()
    .default(false)
    .describe("Whether an existing file must be read in the session before it is changed"),
});

/** The config as written in a plan. */
export type Settings = z.input<typeof config>;

/** The config with its defaults. */
export type ParsedSettings = z.output<typeof config>;

/** Returns the rules for paths. `planFolder` is null without a host; `working_dir` must then be absolute. */
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
