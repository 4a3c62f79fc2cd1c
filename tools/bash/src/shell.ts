import { join, relative } from "node:path";
import { systemClock, type Clock } from "@toolmount/core";
import { credentialPaths, type SandboxKind } from "@toolmount/sandbox";
import { areReallyIn, createFiles, isBelow, isPathError, type Files } from "@toolmount/paths";
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
  /** The plan's folder. Without it, `working_dir` must be absolute. */
  readonly planFolder?: string | undefined;
  /** Returns paths that must not be written whatever the settings say, such as the plan itself. Called for each call. */
  readonly protectedPaths?: (() => readonly string[]) | undefined;
  /** Returns paths that must not be read unless the settings name them, such as the host's state. Called for each call. */
  readonly secretPaths?: (() => readonly string[]) | undefined;
  /** The folder of the session's layer, if commands run in one. What they change there waits until a person accepts it. */
  readonly layer?: string | undefined;
  /** The host's variables. Commands get only those that the settings pass. */
  readonly environment?: Readonly<Record<string, string | undefined>> | undefined;
  readonly clock?: Clock | undefined;
  /** The operating system; default `process.platform`. */
  readonly platform?: NodeJS.Platform | undefined;
}

/** What the shell tools of one mount share. */
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
  /** Whether commands run in the layer of a session. */
  readonly isInLayer: boolean;
  /** Paths with credentials of the user, which commands do not see because no person is asked about them: `${HOME}/.ssh`. */
  readonly hidden: readonly string[];
  /** Whether commands may have effects outside of the layer, which a person cannot discard or undo with it. */
  readonly isFinal: boolean;
  /**
   * Creates the folders that a command needs, and tries out the sandbox once. Resolves to the reason why commands cannot run
   * in the isolation that the plan requires; null if they can.
   */
  prepare(): Promise<string | null>;
  /** Returns why the sandbox of `isolation: auto` is not used; null if it is used, and at later calls. */
  takeWallProblem(): string | null;
  /** Returns the hosts that commands asked for since the last call of this method, if the settings list hosts. */
  takeAsked(): { readonly reached: readonly string[]; readonly refused: readonly string[] };
  /** Ends all commands. */
  close(): Promise<void>;
}

/** Returns whether a layer contains the commands, and their network: with `isolation: auto` and without a layer, that of the host. */
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

/** Returns the kind of sandbox that the settings require. */
function kindOf({ isolation }: ParsedSettings, hasNetwork: boolean): SandboxKind {
  if (isolation === "bubblewrap") return hasNetwork ? "online" : "closed";
  return hasNetwork ? "wall" : "offline";
}

/** Settings of git for commands that do not see the user's keys: without them, a commit would fail where the user signs commits. */
const unsigned: Environment = {
  GIT_CONFIG_COUNT: "2",
  GIT_CONFIG_KEY_0: "commit.gpgSign",
  GIT_CONFIG_VALUE_0: "false",
  GIT_CONFIG_KEY_1: "tag.gpgSign",
  GIT_CONFIG_VALUE_1: "false",
};

function settingsOf(given: Settings, platform: NodeJS.Platform = process.platform): ParsedSettings {
  const settings = config.parse(given);
  if (platform === "win32")
    throw configInvalid("bash is not supported on Windows; remove it from the plan, or run toolmount in WSL");
  if (settings.isolation === "none" && typeof settings.network !== "boolean")
    throw configInvalid("only a sandbox keeps commands to the hosts of network; remove isolation: none");
  return settings;
}

/** A tenth of a second for background processes to end, and half a second between SIGTERM and SIGKILL. */
const patience: Patience = { lingerMs: 100, graceMs: 500 };

/** Prepares policy, environment and sandbox. Throws `CONFIG_INVALID` for contradictory settings. */
export function openShell(given: Settings, services: Services = {}): Shell {
  const { clock = systemClock, layer } = services;
  const settings = settingsOf(given, services.platform);
  const folders = realFolders(shellFolders(settings, services.planFolder ?? null));
  const { isContained, hosts, ...reach } = reachOf(settings, folders, layer);
  const host = services.environment ?? hostEnvironment();
  const plainEnvironment = commandEnvironment(host, settings);
  const way = createWay(hosts, { ...host, PATH: plainEnvironment["PATH"] });
  const temporary = createTemporaryFolder();
  const guard = createGuard(plainEnvironment);
  const credentials = isContained ? credentialPaths(host) : [];
  const env: Environment = { ...(isContained && unsigned), ...plainEnvironment, [hostMarkName]: guard.mark };
  const reached = { ...reach, gate: way.gate, isContained, credentials };
  const place = { ...folders, ...reached, env, temporary: temporary.path };
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
    hidden: namesOf(credentials, folders.read, host["HOME"]),
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

/** Returns credentials as a plan names them, such as `${HOME}/.ssh`, without those that the settings show. */
function namesOf(paths: readonly string[], shown: readonly string[], home = ""): readonly string[] {
  const hidden = paths.filter((path) => !shown.includes(path));
  return hidden.map((path) =>
    home !== "" && isBelow(path, home) ? `\${HOME}/${relative(home, path)}` : path,
  );
}

/** What limits commands to their allowed paths. */
interface Borders extends Pick<Shell, "files" | "policy"> {
  readonly plain: Launcher;
  readonly walled: Launcher;
}

interface BordersPlace extends Omit<WalledPlace, "secret"> {
  readonly isContained: boolean;
  readonly credentials: readonly string[];
}

/** Creates the borders around commands for the present protected paths and secret paths. */
function bordersOf(
  settings: ParsedSettings,
  { isContained, credentials, ...place }: BordersPlace,
  { paths, secret }: { readonly paths: readonly string[]; readonly secret: readonly string[] },
): Borders {
  const { workingDir, env } = place;
  const denied = [...place.denied, ...paths, ...namesIn(workingDir, paths)];
  const files = openFiles(place, denied);
  return {
    files,
    policy: createPolicy(settings, { files, workingDir, home: env["HOME"] ?? null, isContained }),
    plain: plainLauncher({ shell: settings.shell, env, cwd: workingDir }),
    walled: walledLauncher(settings, { ...place, denied, secret: [...secret, ...credentials] }),
  };
}

/** Creates the borders again only when the protected or secret paths change, as after a reload of the plan. */
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

/** Returns paths for names that are denied in any folder, as bubblewrap needs paths. It omits `.git`, which git must write. */
function namesIn(folder: string, paths: readonly string[]): string[] {
  const names = paths.filter((path) => path.startsWith("**/")).map((path) => path.slice(3));
  return names.filter((name) => !/^\.git$|[*(]/.test(name)).map((name) => join(folder, name));
}

/** Resolves links in the working folder, because the paths of commands are judged from its real place. */
function realFolders(folders: ShellFolders): ShellFolders {
  return { ...folders, workingDir: reallyAt(folders.workingDir) };
}

function openFiles({ workingDir, read, write }: ShellFolders, deniedWrite: readonly string[]): Files {
  return createFiles({ workingDir, read: [workingDir, ...write, ...read], write, deniedWrite });
}

/** Creates a folder. If that is not allowed, nothing happens here, and the command that needs the folder fails. */
async function makeFolder(files: Files, path: string): Promise<void> {
  await files.makeFolder(path).catch((thrown: unknown) => {
    if (!isPathError(thrown)) throw thrown;
  });
}
