import { isAbsolute, resolve } from "node:path";
import { ToolmountError } from "@toolmount/core";
import { z } from "zod";

const path = z.string().min(1);
const paths = z.array(path);
const pattern = z.string().regex(/\S/).max(1000);
const patterns = z.array(pattern).max(1000);
const bytes = z.int().min(1000).max(1_073_741_824);
const variable = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/);

/** What a plan may set for this module. Paths are relative to the plan's folder; nothing in them is expanded. */
export const config = z.strictObject({
  working_dir: path.optional().describe("Where commands start; the plan's folder when left out"),
  allowed_write_paths: paths
    .optional()
    .describe("Where redirections and known commands may write; working_dir when left out"),
  denied_write_paths: paths.default([]).describe("Where they may not write, whatever else allows it"),
  allowed_read_paths: paths
    .default([])
    .describe("With bubblewrap: what commands see beside the system's programs and the write paths"),
  timeout: z
    .number()
    .min(0.1)
    .max(86_400)
    .default(30)
    .describe("Seconds a command may run when the call does not say"),
  max_timeout: z.number().min(0.1).max(86_400).default(600).describe("Most seconds that a call may ask for"),
  require_approval: z
    .boolean()
    .default(true)
    .describe("Whether a person is asked about every command that allowed_commands does not cover"),
  safety_profile: z
    .enum(["strict", "standard", "permissive", "unrestricted"])
    .default("strict")
    .describe("How much the built-in policy holds back"),
  allowed_commands: patterns
    .default([])
    .describe(
      'Commands that run unasked, e.g. "git status *"; in standard and permissive also past the profile',
    ),
  denied_commands: patterns.default([]).describe('Commands that never run, e.g. "git push"'),
  safety_overrides: z
    .strictObject({ allow: patterns.default([]), block: patterns.default([]) })
    .prefault({})
    .describe("allow: past the profile, but not unasked; block: never"),
  max_output_bytes: bytes.default(100_000).describe("Most bytes of each stream that an answer has"),
  keep_output_bytes: bytes
    .default(4_194_304)
    .describe(
      "Most bytes of each stream that are kept to be paged through, half from its start, half from its end",
    ),
  stop_output_bytes: bytes.default(67_108_864).describe("A command that prints more than this is ended"),
  max_concurrent: z
    .int()
    .min(1)
    .max(1000)
    .optional()
    .describe("Most commands at once, background ones among them"),
  max_background: z.int().min(0).max(1000).default(16).describe("Most background commands at once"),
  env: z.record(variable, z.string()).default({}).describe("Variables that commands get"),
  pass_env: z
    .array(variable)
    .default([])
    .describe(
      "Variables of the host that commands get, beside PATH, HOME, USER, LANG, LC_ALL, TZ and TMPDIR",
    ),
  shell: path.default("bash").describe("The bash to run"),
  isolation: z
    .enum(["auto", "none", "bubblewrap"])
    .default("auto")
    .describe(
      "auto: where bubblewrap works, commands write only below working_dir and the write paths; bubblewrap: no other files, no network, refused where it does not work; none: the host's rights",
    ),
  network: z.boolean().default(false).describe("With bubblewrap: whether commands reach the network"),
});

/** A plan's settings, as they are written. */
export type Settings = z.input<typeof config>;

/** Settings with their defaults. */
export type ParsedSettings = z.output<typeof config>;

/** The folders that settings mean, as absolute paths. */
export interface ShellFolders {
  readonly workingDir: string;
  readonly write: readonly string[];
  readonly denied: readonly string[];
  readonly read: readonly string[];
}

/** `planFolder` is null where no host tells one; `working_dir` must then be absolute. Throws `CONFIG_INVALID`. */
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

/** The error for settings that cannot be meant. */
export function configInvalid(problem: string): ToolmountError<"CONFIG_INVALID"> {
  return new ToolmountError("CONFIG_INVALID", { module: "@toolmount/tool-bash", problem });
}
