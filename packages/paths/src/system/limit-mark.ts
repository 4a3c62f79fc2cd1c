import { randomInt } from "node:crypto";

/** A mark of a program and of all that it starts, which none of them can remove: a limit that is only for marking. */
export interface LimitMark {
  /** How the limit of a process with this mark is shown in `/proc/PID/limits`. */
  readonly text: string;
  /** What starts a program with the mark. */
  readonly launch: (file: string, args: readonly string[]) => { file: string; args: readonly string[] };
}

/**
 * Makes a mark that no other program of the machine has. Linux passes the limit on to each child, shows it to every user, and
 * has enforced nothing by it since version 2.4.30 (getrlimit(2), RLIMIT_RSS). A process can only lower it.
 */
export function createLimitMark(): LimitMark {
  // Above all memory that a machine has, and exact as a number of bytes.
  const kilobytes = 2 ** 40 + randomInt(2 ** 40);
  const bytes = String(kilobytes * 1024).padEnd(20);
  return {
    text: `Max resident set          ${bytes} ${bytes}`,
    launch: (file, args) => ({
      file: "/bin/sh",
      args: ["-c", 'ulimit -m "$0"; exec "$@"', String(kilobytes), file, ...args],
    }),
  };
}
