import { existsSync, realpathSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";

/** What bubblewrap starts a program with. */
export interface BubblewrapProgram {
  /** Current folder of the program. */
  readonly cwd: string;
  /** Its whole environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Descriptor on which bubblewrap reports the process id inside, as JSON lines. */
  readonly statusDescriptor?: number | undefined;
}

/** What exists in a sandbox. Paths are absolute. */
export interface SandboxMounts {
  /** Current folder. It is empty unless it is among the paths. */
  readonly cwd: string;
  /** Files and folders that can be read. */
  readonly read: readonly string[];
  /** Files and folders that can be changed. */
  readonly write: readonly string[];
  /** What cannot be changed, although a folder around it can. A path that does not exist is skipped. */
  readonly denied: readonly string[];
  /** Whether the network is that of the machine. Without, there is not even its loopback. */
  readonly network: boolean;
}

/** The system's programs and libraries, and the files that they need for names, times and certificates. */
const system = [
  "/usr",
  "/bin",
  "/sbin",
  "/lib",
  "/lib32",
  "/lib64",
  "/libx32",
  "/nix/store",
  "/run/current-system",
];
const settings = [
  "alternatives",
  "ca-certificates",
  "group",
  "hosts",
  "ld.so.cache",
  "ld.so.conf",
  "ld.so.conf.d",
  "localtime",
  "nsswitch.conf",
  "passwd",
  "pki",
  "resolv.conf",
  "ssl",
  "terminfo",
  "timezone",
].map((name) => `/etc/${name}`);

/**
 * The arguments of `bwrap`, up to the program that it starts. `mounts` are arguments, too: those of {@link sandboxMounts},
 * or others. The kernel ends every process inside when the first one ends, or when bubblewrap's parent ends.
 */
export function bubblewrapArguments(
  program: BubblewrapProgram,
  mounts: readonly string[],
): readonly string[] {
  const { cwd, env, statusDescriptor } = program;
  return [
    "--die-with-parent",
    "--new-session",
    "--clearenv",
    ...(statusDescriptor === undefined ? [] : ["--json-status-fd", String(statusDescriptor)]),
    ...mounts,
    "--chdir",
    cwd,
    ...Object.entries(env).flatMap(([name, value]) => ["--setenv", name, value]),
    "--",
  ];
}

/**
 * The mounts of a sandbox: the system's programs, the given paths, an empty `/tmp`, processes and users of its own, and
 * without `network` no network. Any other path does not exist.
 */
export function sandboxMounts({ cwd, read, write, denied, network }: SandboxMounts): readonly string[] {
  return [
    "--unshare-all",
    ...(network ? ["--share-net"] : []),
    ...bind("--ro-bind-try", [...system, ...settings]),
    "--tmpfs",
    "/tmp",
    "--dir",
    cwd,
    ...bind("--ro-bind", read),
    ...bind("--bind", write),
    ...bind(
      "--ro-bind-try",
      denied.filter((path) => isAbsolute(path)),
    ),
    // After the folders, so that a grant of "/" does not bring in the processes and devices of the machine.
    "--proc",
    "/proc",
    "--dev",
    "/dev",
  ];
}

function bind(option: string, paths: readonly string[]): string[] {
  return paths.flatMap((path) => [option, path, path]);
}

/** A program to start in a sandbox. */
export interface SandboxedProgram {
  readonly command: string;
  readonly args: readonly string[];
  /** Its whole environment. The program and bubblewrap are found on its `PATH`. */
  readonly env: Readonly<Record<string, string>>;
}

/** What is started instead of the program, and with which environment. */
export interface SandboxLaunch {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/**
 * How a program is started in a sandbox of its own, or why it cannot be: bubblewrap or the program is not on `PATH`. The
 * file of the program can be read inside.
 */
export function launchInSandbox(
  { command, args, env }: SandboxedProgram,
  mounts: SandboxMounts,
): SandboxLaunch | { readonly problem: string } {
  const bwrap = findProgram("bwrap", env["PATH"]);
  if (bwrap === undefined) return { problem: "bwrap is not on PATH; install the package bubblewrap" };
  const program = isAbsolute(command) ? command : findProgram(command, env["PATH"]);
  if (program === undefined) return { problem: `"${command}" is not on PATH` };
  const read = [program, realpathSync(program), ...mounts.read];
  const options = bubblewrapArguments({ cwd: mounts.cwd, env }, sandboxMounts({ ...mounts, read }));
  return { file: bwrap, args: [...options, program, ...args], env };
}

/** The absolute path of a program on a PATH. */
export function findProgram(name: string, path = ""): string | undefined {
  return path
    .split(delimiter)
    .filter((folder) => folder !== "")
    .map((folder) => join(folder, name))
    .find((file) => existsSync(file));
}
