import { readFileSync } from "node:fs";

/** Bytes of a page of memory. Linux uses 4 KiB on x86-64, and `statm` counts in pages. */
const pageBytes = 4_096;

/**
 * Resident memory of a process and its children, in bytes; 0 for a process that ended. Undefined where the system has no
 * `/proc`.
 */
export function residentBytes(pid: number, platform = process.platform): number | undefined {
  if (platform !== "linux") return undefined;
  const pages = Number(readOr(`/proc/${pid}/statm`).split(" ")[1] ?? 0);
  const children = readOr(`/proc/${pid}/task/${pid}/children`).split(" ").filter(Boolean);
  return children.reduce((sum, child) => sum + (residentBytes(Number(child)) ?? 0), pages * pageBytes);
}

/** Empty for a process that ended. */
function readOr(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return "";
  }
}
