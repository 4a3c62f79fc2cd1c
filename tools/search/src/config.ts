import { isAbsolute, resolve } from "node:path";
import { ToolmountError } from "@toolmount/core";
import type { RootRules } from "@toolmount/paths";
import { z } from "zod";

const path = z.string().min(1);
const paths = z.array(path);
const limit = z.int().min(0).max(1_000_000);
const seconds = z.number().positive().max(86_400);

/** Names of folders with content that tools made, fetched or keep. A search skips them unless it is asked not to. */
const builtInExclusions = [
  "node_modules",
  ".venv",
  "venv",
  ".git",
  "__pycache__",
  ".mypy_cache",
  ".pytest_cache",
  ".tox",
  "dist",
  "build",
  ".next",
  ".nuxt",
  "target",
  "vendor",
  ".gradle",
  ".idea",
  ".vscode",
  "coverage",
  ".nyc_output",
];

const grep = z.strictObject({
  timeout: seconds.default(60).describe("Seconds after which a search is stopped"),
  max_file_size: z
    .int()
    .min(1)
    .max(1_073_741_824)
    .default(10_485_760)
    .describe("Largest file that is searched, in bytes"),
  default_limits: z
    .strictObject({
      files_with_matches: limit.default(200),
      content: limit.default(500),
      count: limit.default(200),
    })
    .prefault({})
    .describe("Results that a call shows by default; 0 for all"),
});

const glob = z.strictObject({
  timeout: seconds.default(60).describe("Seconds after which a search is stopped"),
});

/** The module's config in a plan. Paths are relative to the plan's folder; `~` and variables are not expanded. */
export const config = z.strictObject({
  working_dir: path.optional().describe("Where relative paths of a call start; default the plan's folder"),
  allowed_paths: paths.optional().describe("Searchable paths, with everything below; default working_dir"),
  denied_paths: paths.default([]).describe("Paths that must not be searched, whatever else allows them"),
  exclusions: z
    .array(z.string().regex(/^[^/!]+$/, "a name, or a pattern of names, without / and !"))
    .default(builtInExclusions)
    .describe("Names of files and folders to skip, unless a call sets include_ignored"),
  max_results: z.int().min(1).max(100_000).default(500).describe("Most paths of one glob"),
  max_output_bytes: z
    .int()
    .min(1000)
    .max(1_073_741_824)
    .default(80_000)
    .describe("Most bytes of text that one call returns; the rest is on the next page"),
  grep: grep.prefault({}),
  glob: glob.prefault({}),
});

/** The config as written in a plan. */
export type Settings = z.input<typeof config>;

/** The config with its defaults. */
export type ParsedSettings = z.output<typeof config>;

/** Returns the rules for paths. `planFolder` is null without a host; `working_dir` must then be absolute. */
export function rootRules(settings: ParsedSettings, planFolder: string | null): RootRules {
  const { working_dir, allowed_paths, denied_paths } = settings;
  const workingDir = absolute(working_dir, planFolder);
  const all = (given: readonly string[]) => given.map((each) => resolve(planFolder ?? workingDir, each));
  return {
    workingDir,
    read: allowed_paths === undefined ? [workingDir] : all(allowed_paths),
    write: [],
    deniedRead: all(denied_paths),
  };
}

function absolute(workingDir: string | undefined, planFolder: string | null): string {
  if (planFolder !== null) return resolve(planFolder, workingDir ?? ".");
  if (workingDir !== undefined && isAbsolute(workingDir)) return resolve(workingDir);
  throw new ToolmountError("CONFIG_INVALID", {
    module: "@toolmount/tool-search",
    problem: `working_dir is ${workingDir === undefined ? "not set" : "relative"}, and no session.working_dir is there`,
  });
}
