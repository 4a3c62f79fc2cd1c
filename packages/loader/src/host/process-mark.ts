import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import type { ProcessMark } from "@toolmount/core";

/** Creates the mark that names this process and can tell of another process of this machine whether it has ended. */
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
      if (boot !== place[1]) return true; // the machine has started again since
      return !isThere(pid) || startOf(pid) !== start;
    },
  };
}

/** Returns the machine's name, its boot, and the namespace in which the numbers of processes have their meaning. */
function placeOfProcesses(): readonly [string, string, string] {
  const boot = attempt(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim());
  return [hostname(), boot, attempt(() => readlinkSync("/proc/self/ns/pid"))];
}

/** Returns when a process started, to distinguish it from a later one with the same number; empty if unknown. */
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

/** Reads a file, or returns an empty text where it does not exist, as on systems other than Linux. */
function attempt(read: () => string): string {
  try {
    return read();
  } catch {
    return "";
  }
}
