import type { ChildProcess } from "node:child_process";
import { randomInt } from "node:crypto";
import { spawnChild } from "./process-trees.ts";

/** Kills the programs of this process if it ends without doing so itself, for example by SIGKILL. */
export interface ProgramGuard {
  /** Starts the guard's process, unless it is running. {@link ProgramGuard.add} does so, too. */
  start(): void;
  /** Adds a program that was started with `treeOptions`, by its process id. */
  add(pid: number): void;
  /** Removes a program that has ended, because its process id may soon belong to another one. */
  remove(pid: number): void;
  /** Kills the programs that were added and not removed, and ends the guard's process. */
  close(): void;
}

/** A mark on a program and everything that it starts, which they cannot remove: a resource limit that has no other effect. */
export interface LimitMark {
  /** The line of `/proc/PID/limits` that shows the mark. */
  readonly text: string;
  /** Returns the command that starts a program with the mark. */
  readonly launch: (file: string, args: readonly string[]) => { file: string; args: readonly string[] };
}

/** Options for {@link createProgramGuard}. */
export interface ProgramGuardOptions {
  /**
   * `NAME=value` in an environment, or a limit. The guard also kills every process that has this mark, which it finds in
   * `/proc`.
   */
  readonly mark?: string | LimitMark | undefined;
  /** `PATH` of the guard's process, on which it needs `grep` and `sleep` for a mark, and `sleep` for `isPolite`. */
  readonly path?: string | undefined;
  /** Sends SIGTERM to the programs first, and kills them one second later. */
  readonly isPolite?: boolean | undefined;
  readonly platform?: NodeJS.Platform | undefined;
}

/**
 * The program of the guard's process. It reads process ids from its input. When the input ends, because this process is gone,
 * it kills their groups and every process with the mark until none is left. It is a shell script because that needs 2 MB and 3
 * ms, a tenth of another Node process.
 */
const program = String.raw`
trap '' HUP INT TERM
mark=$1 polite=$2 place=$3 groups=' '
while IFS= read -r line; do
  pid=\${line#?}
  case $line in
    +*) groups="$groups$pid " ;;
    -*) case $groups in *" $pid "*) groups="\${groups%%" $pid "*} \${groups#*" $pid "}" ;; esac ;;
  esac
done
if [ -n "$polite" ] && [ "$groups" != ' ' ]; then
  for pid in $groups; do kill -s TERM -- "-$pid" 2>/dev/null; done
  sleep 1
fi
for round in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
  for pid in $groups; do kill -s KILL -- "-$pid" 2>/dev/null; done
  [ -z "$mark" ] && exit 0
  left=$(grep -lsF -- "$mark" /proc/[0-9]*/"$place" 2>/dev/null)
  [ -z "$left" ] && exit 0
  for file in $left; do pid=\${file#/proc/}; kill -s KILL "\${pid%/*}" 2>/dev/null; done
  sleep 0.05
done
`.replaceAll("\\${", "${");

/** Creates a guard. Its process starts with the first program. On Windows, a guard does nothing. */
export function createProgramGuard(options: ProgramGuardOptions = {}): ProgramGuard {
  const { platform = process.platform } = options;
  let child: ChildProcess | null = null;
  const send = (line: string) => {
    const input = child?.stdin;
    if (input?.writable === true) input.write(`${line}\n`);
  };
  const start = () => {
    const isRunning = child !== null && child.exitCode === null && child.signalCode === null;
    if (!isRunning && platform !== "win32") child = startGuard(options);
  };
  return {
    start,
    add(pid) {
      start();
      send(`+${pid}`);
    },
    remove: (pid) => send(`-${pid}`),
    close() {
      child?.stdin?.end();
      child = null;
    },
  };
}

/** Name of a guard's process, which is the third word after `/bin/sh`. */
export const guardName = "toolmount-guard";

/** Starts the process of a guard. Null if it cannot be started: it then protects nothing, but must not end this process. */
function startGuard(options: ProgramGuardOptions): ChildProcess | null {
  try {
    return guardProcess(options);
  } catch {
    return null;
  }
}

function guardProcess({ mark = "", path = "", isPolite = false }: ProgramGuardOptions): ChildProcess {
  const [text, place] = typeof mark === "string" ? [mark, "environ"] : [mark.text, "limits"];
  const words = [guardName, text, isPolite ? "polite" : "", place];
  const child = spawnChild("/bin/sh", ["-c", program, ...words], {
    cwd: "/",
    env: path === "" ? {} : { PATH: path },
    // The guard gets its own session, so that a signal to this process's group does not reach it.
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  });
  // A guard whose program is missing, or that was killed, must not end this process, too.
  child.on("error", () => undefined);
  const input = child.stdin!;
  input.on("error", () => undefined);
  child.unref();
  // Bun's stream has no `unref`, and does not keep the process running.
  (input as unknown as { unref?(): void }).unref?.();
  return child;
}

/**
 * Makes a mark that no other program of the machine has: a limit on resident memory. Linux passes it on to each child, shows it
 * to every user, and has not enforced it since version 2.4.30 (getrlimit(2), RLIMIT_RSS). A process can only lower it. On other
 * systems, nothing is marked.
 */
export function createLimitMark(platform = process.platform): LimitMark {
  // This is more memory than any machine has, and exact as a number of bytes.
  const kilobytes = 2 ** 40 + randomInt(2 ** 40);
  const bytes = String(kilobytes * 1024).padEnd(20);
  return {
    text: `Max resident set          ${bytes} ${bytes}`,
    launch: (file, args) =>
      platform === "linux"
        ? { file: "/bin/sh", args: ["-c", 'ulimit -m "$0"; exec "$@"', String(kilobytes), file, ...args] }
        : { file, args },
  };
}
