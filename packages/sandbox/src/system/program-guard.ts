import { spawn, type ChildProcess } from "node:child_process";
import { randomInt } from "node:crypto";

/** Kills the programs of this process when it ends without doing so itself, for example by SIGKILL. */
export interface ProgramGuard {
  /** Starts the guard's process, unless it runs. {@link ProgramGuard.add} does so, too. */
  start(): void;
  /** Adds a program that was started with `treeOptions`, by its process id. */
  add(pid: number): void;
  /** Removes a program that has ended: its process id may soon be that of another one. */
  remove(pid: number): void;
  /** Kills the programs that were added and not removed, and ends the guard's process. */
  close(): void;
}

/** A mark of a program and of all that it starts, which none of them can remove: a limit that is only for marking. */
export interface LimitMark {
  /** How the limit of a process with this mark is shown in `/proc/PID/limits`. */
  readonly text: string;
  /** Returns the command that starts a program with the mark. */
  readonly launch: (file: string, args: readonly string[]) => { file: string; args: readonly string[] };
}

/** How a guard is started. */
export interface ProgramGuardOptions {
  /** `NAME=value` in an environment, or a limit: the guard also kills each process that has it. Only where there is `/proc`. */
  readonly mark?: string | LimitMark | undefined;
  /** `PATH` of the guard's process, which needs `grep` and `sleep` for the mark, and `sleep` where `isPolite` is set. */
  readonly path?: string | undefined;
  /** Sends SIGTERM to the programs first, and kills them a second later. */
  readonly isPolite?: boolean | undefined;
  readonly platform?: NodeJS.Platform | undefined;
}

/**
 * The program of the guard's process. It reads process ids from its input, and at the end of the input, when this
 * process is gone, kills their groups and every process with the mark until none is left. It is a shell script because
 * that needs 2 MB and 3 ms, a tenth of another Node process.
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

/** Creates a guard. Its process starts with the first program. Windows has none: there a guard does nothing. */
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

/** The name of a guard's process: the third word after `/bin/sh`. */
export const guardName = "toolmount-guard";

function startGuard({ mark = "", path = "", isPolite = false }: ProgramGuardOptions): ChildProcess {
  const [text, place] = typeof mark === "string" ? [mark, "environ"] : [mark.text, "limits"];
  const words = [guardName, text, isPolite ? "polite" : "", place];
  const child = spawn("/bin/sh", ["-c", program, ...words], {
    cwd: "/",
    env: path === "" ? {} : { PATH: path },
    // In a session of its own, so that a signal to this process's group does not reach it.
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  });
  // A guard that cannot be started, or that was killed, protects nothing.
  child.on("error", () => undefined);
  child.stdin.on("error", () => undefined);
  child.unref();
  // Bun's has no `unref`, and keeps no process running.
  (child.stdin as unknown as { unref?(): void }).unref?.();
  return child;
}

/**
 * Makes a mark that no other program of the machine has. Linux passes the limit on to each child, shows it to every user, and
 * has enforced nothing by it since version 2.4.30 (getrlimit(2), RLIMIT_RSS). A process can only lower it. Elsewhere nothing is marked.
 */
export function createLimitMark(platform = process.platform): LimitMark {
  // More memory than any machine has, and exact as a number of bytes.
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
