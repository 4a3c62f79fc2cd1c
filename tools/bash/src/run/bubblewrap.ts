import type { Clock } from "@toolmount/core";
import {
  bubblewrapArguments,
  proveSandbox,
  sandboxMounts,
  systemCallFilter,
  wallMounts,
  type SandboxKind,
  type WallMounts,
} from "@toolmount/sandbox";
import { startCommand } from "./command.ts";
import { shellArguments, type Launcher, type LaunchPlace } from "./launch.ts";
import { createProcessFinder, markName } from "./find-processes.ts";

interface SandboxPlace extends LaunchPlace {
  readonly write: readonly string[];
  readonly denied: readonly string[];
  readonly read: readonly string[];
  readonly secret: readonly string[];
  readonly network: boolean;
  /** The program; found on `path`. */
  readonly program?: string | undefined;
  readonly path?: string | undefined;
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
    network,
  );
}

/**
 * Runs commands behind a wall of bubblewrap: all files but secret ones are readable, only the working folder, the write
 * paths and a `/tmp` of their own are writable. Sockets in `/run`, such as Docker's, do not exist.
 */
export function wallLauncher(
  place: LaunchPlace & WallMounts & Pick<SandboxPlace, "network" | "path">,
): Launcher {
  return bubblewrapLauncher(place, wallMounts(place), place.network);
}

function bubblewrapLauncher(
  { env, cwd, shell, program = "bwrap", path = env["PATH"] }: LaunchPlace & Partial<SandboxPlace>,
  mounts: readonly string[],
  network: boolean,
): Launcher {
  return (command, mark) => ({
    file: program,
    args: [
      ...bubblewrapArguments({ cwd, env: { ...env, [markName]: mark }, statusDescriptor: 3 }, mounts),
      shell,
      ...shellArguments(command),
    ],
    // The sandbox's own processes have no mark, so that SIGTERM reaches only the processes inside.
    env: { PATH: path ?? "" },
    cwd,
    sandbox: true,
    filter: systemCallFilter({ network }),
  });
}

/** A sandbox to try: how it starts commands, of which kind it is, and the host's own environment. */
interface TriedSandbox {
  readonly launcher: Launcher;
  readonly kind: SandboxKind;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Tries to break out of the sandbox, and runs a harmless command in it. Null: it holds and works; otherwise why not. */
export async function probeSandbox(sandbox: TriedSandbox, clock: Clock): Promise<string | null> {
  const { problem } = await proveSandbox(sandbox);
  return problem ?? (await runHarmless(sandbox.launcher, clock));
}

async function runHarmless(launcher: Launcher, clock: Clock): Promise<string | null> {
  const finder = createProcessFinder(clock);
  const options = { timeoutMs: 60_000, keepBytes: 4096, stopBytes: 65_536, maxProcesses: 64, clock, finder };
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
