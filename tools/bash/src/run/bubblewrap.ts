import type { Clock } from "@toolmount/core";
import {
  bubblewrapArguments,
  proveSandbox,
  shownEnvironment,
  sandboxMounts,
  systemCallFilter,
  wallMounts,
  type HostGate,
  type SandboxKind,
  type WallMounts,
} from "@toolmount/sandbox";
import { startCommand } from "./command.ts";
import type { Environment } from "./environment.ts";
import { shellArguments, type Launcher, type LaunchPlace } from "./launch.ts";
import { createProcessFinder, markName } from "./find-processes.ts";

/** The only connection out of a sandbox without a network: to the hosts that the plan lists. */
export interface Gate {
  open(): HostGate | undefined;
  /** Variables by which programs find the gate. */
  readonly env: Environment;
}

interface SandboxPlace extends LaunchPlace {
  readonly write: readonly string[];
  readonly denied: readonly string[];
  readonly read: readonly string[];
  readonly secret: readonly string[];
  /** Whether the sandbox shares the network in which it is started. With a gate, that network has no other machines. */
  readonly network: boolean;
  readonly gate?: Gate | undefined;
  /** The name of bubblewrap's program, which is searched in `path`. */
  readonly program?: string | undefined;
  readonly path?: string | undefined;
}

/**
 * Runs commands in a sandbox of bubblewrap, with separate processes, mounts and users and, without `network`, no network.
 * Only the system, the working folder and the given paths exist, and only the write paths are writable. When the sandbox's
 * first process ends, the kernel ends all others.
 */
function sandboxLauncher(place: SandboxPlace): Launcher {
  const { cwd, write, denied, secret, read, network } = place;
  return bubblewrapLauncher(
    place,
    sandboxMounts({ cwd, read: [...read, cwd], write, denied, secret, network }),
  );
}

/**
 * Runs commands behind a wall of bubblewrap: all files except secret ones are readable, but only the working folder, the write
 * paths and a separate `/tmp` are writable. Sockets in `/run`, such as that of Docker, do not exist there.
 */
function wallLauncher(
  place: LaunchPlace & WallMounts & Pick<SandboxPlace, "network" | "path" | "gate">,
): Launcher {
  return bubblewrapLauncher(place, wallMounts(place));
}

function bubblewrapLauncher(
  place: LaunchPlace & Partial<SandboxPlace> & Pick<SandboxPlace, "network">,
  mounts: readonly string[],
): Launcher {
  const { env, cwd, shell, program = "bwrap", path = env["PATH"], network, gate } = place;
  const argumentsOf = (command: string, mark: string) => [
    ...bubblewrapArguments({ cwd, env: { ...env, [markName]: mark }, statusDescriptor: 3 }, mounts),
    shell,
    ...shellArguments(command),
  ];
  return (command, mark) => {
    const args = argumentsOf(command, mark);
    return {
      ...(gate === undefined ? { file: program, args } : openGate(gate).enter(program, args)),
      // The sandbox's own processes have no mark, so SIGTERM reaches only the processes inside.
      env: { PATH: path ?? "" },
      cwd,
      sandbox: true,
      filter: systemCallFilter({ network: network && gate === undefined }),
    };
  };
}

/** Returns the open gate. Throws if it is closed, because the sandbox would then share the host's network. */
function openGate(gate: Gate): HostGate {
  const open = gate.open();
  if (open === undefined) throw new Error("the way to the listed hosts is not open");
  return open;
}

/** The place where commands run behind the wall or in the sandbox, and what they reach there. */
export interface WalledPlace extends Pick<SandboxPlace, "write" | "denied" | "read" | "secret"> {
  readonly workingDir: string;
  readonly hasNetwork: boolean;
  readonly gate: Gate | undefined;
  readonly layer: string | undefined;
  readonly env: Environment;
  readonly temporary: string;
}

interface WalledSettings {
  readonly shell: string;
  readonly isolation: string;
  readonly env: Environment;
}

/** Creates the launcher for commands behind the wall or in the sandbox, as the settings say, with the environment for it. */
export function walledLauncher(
  { shell, isolation, env: given }: WalledSettings,
  { hasNetwork, layer, gate, env: own, temporary, ...folders }: WalledPlace,
): Launcher {
  const cwd = folders.workingDir;
  const path = own["PATH"];
  const found = { ...gate?.env, ...own };
  const env = layer === undefined ? found : shownEnvironment(layer, found);
  const way = { network: hasNetwork || gate !== undefined, gate };
  if (isolation !== "bubblewrap") {
    // Programs keep their caches in the home folder, but that is not writable here.
    const caches = {
      XDG_CACHE_HOME: "/tmp/.cache",
      npm_config_cache: "/tmp/.npm",
      GOCACHE: "/tmp/.cache/go",
    };
    const inside = { ...caches, ...env, TMPDIR: "/tmp" };
    return wallLauncher({ ...folders, shell, cwd, path, temporary, ...way, env: inside });
  }
  // The host's home does not exist in the sandbox.
  const inside = { ...env, HOME: given["HOME"] ?? "/tmp", TMPDIR: "/tmp" };
  return sandboxLauncher({ ...folders, shell, ...way, env: inside, cwd, path });
}

/** A sandbox to try out: its launcher, its kind, and the host's own environment. */
interface TriedSandbox {
  readonly launcher: Launcher;
  readonly kind: SandboxKind;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Tries to break out of the sandbox, and runs a harmless command in it. Null if it holds and works, otherwise why not. */
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
