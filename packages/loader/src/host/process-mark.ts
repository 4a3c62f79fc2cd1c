import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import type { ProcessMark } from "@toolmount/core";

/** Creates the mark of this process: its id, and a test whether the process on this machine with a given id has ended. */
export function createProcessMark(): ProcessMark {
  let own: readonly [string, string, string] | undefined;
  const here = () => (own ??= placeOfProcesses());
  return {
    get id() {
      return JSON.stringify([...here(), process.pid, startOf(process.pid)]);
    },
    isGone(id) {
      const place = here();
      const [host, boot, namespace, pid, start] = readId(id);
      if (typeof pid !== "number" || host !== place[0] || namespace !== place[2]) return null;
      if (boot !== place[1]) return true; // the machine was restarted since, so the process has ended
      return !isThere(pid) || startOf(pid) !== start;
    },
  };
}

/** Returns the machine's name, the id of its boot, and the namespace in which process numbers are unique. */
function placeOfProcesses(): readonly [string, string, string] {
  const boot = attempt(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim());
  return [hostname(), boot, attempt(() => readlinkSync("/proc/self/ns/pid"))];
}

/** Returns when a process started, which distinguishes it from a later process with the same number; empty if unknown. */
function startOf(pid: number): string {
  const stat = attempt(() => readFileSync(`/proc/${pid}/stat`, "utf8"));
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? "";
}

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}

function readId(id: string): readonly unknown[] {
  try {
    const read: unknown = JSON.parse(id);
    return Array.isArray(read) ? read : [];
  } catch {
    return [];
  }
}

/** Reads from `/proc`, or returns an empty text if that is not possible, as on systems other than Linux. */
function attempt(read: () => string): string {
  try {
    return read();
  } catch {
    return "";
  }
}
