import { join } from "node:path";
import { systemClock, type Clock } from "@toolmount/core";
import type { SandboxKind } from "@toolmount/sandbox";
import { areReallyIn, createFiles, isPathError, type Files } from "@toolmount/paths";
import {
  config,
  configInvalid,
  shellFolders,
  type ParsedSettings,
  type Settings,
  type ShellFolders,
} from "./config.ts";
import { createJobs, type Jobs } from "./jobs.ts";
import { reallyAt } from "./script/folders.ts";
import { createPolicy, type Policy } from "./policy/policy.ts";
import { probeSandbox, walledLauncher, type WalledPlace } from "./run/bubblewrap.ts";
import { commandEnvironment, hostEnvironment, type Environment } from "./run/environment.ts";
import { createProcessFinder, type ProcessFinder } from "./run/find-processes.ts";
import { createGuard, hostMarkName, type Guard } from "./run/guard.ts";
import { plainLauncher, type Launcher } from "./run/launch.ts";
import { createTemporaryFolder, createWall, createWay } from "./run/wall.ts";
import type { Patience } from "./run/end-processes.ts";

/** Services of the host that the shell tools use; all are optional. */
export interface Services {
  /** The plan's folder. Without it `working_dir` must be absolute. */
  readonly planFolder?: string | undefined;
  /** Paths that must not be written whatever the settings say, such as the plan itself; read for each call. */
  readonly protectedPaths?: (() => readonly string[]) | undefined;
  /** Paths that must not be read unless the settings name them, such as the host's state; read for each call. */
  readonly secretPaths?: (() => readonly string[]) | undefined;
  /** The folder of the session's layer, if commands run in one: what they change there waits until a person keeps it. */
  readonly layer?: string | undefined;
  /** The host's variables; commands get those that the settings pass. */
  readonly environment?: Readonly<Record<string, string | undefined>> | undefined;
  readonly clock?: Clock | undefined;
  /** The operating system, `process.platform` if not given. */
  readonly platform?: NodeJS.Platform | undefined;
}

/** Shared by the shell tools of one mount. */
export interface Shell {
  readonly settings: ParsedSettings;
  readonly files: Files;
  readonly policy: Policy;
  readonly jobs: Jobs;
  readonly launcher: Launcher;
  readonly clock: Clock;
  readonly patience: Patience;
  readonly finder: ProcessFinder;
  readonly guard: Guard;
  /** Commands run in the layer of a session. */
  readonly isInLayer: boolean;
  /** What a command does is not only in that layer, where a person drops it, or undoes its keep. */
  readonly isFinal: boolean;
  /**
   * Creates the folders that a command needs, and tries the sandbox once. Resolves to the reason why commands cannot run
   * in the isolation that the plan asks for; null when they can.
   */
  prepare(): Promise<string | null>;
  /** Why the wall of `isolation: auto` is not used, the first time; null when that was said, or it is used. */
  takeWallProblem(): string | null;
  /** The hosts that commands asked for since this was last called, where the settings list hosts. */
  takeAsked(): { readonly reached: readonly string[]; readonly refused: readonly string[] };
  /** Ends all commands. */
  close(): Promise<void>;
}

/** Whether commands change nothing outside of a layer, and whether they have the network: a wall without a layer leaves it. */
function reachOf(
  { isolation, network }: ParsedSettings,
  { workingDir, write }: ShellFolders,
  layer: string | undefined,
) {
  const isInside = layer !== undefined && areReallyIn(layer, [workingDir, ...write]);
  const isContained = isInside && network !== true && isolation !== "none";
  const hosts = typeof network === "boolean" ? [] : network;
  const isOpen = isolation === "auto" && !isContained && hosts.length === 0;
  return { isContained, hasNetwork: network === true || isOpen, hosts, layer };
}

/** The kind of sandbox that the settings mean. */
function kindOf({ isolation }: ParsedSettings, hasNetwork: boolean): SandboxKind {
  if (isolation === "bubblewrap") return hasNetwork ? "online" : "closed";
  return hasNetwork ? "wall" : "offline";
}

/** A tenth of a second for background processes, half a second between SIGTERM and SIGKILL. */
const patience: Patience = { lingerMs: 100, graceMs: 500 };

