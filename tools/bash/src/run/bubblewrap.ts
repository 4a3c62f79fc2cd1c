import type { Clock } from "@toolmount/core";
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

/** Of the system: its programs and libraries, and what they need to find names, times and certificates. */
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
 * Runs commands under bubblewrap: its own processes, mounts, users and, unless asked for, no network. What is not
 * bound is not there; only the write paths can be written. When its first process ends, the kernel ends all others.
 */
export function sandboxLauncher(place: SandboxPlace): Launcher {
  const { env, cwd, shell, program = "bwrap" } = place;
  const fixed = [
    "--unshare-all",
    "--die-with-parent",
    "--new-session",
    "--clearenv",
    "--json-status-fd",
    "3",
    ...(place.network ? ["--share-net"] : []),
    ...[...system, ...settings].flatMap((path) => ["--ro-bind-try", path, path]),
    "--proc",
    "/proc",
    "--dev",
    "/dev",
    "--tmpfs",
    "/tmp",
    ...bind("--ro-bind", [...place.read, cwd]),
    ...bind("--bind", place.write),
    ...bind("--ro-bind-try", place.denied),
    "--chdir",
    cwd,
  ];
  return (command, mark) => ({
    file: program,
    args: [
      ...fixed,
      ...Object.entries({ ...env, [markName]: mark }).flatMap(([name, value]) => ["--setenv", name, value]),
      "--",
      shell,
      ...shellArguments(command),
    ],
    // The sandbox's own processes do not bear the mark, so that only what runs inside is asked to end.
    env: { PATH: env["PATH"] ?? "" },
    cwd,
    sandbox: true,
  });
}

function bind(option: string, paths: readonly string[]): string[] {
  return paths.flatMap((path) => [option, path, path]);
}

/** Runs a harmless command in the sandbox. Null: it works; else why not, in a sentence. */
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
