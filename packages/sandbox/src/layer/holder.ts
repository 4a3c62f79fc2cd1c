import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { setTimeout } from "node:timers/promises";
import { findProgram, type SandboxLaunch } from "../system/bubblewrap.ts";
import { residentEnvironment } from "../system/environment.ts";
import { namespaceProblem } from "../system/namespace-settings.ts";
import { guardName } from "../system/program-guard.ts";
import { spawnChild } from "../system/process-trees.ts";
import { commandsOf, namespaceOf, numbersIn, readOr } from "../system/process-usage.ts";
import { readOnly, viewNamespaces } from "../system/overlay-trial.ts";
import { sandboxStdio } from "../system/start-sandbox.ts";
import { readRecord, writeRecord } from "./durable.ts";
import {
  codeOfPerson,
  pathOfPerson,
  pathOutside,
  personFolder,
  realPlace,
  toPerson,
} from "./person-paths.ts";

/** The ways to show a folder with the changes of a layer: the kernel's overlay, or a copy of the folder. */
export type EngineName = "overlay" | "copy";

/** A layer on the disk, and the environment for its programs. */
export interface LayerPlace {
  /** The folder of the person, as a real path. */
  readonly folder: string;
  /** Where the layer keeps its files: `.toolmount/layers/<name>` in the folder. */
  readonly place: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Whether the layer is a fork, which is thrown away: its programs have no network, and the rest of the disk is read-only. */
  readonly isFork?: boolean | undefined;
}

/**
 * Script of the process that keeps the view mounted. When this first process of its namespaces ends, which it does when its
 * input ends, so also when the host dies, the kernel ends all other processes in them and the mounts. `SIGCHLD` is ignored, so
 * that the kernel removes ended processes, and `/proc` shows the namespace's numbers, by which bubblewrap finds its processes.
 * The person's folder is `../../..`, so no path is part of the mount's options. It is opened before the view hides it, and
 * shown a second time.
 */
const script = `
read -r pid rest < /proc/self/stat || exit 1
exec 9< ../../.. || exit 1
case "$1" in
overlay) mount -t overlay toolmount -o lowerdir=../../..,upperdir=changed,workdir=work,userxattr "$2" ;;
copy) mount --bind changed "$2" ;;
*) exit 1 ;;
esac || exit 1
mkdir -p "$3" 2> /dev/null || { echo "${readOnly}" >&2; exit 1; }
mount --no-canonicalize --bind /proc/self/fd/9 "$3" || exit 1
mount -o remount,bind,ro,nosuid,nodev "$3" || mount -o remount,bind,ro,nosuid,nodev,noexec "$3" || exit 1
exec 9<&-
cd /
# The names of mount points are escaped, such as a space as \\040.
if [ "$4" = fork ]; then
  while read -r _ _ _ _ at options _; do
    at="$(printf '%b' "$at")"
    case "$at" in "$2" | "$3" | /proc | /proc/* | /sys | /sys/* | /dev | /dev/*) ;;
    *) mount -o "remount,bind,$options,ro" "$at" || exit 1 ;;
    esac
  done < /proc/self/mountinfo
  # Services of the machine are asked by sockets there, and what they do is not in the layer.
  case "$2" in /run/*) ;; *) mount -t tmpfs -o ro,nosuid,nodev toolmount /run || exit 1 ;; esac
fi
mount -t proc proc /proc || exit 1
echo "$pid"
exec env --ignore-signal=CHLD cat > /dev/null
`;

/** Returns the option for the network of a fork, in which there is no other machine. */
const networkOf = ({ isFork }: LayerPlace) => (isFork === true ? ["--net"] : []);

/** A process, with its start time, because the kernel uses process numbers again. */
interface HeldProcess {
  readonly pid: number;
  readonly started: string;
}

/** A mounted view, as namespaces that programs can enter. */
export interface Holder {
  /** The folder as the layer shows it, as a path for this process. Absolute links in it lead out of the layer. */
  readonly view: string;
  /**
   * Returns the command that starts a program in the view. A resident is a program that waits there for calls; it does not
   * prevent that the view is mounted again.
   */
  enter(launch: SandboxLaunch, isResident?: boolean): SandboxLaunch;
  /** Whether the view still exists; its first process may have been killed. */
  isAlive(): boolean;
  /** Whether a program runs in the view, other than residents. */
  isBusy(): boolean;
  /** Returns the command lines of the programs in the view, without residents and programs that only wait for another one. */
  running(): readonly string[];
  /** Ends every process in the view, and the mounts; resolves when they are gone. */
  end(): Promise<void>;
}

