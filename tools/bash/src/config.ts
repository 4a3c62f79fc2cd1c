import { isAbsolute, resolve } from "node:path";
import { ToolmountError } from "@toolmount/core";
import { hostPattern } from "@toolmount/sandbox";
import { z } from "zod";

const path = z.string().min(1);
const paths = z.array(path);
const pattern = z.string().regex(/\S/).max(1000);
const patterns = z.array(pattern).max(1000);
const bytes = z.int().min(1000).max(1_073_741_824);
const variable = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/);

/** The module's config in a plan. Paths are relative to the plan's folder, and nothing in them is expanded. */
export const config = z.strictObject({
  working_dir: path.optional().describe("Folder in which commands start; default the plan's folder"),
  allowed_write_paths: paths
    .optional()
    .describe("Where redirections and known commands may write; default working_dir"),
  denied_write_paths: paths.default([]).describe("Paths that must not be written, whatever else allows them"),
  allowed_read_paths: paths
    .default([])
    .describe(
      "With bubblewrap: paths that commands can read, beside the system's programs and the write paths",
    ),
  timeout: z.number().min(0.1).max(86_400).default(30).describe("Seconds that a command may run by default"),
  max_timeout: z.number().min(0.1).max(86_400).default(600).describe("Largest timeout of a call, in seconds"),
  require_approval: z
    .boolean()
    .default(true)
    .describe("Whether a person is asked about every command that allowed_commands does not cover"),
  safety_profile: z
    .enum(["strict", "standard", "permissive", "unrestricted"])
    .default("strict")
    .describe("How strict the built-in policy is"),
  allowed_commands: patterns
    .default([])
    .describe(
      'Commands that run without a question, e.g. "git status *"; in standard and permissive they also override the profile',
    ),
  denied_commands: patterns.default([]).describe('Commands that never run, e.g. "git push"'),
  safety_overrides: z
    .strictObject({ allow: patterns.default([]), block: patterns.default([]) })
    .prefault({})
    .describe("allow: overrides the profile, but still asks; block: never runs"),
  max_output_bytes: bytes.default(100_000).describe("Most bytes of each stream in a result"),
  keep_output_bytes: bytes
    .default(4_194_304)
    .describe("Most bytes of each stream to keep for bash_output, half from its start, half from its end"),
  stop_output_bytes: bytes.default(67_108_864).describe("A command that prints more bytes is ended"),
  max_processes: z
    .int()
    .min(8)
    .max(1_000_000)
    .default(1_024)
    .describe("A command that is more processes at one time is killed (Linux)"),
  max_concurrent: z
    .int()
    .min(1)
    .max(1000)
    .optional()
    .describe("Most commands at the same time, including background commands"),
  max_background: z.int().min(0).max(1000).default(16).describe("Most background commands at the same time"),
  env: z.record(variable, z.string()).default({}).describe("Variables for commands"),
  pass_env: z
    .array(variable)
    .default([])
    .describe(
      "Variables of the host to pass to commands, beside PATH, HOME, USER, LANG, LC_ALL, TZ and TMPDIR",
    ),
  shell: path.default("bash").describe("The bash to run"),
  isolation: z
    .enum(["auto", "none", "bubblewrap"])
    .default("auto")
    .describe(
      "auto: where bubblewrap works, commands write only below working_dir and the write paths; bubblewrap: no other files, no network, refused where it does not work; none: the host's rights",
    ),
  network: z
    .union([z.boolean(), z.array(z.string().regex(hostPattern)).min(1).max(1000)])
    .default(false)
    .describe(
      'With bubblewrap: whether commands reach the network; or the hosts that they reach by HTTP, e.g. [registry.example.com, "*.example.org", "localhost:4873"]',
    ),
});

/** The config as written in a plan. */
export type Settings = z.input<typeof config>;

/** The config with its defaults. */
export type ParsedSettings = z.output<typeof config>;

/** The folders in the settings, as absolute paths. */
export interface ShellFolders {
  readonly workingDir: string;
  readonly write: readonly string[];
  readonly denied: readonly string[];
  readonly read: readonly string[];
}

/**
 * Returns the folders in the settings. `planFolder` is null without a host; `working_dir` must then be absolute.
 * Throws `CONFIG_INVALID`.
 */
export function shellFolders(settings: ParsedSettings, planFolder: string | null): ShellFolders {
  const workingDir = absolute(settings.working_dir, planFolder);
  const all = (given: readonly string[]) => given.map((each) => resolve(planFolder ?? workingDir, each));
  const { allowed_write_paths, denied_write_paths, allowed_read_paths } = settings;
  return {
    workingDir,
    write: allowed_write_paths === undefined ? [workingDir] : all(allowed_write_paths),
    denied: all(denied_write_paths),
    read: all(allowed_read_paths),
  };
}

function absolute(workingDir: string | undefined, planFolder: string | null): string {
  if (planFolder !== null) return resolve(planFolder, workingDir ?? ".");
  if (workingDir !== undefined && isAbsolute(workingDir)) return resolve(workingDir);
  throw configInvalid(
    `working_dir is ${workingDir === undefined ? "not set" : "relative"}, and no session.working_dir is there`,
  );
}

/** Makes the error for contradictory settings. */
export function configInvalid(problem: string): ToolmountError<"CONFIG_INVALID"> {
  return new ToolmountError("CONFIG_INVALID", { module: "@toolmount/tool-bash", problem });
}
