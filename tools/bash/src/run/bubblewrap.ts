import type { Clock } from "@toolmount/core";
import {
  bubblewrapArguments,
  deniedMounts,
  ownProcesses,
  sandboxMounts,
  secretMounts,
} from "@toolmount/paths/system";
import { startCommand } from "./command.ts";
import { shellArguments, type Launcher, type LaunchPlace } from "./launch.ts";
import { createProcessFinder, markName } from "./find-processes.ts";

export interface SandboxPlace extends LaunchPlace {
  readonly write: readonly string[];
  readonly denied: readonly string[];
  readonly read: readonly string[];
  readonly secret: readonly string[];
  readonly network: boolean;
  /** The program; found on PATH. */
  readonly program?: string | undefined;
}

/**
 * Runs commands in a sandbox of bubblewrap: with their own processes, mounts, users and, without `network`, no network.
 * Only the system, the working folder and the given paths exist; only the write paths are writable. When its first
 * process ends, the kernel ends all others.
 */
export function sandboxLauncher(place: SandboxPlace): Launcher {
  const { cwd, write, denied, secret, read, network } = place;
  return bubblewrapLauncher(
    place,
    sandboxMounts({ cwd, read: [...read, cwd], write, denied, secret, network }),
  );
}

/** A sandbox in which all files exist, and few are writable. */
export interface WallPlace extends LaunchPlace {
  readonly write: readonly string[];
  readonly denied: readonly string[];
  readonly secret: readonly string[];
  /** What can be read although it is secret. */
  readonly read: readonly string[];
  /** The folder that commands see as `/tmp`. */
  readonly temporary: string;
}

/**
 * Runs commands behind a wall of bubblewrap: all files but secret ones are readable, only the working folder, the write paths and a
 * `/tmp` of their own are writable. Sockets in `/run`, such as Docker's, do not exist. The network stays.
 */
export function wallLauncher(place: WallPlace): Launcher {
  const { cwd, write, denied, read, temporary } = place;
  const folders = [cwd, ...write];
  // The machine's /tmp and /run are not there.
  const secret = place.secret.filter((path) => isBelow(path, folders) || !isBelow(path, ["/tmp", "/run"]));
  return bubblewrapLauncher(place, [
    "--unshare-pid",
    "--unshare-ipc",
    "--unshare-uts",
    "--unshare-cgroup-try",
    "--ro-bind",
    "/",
    "/",
    ...ownProcesses,
    "--dev",
    "/dev",
    "--tmpfs",
    "/run",
    ...["/run/systemd/resolve", "/run/current-system"].flatMap((path) => ["--ro-bind-try", path, path]),
    "--bind",
    temporary,
    "/tmp",
    ...bind("--bind", folders),
    ...deniedMounts(folders, denied),
    ...secretMounts(secret, { read: ["/", ...read], write: folders }),
  ]);
}

function bubblewrapLauncher(
  { env, cwd, shell, program = "bwrap" }: LaunchPlace & { readonly program?: string | undefined },
  mounts: readonly string[],
): Launcher {
  return (command, mark) => ({
    file: program,
    args: [
      ...bubblewrapArguments({ cwd, env: { ...env, [markName]: mark }, statusDescriptor: 3 }, mounts),
      shell,
      ...shellArguments(command),
    ],
    // The sandbox's own processes have no mark, so that SIGTERM reaches only the processes inside.
    env: { PATH: env["PATH"] ?? "" },
    cwd,
    sandbox: true,
  });
}

function isBelow(path: string, roots: readonly string[]): boolean {
  return roots.some((root) => path === root || path.startsWith(`${root}/`));
}

function bind(option: string, paths: readonly string[]): string[] {
  return paths.flatMap((path) => [option, path, path]);
}

/** Runs a harmless command in the sandbox. Null: it works; otherwise the reason why not. */
export async function probeSandbox(launcher: Launcher, clock: Clock): Promise<string | null> {
  const finder = createProcessFinder(clock);
  const options = { timeoutMs: 10_000, keepBytes: 4096, stopBytes: 65_536, clock, finder };
  const command = startCommand("echo ready", launcher, {
    ...options,
    patience: { lingerMs: 100, graceMs: 100 },
  });
  const { ending } = await command.done;
  if (ending.kind === "exited" && ending.code === 0 && command.stdout.start(16).toString() === "ready\n")
    return null;
  const said = command.stderr.start(500).toString().trim();
  if (said !== "") return said;
  return ending.kind === "not_started" ? ending.problem : `it ended with ${ending.kind}`;
}