/** Mounts the view of a layer, or returns why the machine cannot. */
export async function startHolder(
  engine: EngineName,
  at: LayerPlace,
): Promise<Holder | { readonly problem: string }> {
  const path = at.env["PATH"];
  const [unshare, nsenter] = ["unshare", "nsenter"].map((name) => findProgram(name, path));
  if (unshare === undefined || nsenter === undefined)
    return { problem: "unshare and nsenter are not on PATH; install the package util-linux" };
  const person = personFolder(at.folder);
  const words = ["layer", engine, at.folder, person, at.isFork === true ? "fork" : ""];
  const child = spawnChild(
    unshare,
    [...viewNamespaces, ...networkOf(at), "/bin/sh", "-c", script, ...words],
    {
      cwd: at.place,
      // Programs enter the view later, with the rights of the host; this environment is only for the script.
      env: { PATH: pathOutside(at.folder, path) },
      stdio: sandboxStdio(["pipe", "pipe", "pipe"]),
    },
  );
  const ended = once(child, "close").catch(() => {});
  const problem = text(child.stderr!);
  const pid = await firstLine(child);
  if (pid === undefined) {
    await ended;
    const said = (await problem).trim().split("\n")[0] || "its first process ended at once";
    return { problem: namespaceProblem(said) };
  }
  const held = { pid: Number(pid), started: startOf(Number(pid)) ?? "" };
  writeRecord(holderFile(at.place), held);
  return holderOf(child, { unshare, nsenter, held, ended, at });
}

interface Held {
  readonly unshare: string;
  readonly nsenter: string;
  readonly held: HeldProcess;
  readonly ended: Promise<unknown>;
  readonly at: LayerPlace;
}

function holderOf(child: ChildProcess, { unshare, nsenter, held, ended, at }: Held): Holder {
  const { folder } = at;
  const { pid } = held;
  const entered = ["--user", "--preserve-credentials", "--mount", "--pid", ...networkOf(at)];
  const words = [...entered, "--target", String(pid), "--"];
  const namespace = namespaceOf(pid);
  const isProgram = (each: number) =>
    each !== pid && namespaceOf(each) === namespace && !isResidentProcess(each);
  const view = `/proc/${pid}/root${folder}`;
  return {
    view,
    // The command changes to the folder inside, because a current folder that was opened outside still shows the person's
    // files. A resident starts in the person's own folder.
    enter({ file, args, env, filter }, isResident = false) {
      const inside = ["/bin/sh", "-c", 'cd "$0" && exec "$@"', folder, file, ...args];
      if (!isResident) return { file: nsenter, args: [...words, ...inside], env, filter };
      const inPerson = [...asPerson(unshare), ...inside].map((word) => toPerson(folder, realWord(word)));
      const own = [...words, ...inPerson];
      return {
        file: nsenter,
        args: own,
        env: { ...variablesOfPerson(folder, env), ...residentEnvironment },
        filter,
      };
    },
    // A process that is killed loses its folders some time before it has ended.
    isAlive: () => !hasEnded(held) && existsSync(view),
    isBusy: () => numbersIn("/proc").some(isProgram),
    running: () => commandsOf(isProgram),
    async end() {
      child.stdin!.destroy();
      await ended;
      await endOf(held);
    },
  };
}

async function firstLine(child: ChildProcess): Promise<string | undefined> {
  const lines = createInterface({ input: child.stdout! });
  for await (const line of lines) return line;
  return undefined;
}

/** Ends the first process of a view that a dead host has left, and with it everything that runs in the view. */
export async function endLeftHolder(place: string): Promise<void> {
  const held = readRecord(holderFile(place)) as HeldProcess | undefined;
  if (held === undefined || hasEnded(held)) return;
  try {
    process.kill(held.pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
  await endOf(held);
}

const holderFile = (place: string) => join(place, "holder.json");

/** Waits until a process is gone; the other processes of its namespace are gone before it. */
async function endOf(held: HeldProcess): Promise<void> {
  while (!hasEnded(held)) await setTimeout(1);
}

function hasEnded({ pid, started }: HeldProcess): boolean {
  return startOf(pid) !== started;
}

/** Returns when a process began, in ticks; undefined if it has ended, even if its parent has not noticed that yet. */
function startOf(pid: number): string | undefined {
  const stat = readOr(`/proc/${pid}/stat`);
  // The name in parentheses may contain anything. After it come the state and, as the twentieth field, the start.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return stat === "" || fields[0] === "Z" ? undefined : fields[19];
}

/** Returns the start of a command that runs a resident as the person again; in the namespace of the view, the person is root. */
function asPerson(unshare: string): readonly string[] {
  const [user, group] = [process.getuid?.() ?? 0, process.getgid?.() ?? 0];
  if (user === 0 && group === 0) return [];
  return [unshare, "--user", `--map-user=${user}`, `--map-group=${group}`, "--"];
}

/** Changes the variables by which a program finds code, so that a resident runs no code that the layer may have changed. */
function variablesOfPerson(folder: string, env: SandboxLaunch["env"]): SandboxLaunch["env"] {
  const changed = Object.entries(env).flatMap(([name, value]) => {
    if (name === "PATH") return [[name, pathOfPerson(folder, value)]];
    return /^(?:NODE|LD|OPENSSL)_./.test(name) ? [[name, codeOfPerson(folder, name, value)]] : [];
  });
  return { ...env, ...(Object.fromEntries(changed) as SandboxLaunch["env"]) };
}

function realWord(word: string): string {
  return isAbsolute(word) ? realPlace(word) : word;
}

const [residentWord = ""] = Object.entries(residentEnvironment).map((pair) => pair.join("="));

/** Whether a process is a resident, or the guard of a resident's programs. */
function isResidentProcess(pid: number): boolean {
  if (readOr(`/proc/${pid}/cmdline`).split("\0")[3] === guardName) return true;
  return readOr(`/proc/${pid}/environ`).split("\0").includes(residentWord);
}
