import { existsSync, realpathSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";
import { seccompFilter, type FilterOptions } from "./seccomp-filter.ts";
import { sandboxMounts, type SandboxMounts } from "./sandbox-mounts.ts";

/** Options with which bubblewrap starts a program. */
export interface BubblewrapProgram {
  /** The folder in which the program starts, as a path inside the sandbox. */
  readonly cwd: string;
  /** The whole environment of the program. */
  readonly env: Readonly<Record<string, string>>;
  /** Descriptor on which bubblewrap reports the process id inside, as JSON lines. */
  readonly statusDescriptor?: number | undefined;
}

/** Descriptor on which bubblewrap reads the filter of system calls. */
export const filterDescriptor = 4;

/** Returns the filter for a sandbox; undefined if the numbers of system calls are not known for this processor. */
export function systemCallFilter(options: FilterOptions): Uint8Array | undefined {
  return seccompFilter(process.arch, options);
}

/**
 * Returns the arguments of `bwrap`, up to the program that it starts. `mounts` are further arguments: those of
 * {@link sandboxMounts}, or others. The program has no capability and cannot make a user namespace in which it would have one,
 * even if the host is root. The process that starts bubblewrap passes it the {@link systemCallFilter}. The kernel ends every
 * process inside when the first one ends, or when bubblewrap's parent ends. Needs bubblewrap 0.8: older versions refuse these
 * arguments.
 */
export function bubblewrapArguments(
  program: BubblewrapProgram,
  mounts: readonly string[],
): readonly string[] {
  const { cwd, env, statusDescriptor } = program;
  return [
    "--die-with-parent",
    "--new-session",
    "--unshare-user",
    ...ownIdentity(),
    "--disable-userns",
    "--cap-drop",
    "ALL",
    "--clearenv",
    ...(systemCallFilter({ network: true }) === undefined ? [] : ["--seccomp", String(filterDescriptor)]),
    ...(statusDescriptor === undefined ? [] : ["--json-status-fd", String(statusDescriptor)]),
    ...mounts,
    "--chdir",
    cwd,
    ...Object.entries(env).flatMap(([name, value]) => ["--setenv", name, value]),
    "--",
  ];
}

/**
 * Returns the options for the user as whom a program runs: that of this process, even if bubblewrap starts in a namespace that
 * maps this user to another one.
 */
function ownIdentity(): readonly string[] {
  const [user, group] = [process.getuid?.(), process.getgid?.()];
  return user === undefined ? [] : ["--uid", String(user), "--gid", String(group)];
}

/** A program to start in a sandbox of bubblewrap, and both environments. */
export interface SandboxedProgram {
  readonly command: string;
  readonly args: readonly string[];
  /** The whole environment of bubblewrap and, without `inside`, of the program. Bubblewrap is found on its `PATH`. */
  readonly env: Readonly<Record<string, string>>;
  /** The environment of the program in the sandbox, if it differs from bubblewrap's. The program is found on its `PATH`. */
  readonly inside?: Readonly<Record<string, string>> | undefined;
}

/** The command that is started instead of the program, and its environment. */
export interface SandboxLaunch {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** The filter of system calls that is passed to bubblewrap on {@link filterDescriptor}. */
  readonly filter: Uint8Array | undefined;
}

/**
 * Returns the command that starts a program in a separate sandbox, or why that cannot be done: bubblewrap or the program is not
 * on `PATH`. The program's own file can be read inside.
 */
export function launchInSandbox(
  { command, args, env, inside = env }: SandboxedProgram,
  mounts: SandboxMounts,
): SandboxLaunch | { readonly problem: string } {
  const bwrap = findProgram("bwrap", env["PATH"]);
  if (bwrap === undefined) return { problem: "bwrap is not on PATH; install the package bubblewrap" };
  const program = isAbsolute(command) ? command : findProgram(command, inside["PATH"]);
  if (program === undefined) return { problem: `"${command}" is not on PATH` };
  const read = [program, realpathSync(program), ...mounts.read];
  const options = bubblewrapArguments({ cwd: mounts.cwd, env: inside }, sandboxMounts({ ...mounts, read }));
  const filter = systemCallFilter({
    network: mounts.network,
    countsMemory: mounts.memoryMb !== undefined,
  });
  return { file: bwrap, args: [...options, program, ...args], env, filter };
}

/** Returns the absolute path of a program on a `PATH`; undefined if none of its folders has the program. */
export function findProgram(name: string, path = ""): string | undefined {
  return path
    .split(delimiter)
    .filter((folder) => folder !== "")
    .map((folder) => join(folder, name))
    .find((file) => existsSync(file));
}