/** Prepares policy, environment and sandbox. Throws `CONFIG_INVALID` for contradictory settings. */
export function openShell(given: Settings, services: Services = {}): Shell {
  const { clock = systemClock, platform = process.platform, layer } = services;
  const settings = config.parse(given);
  if (platform === "win32")
    throw configInvalid("bash is not supported on Windows; remove it from the plan, or run toolmount in WSL");
  if (settings.isolation === "none" && typeof settings.network !== "boolean")
    throw configInvalid("only a sandbox keeps commands to the hosts of network; remove isolation: none");
  const folders = realFolders(shellFolders(settings, services.planFolder ?? null));
  const { isContained, hosts, ...reach } = reachOf(settings, folders, layer);
  const host = services.environment ?? hostEnvironment();
  const plainEnvironment = commandEnvironment(host, settings);
  const way = createWay(hosts, { ...host, PATH: plainEnvironment["PATH"] });
  const temporary = createTemporaryFolder();
  const guard = createGuard(plainEnvironment);
  const env: Environment = { ...plainEnvironment, [hostMarkName]: guard.mark };
  const place = { ...folders, ...reach, gate: way.gate, isContained, env, temporary: temporary.path };
  const borders = rememberLast((paths, secret) => bordersOf(settings, place, { paths, secret }), services);
  const jobs = createJobs(() => clock.now());
  const tried = { kind: kindOf(settings, reach.hasNetwork), env: plainEnvironment };
  const probe = () => probeSandbox({ ...tried, launcher: borders().walled }, clock);
  const hasHosts = hosts.length > 0;
  const wall = createWall({ ...settings, isRequired: isContained || hasHosts, probe, temporary });
  borders();
  return {
    settings,
    get files() {
      return borders().files;
    },
    get policy() {
      return borders().policy;
    },
    get launcher() {
      return wall.isUp ? borders().walled : borders().plain;
    },
    jobs,
    clock,
    patience,
    finder: createProcessFinder(clock),
    guard,
    isInLayer: layer !== undefined,
    isFinal: !isContained || hasHosts,
    async prepare() {
      const closed = await way.raise();
      if (closed !== null) return closed;
      const problem = await wall.raise();
      const needed = wall.isUp ? [folders.workingDir, ...folders.write] : [folders.workingDir];
      for (const path of needed) await makeFolder(borders().files, path);
      return wall.isNeeded ? problem : null;
    },
    takeWallProblem: () => wall.takeProblem(),
    takeAsked: () => way.takeAsked(),
    async close() {
      await jobs.close();
      way.close();
      guard.close();
      temporary.remove();
    },
  };
}

/** What limits commands to their paths. */
interface Borders extends Pick<Shell, "files" | "policy"> {
  readonly plain: Launcher;
  readonly walled: Launcher;
}

interface BordersPlace extends Omit<WalledPlace, "secret"> {
  readonly isContained: boolean;
}

/** The borders around commands while these paths are protected, and these are secret. */
function bordersOf(
  settings: ParsedSettings,
  { isContained, ...place }: BordersPlace,
  { paths, secret }: { readonly paths: readonly string[]; readonly secret: readonly string[] },
): Borders {
  const { workingDir, env } = place;
  const denied = [...place.denied, ...paths, ...namesIn(workingDir, paths)];
  const files = openFiles(place, denied);
  return {
    files,
    policy: createPolicy(settings, { files, workingDir, home: env["HOME"] ?? null, isContained }),
    plain: plainLauncher({ shell: settings.shell, env, cwd: workingDir }),
    walled: walledLauncher(settings, { ...place, denied, secret }),
  };
}

/** Creates the borders again when the protected paths change: after a reload, a plan may have other files. */
function rememberLast(
  make: (paths: readonly string[], secret: readonly string[]) => Borders,
  { protectedPaths = () => [], secretPaths = () => [] }: Services,
): () => Borders {
  let last: { key: string; borders: Borders } | undefined;
  return () => {
    const [paths, secret] = [protectedPaths(), secretPaths()];
    const key = JSON.stringify([paths, secret]);
    if (last?.key !== key) last = { key, borders: make(paths, secret) };
    return last.borders;
  };
}

/** Denied names of any folder, in the working folder: bubblewrap knows paths only. Git itself writes into `.git`. */
function namesIn(folder: string, paths: readonly string[]): string[] {
  const names = paths.filter((path) => path.startsWith("**/")).map((path) => path.slice(3));
  return names.filter((name) => !/^\.git$|[*(]/.test(name)).map((name) => join(folder, name));
}

/** Resolves the working folder, because the paths of commands are judged from its real place. */
function realFolders(folders: ShellFolders): ShellFolders {
  return { ...folders, workingDir: reallyAt(folders.workingDir) };
}

function openFiles({ workingDir, read, write }: ShellFolders, deniedWrite: readonly string[]): Files {
  return createFiles({ workingDir, read: [workingDir, ...write, ...read], write, deniedWrite });
}

/** When a folder must not be created, the command that needs it fails. */
async function makeFolder(files: Files, path: string): Promise<void> {
  await files.makeFolder(path).catch((thrown: unknown) => {
    if (!isPathError(thrown)) throw thrown;
  });
}
