import { isAbsolute } from "node:path";
import type { Clock } from "@toolmount/core";
import { bubblewrapArguments } from "@toolmount/paths";
import { startCommand } from "./command.ts";
import { shellArguments, type Launcher, type LaunchPlace } from "./launch.ts";
import { createProcessFinder, markName } from "./find-processes.ts";

export interface SandboxPlace extends LaunchPlace {
  readonly write: readonly string[];
  readonly denied: readonly string[];
  readonly read: readonly string[];
  readonly network: boolean;
  /** The program; found on PATH. */
  readonly program?: string | undefined;
}

<<<<<<< HEAD
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
 * Runs commands in a sandbox of bubblewrap: with their own processes, mounts, users and, without `network`, no network.
 * Only the system, the working folder and the given paths exist; only the write paths are writable. When its first
 * process ends, the kernel ends all others.
 */
export function sandboxLauncher(place: SandboxPlace): Launcher {
  const { cwd, write, denied, read, network } = place;
  return bubblewrapLauncher(place, [
    "--unshare-all",
    ...(network ? ["--share-net"] : []),
    ...[...system, ...settings].flatMap((path) => ["--ro-bind-try", path, path]),
    "--proc",
    "/proc",
    "--dev",
    "/dev",
    "--tmpfs",
    "/tmp",
    ...bind("--ro-bind", [...read, cwd]),
    ...bind("--bind", write),
    ...bind(
      "--ro-bind-try",
      denied.filter((path) => isAbsolute(path)),
    ),
  ]);
}

/** A sandbox in which all files exist, and few are writable. */
export interface WallPlace extends LaunchPlace {
  readonly write: readonly string[];
  readonly denied: readonly string[];
  /** The folder that commands see as `/tmp`. */
  readonly temporary: string;
}

/**
 * Runs commands behind a wall of bubblewrap: all files are readable, only the working folder, the write paths and a
 * `/tmp` of their own are writable. Sockets in `/run`, such as Docker's, do not exist. The network stays.
 */
export function wallLauncher(place: WallPlace): Launcher {
  const { cwd, write, denied, temporary } = place;
  return bubblewrapLauncher(place, [
    "--unshare-pid",
    "--unshare-ipc",
    "--unshare-uts",
    "--unshare-cgroup-try",
    "--ro-bind",
    "/",
    "/",
    "--proc",
    "/proc",
    "--dev",
    "/dev",
    "--tmpfs",
    "/run",
    ...["/run/systemd/resolve", "/run/current-system"].flatMap((path) => ["--ro-bind-try", path, path]),
    "--bind",
    temporary,
    "/tmp",
    ...bind("--bind", [cwd, ...write]),
    ...bind(
      "--ro-bind-try",
      denied.filter((path) => isAbsolute(path)),
    ),
  ]);
}

function bubblewrapLauncher(
  { env, cwd, shell, program = "bwrap" }: LaunchPlace & { readonly program?: string | undefined },
  mounts: readonly string[],
): Launcher {
  const fixed = [
    "--die-with-parent",
    "--new-session",
    "--clearenv",
    "--json-status-fd",
    "3",
    ...mounts,
    "--chdir",
    cwd,
  ];
=======
/**
 * Runs commands under bubblewrap: with their own processes, mounts and users, and without network unless `network` is
 * set. Only the write paths can be changed.
 */
export function sandboxLauncher(place: SandboxPlace): Launcher {
  const { env, cwd, read, shell, program = "bwrap" } = place;
  const inside = { ...place, read: [...read, cwd] };
>>>>>>> fd27127 (workers: calls run in processes behind a border of Node, bubblewrap or srt)
  return (command, mark) => ({
    file: program,
    args: [
      ...bubblewrapArguments({ ...inside, env: { ...env, [markName]: mark }, statusDescriptor: 3 }),
      shell,
      ...shellArguments(command),
    ],
    // The sandbox's own processes have no mark, so that SIGTERM reaches only the processes inside.
    env: { PATH: env["PATH"] ?? "" },
    cwd,
    sandbox: true,
  });
}

<<<<<<< HEAD
function bind(option: string, paths: readonly string[]): string[] {
  return paths.flatMap((path) => [option, path, path]);
}

/** Runs a harmless command in the sandbox. Null: it works; otherwise the reason why not. */
=======
/** Runs a harmless command in the sandbox. Null: it works; else why not, in a sentence. */
>>>>>>> fd27127 (workers: calls run in processes behind a border of Node, bubblewrap or srt)
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
