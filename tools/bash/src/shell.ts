import { systemClock, type Clock } from "@toolmount/core";
import { createFiles, isPathError, type Files } from "@toolmount/paths";
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
import { probeSandbox, sandboxLauncher } from "./run/bubblewrap.ts";
import { commandEnvironment, hostEnvironment, type Environment } from "./run/environment.ts";
import { createProcessFinder, type ProcessFinder } from "./run/find-processes.ts";
import { createGuard, hostMarkName, type Guard } from "./run/guard.ts";
import { plainLauncher, type Launcher } from "./run/launch.ts";
import type { Patience } from "./run/end-processes.ts";

/** What the shell tools need of a host; each can be left out. */
export interface Services {
  /** The plan's folder. Without it `working_dir` must be absolute. */
  readonly planFolder?: string | undefined;
  /** Paths that may not be written whatever the settings say, such as the plan itself; asked for each call. */
  readonly protectedPaths?: (() => readonly string[]) | undefined;
  /** The host's variables, of which commands get those that the settings pass. */
  readonly environment?: Readonly<Record<string, string | undefined>> | undefined;
  readonly clock?: Clock | undefined;
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
  /**
   * Makes the folders that a command needs, as the file tools make theirs, and tries the sandbox once. Why commands
   * cannot run in the isolation that was asked for; null when they can.
   */
  prepare(): Promise<string | null>;
  /** Ends all commands. */
  close(): Promise<void>;
}

/** A tenth of a second for what a command left in the background, half a second between TERM and KILL. */
const patience: Patience = { lingerMs: 100, graceMs: 500 };

/** Prepares policy, environment and sandbox. Throws `CONFIG_INVALID` when the settings cannot be meant. */
export function openShell(given: Settings, services: Services = {}): Shell {
  const settings = config.parse(given);
  if (process.platform === "win32") throw configInvalid("there is no bash on this system that could be held");
  const { clock = systemClock } = services;
  const folders = realFolders(shellFolders(settings, services.planFolder ?? null));
  const plainEnvironment = commandEnvironment(services.environment ?? hostEnvironment(), settings);
  const guard = createGuard(settings.shell, plainEnvironment);
  const env: Environment = { ...plainEnvironment, [hostMarkName]: guard.mark };
  const bordersFor = (paths: readonly string[]): Borders => {
    const denied = [...folders.denied, ...paths];
    const files = openFiles(folders, denied);
    const { workingDir } = folders;
    return {
      files,
      policy: createPolicy(settings, { files, workingDir, home: env["HOME"] ?? null }),
      launcher: launcherOf(settings, { ...folders, denied }, env),
    };
  };
  const borders = rememberLast(bordersFor, services.protectedPaths ?? (() => []));
  const jobs = createJobs(() => clock.now());
  const isolated = settings.isolation === "bubblewrap";
  const probe = once(() => probeSandbox(borders().launcher, clock));
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
      return borders().launcher;
    },
    jobs,
    clock,
    patience,
    finder: createProcessFinder(clock),
    guard,
    async prepare() {
      const needed = isolated ? [folders.workingDir, ...folders.write] : [folders.workingDir];
      for (const path of needed) await makeFolder(borders().files, path);
      return isolated ? await probe() : null;
    },
    async close() {
      await jobs.close();
      guard.close();
    },
  };
}

/** What limits commands to their paths. */
type Borders = Pick<Shell, "files" | "policy" | "launcher">;

/** Creates the borders again when the protected paths change: after a reload, a plan may have other files. */
function rememberLast(
  make: (paths: readonly string[]) => Borders,
  protectedPaths: () => readonly string[],
): () => Borders {
  let last: { key: string; borders: Borders } | undefined;
  return () => {
    const paths = protectedPaths();
    const key = paths.join("\0");
    if (last?.key !== key) last = { key, borders: make(paths) };
    return last.borders;
  };
}

/** The paths of commands are judged from where the working folder really is. */
function realFolders(folders: ShellFolders): ShellFolders {
  return { ...folders, workingDir: reallyAt(folders.workingDir) };
}

function openFiles({ workingDir, read, write }: ShellFolders, deniedWrite: readonly string[]): Files {
  return createFiles({ workingDir, read: [workingDir, ...write, ...read], write, deniedWrite });
}

function launcherOf(
  settings: ParsedSettings,
  folders: ShellFolders,
  env: Readonly<Record<string, string>>,
): Launcher {
  const { shell, network, isolation } = settings;
  const cwd = folders.workingDir;
  if (isolation === "none") return plainLauncher({ shell, env, cwd });
  // The host's home is not there in the sandbox.
  const inside = { ...env, HOME: settings.env["HOME"] ?? "/tmp", TMPDIR: "/tmp" };
  return sandboxLauncher({ ...folders, shell, network, env: inside, cwd });
}

/** A folder that may not be made is missed by the command that needs it. */
async function makeFolder(files: Files, path: string): Promise<void> {
  await files.makeFolder(path).catch((thrown: unknown) => {
    if (!isPathError(thrown)) throw thrown;
  });
}

/** Asks once, and again only when the answer was a failure. */
function once(ask: () => Promise<string | null>): () => Promise<string | null> {
  let asked: Promise<string | null> | null = null;
  return async () => {
    asked ??= ask();
    const answer = await asked;
    if (answer !== null) asked = null;
    return answer;
  };
}
