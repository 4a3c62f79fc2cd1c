import { spawn, type ChildProcess } from "node:child_process";
import { randomUUID } from "node:crypto";
import { existsSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { signal } from "./find-processes.ts";

/** The variable by which all processes of one host's commands are found. */
export const hostMarkName = "TOOLMOUNT_HOST_ID";

/** Ends the commands of this host when the host ends without doing it, for example by SIGKILL. */
export interface Guard {
  /** Value of {@link hostMarkName} in every command's environment. */
  readonly mark: string;
  /** Starts the guard's process before the first command. */
  start(): void;
  /** Adds a command by the leader of its group. */
  add(pid: number): void;
  remove(pid: number): void;
  /** Ends the guard's process, and whatever the added commands left. */
  close(): void;
}

/**
 * The program of the guard's process. It reads the process ids of commands from its input, and at the end of the input,
 * when the host is gone, kills their groups and every process with the host's mark until none is left. It is a shell
 * script because that needs 2 MB and 3 ms, a tenth of another Node process.
 */
const program = String.raw`
trap '' HUP INT TERM
mark=$1 groups=' '
while IFS= read -r line; do
  case $line in
    +*) groups="$groups\${line#+} " ;;
    -*) groups="\${groups/ \${line#-} / }" ;;
  esac
done
for round in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
  for pid in $groups; do kill -KILL -- "-$pid" 2>/dev/null; done
  left=$(grep -lzsFx -- "$mark" /proc/[0-9]*/environ 2>/dev/null)
  [ -z "$left" ] && exit 0
  for file in $left; do pid=\${file#/proc/}; kill -KILL "\${pid%/environ}" 2>/dev/null; done
  sleep 0.05
done
`.replaceAll("\\${", "${");

/** Creates the guard of one host. It starts no process by itself. */
export function createGuard(shell: string, environment: Readonly<Record<string, string>>): Guard {
  const mark = hostMark();
  let child: ChildProcess | null = null;
  const send = (line: string) => {
    const input = child?.stdin;
    if (input?.writable === true) input.write(`${line}\n`);
  };
  return {
    mark,
    start() {
      if (child !== null && child.exitCode === null && child.signalCode === null) return;
      child = startGuard(shell, `${hostMarkName}=${mark}`, environment);
    },
    add: (pid) => send(`+${pid}`),
    remove: (pid) => send(`-${pid}`),
    close() {
      child?.stdin?.end();
      child = null;
    },
  };
}

function startGuard(
  shell: string,
  mark: string,
  { PATH = "" }: Readonly<Record<string, string>>,
): ChildProcess {
  const child = spawn(shell, ["--noprofile", "--norc", "-c", program, "toolmount-guard", mark], {
    cwd: "/",
    env: { PATH },
    // In a session of its own, so that a signal to the host's group does not reach it.
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  });
  // A guard that cannot be started, or that was killed, protects nothing; the sweep of the next mount remains.
  child.on("error", () => undefined);
  child.stdin.on("error", () => undefined);
  child.unref();
  (child.stdin as unknown as { unref(): void }).unref();
  return child;
}

/** Namespace, process id and start time of this process, and a random part: another host can tell if it is running. */
function hostMark(): string {
  const place = placeOf(process.pid);
  return [place?.namespace ?? "", process.pid, place?.start ?? "", randomUUID()].join(".");
}

/**
 * Kills processes that commands of hosts left which are no longer running: their guard was killed, too. Skips hosts in
 * other process namespaces. Resolves to the number of killed processes.
 */
export async function sweepOrphans(): Promise<number> {
  const own = placeOf(process.pid);
  if (own === null) return 0;
  let killed = 0;
  for (const [at, pid] of listPids().entries()) {
    if (at % 64 === 63) await new Promise<void>((resolve) => void setImmediate(resolve));
    const host = hostOf(pid);
    if (host === null || host.namespace !== own.namespace) continue;
    if (isGone(host) && signal(pid, "SIGKILL")) killed++;
  }
  return killed;
}

/** Whether a host has ended. When its state cannot be read, it counts as running. */
function isGone({ pid, start }: HostPlace): boolean {
  const place = placeOf(pid);
  return place === null ? !existsSync(`/proc/${pid}`) : place.start !== start;
}

interface HostPlace {
  readonly namespace: string;
  readonly pid: number;
  readonly start: string;
}

/** The host that started a process, by the mark in its environment. */
function hostOf(pid: number): HostPlace | null {
  const head = `${hostMarkName}=`;
  const entry = readOr(`/proc/${pid}/environ`)
    .split("\0")
    .find((each) => each.startsWith(head));
  const [namespace = "", host = "", start = ""] = entry?.slice(head.length).split(".") ?? [];
  return namespace === "" || start === "" ? null : { namespace, pid: Number(host), start };
}

/** Namespace and start time of a process; null without `/proc`, and for a process that is gone. */
function placeOf(pid: number): { namespace: string; start: string } | null {
  const stat = readOr(`/proc/${pid}/stat`);
  const start = stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
  if (start === undefined) return null;
  try {
    return { namespace: readlinkSync("/proc/self/ns/pid").replaceAll(/\D/g, ""), start };
  } catch {
    return null;
  }
}

function listPids(): readonly number[] {
  try {
    return readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name))
      .map(Number);
  } catch {
    return [];
  }
}

function readOr(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return "";
  }
}
