import { readdirSync, readFileSync } from "node:fs";

/** Process ids of all processes of this machine. Linux only. */
export function processIds(): readonly number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
}

/** A file that the kernel has about a process, such as `environ`; empty for a process that ended. */
export function fileOf(pid: number, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, "latin1");
  } catch {
    return "";
  }
}
