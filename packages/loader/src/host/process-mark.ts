import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import type { ProcessMark } from "@toolmount/core";

/** Names this process, and says of another one of this machine whether it has ended. */
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

/** The machine, its start, and the namespace that gives the numbers of processes their meaning. */
function placeOfProcesses(): readonly [string, string, string] {
  const boot = attempt(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim());
  return [hostname(), boot, attempt(() => readlinkSync("/proc/self/ns/pid"))];
}

/** When a process started, so that another one with its number is not taken for it; empty where that is not known. */
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

/** Other systems than Linux do not have these files. */
function attempt(read: () => string): string {
  try {
    return read();
  } catch {
    return "";
  }
}
