import { openSync, readdirSync, readFileSync } from "node:fs";

/** Flag of a descriptor that programs started by this process do not inherit. */
const closedOnExec = 0o2_000_000;

let inherited: readonly number[] | undefined;
let empty: number | undefined;

/**
 * Returns the descriptors above 2 with which this process was started and which all programs that it starts would inherit, such
 * as a folder that a script opened. Node closes only those below 16, and a program could leave its sandbox by the descriptor of
 * a folder. They are searched once, and only on Linux.
 */
export function inheritedDescriptors(): readonly number[] {
  return (inherited ??= descriptors().filter((each) => each > 2 && !isClosedOnExec(each)));
}

function descriptors(): readonly number[] {
  try {
    return readdirSync("/proc/self/fd").map(Number);
  } catch {
    return [];
  }
}

function isClosedOnExec(descriptor: number): boolean {
  try {
    const flags = /^flags:\s*(\d+)$/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, "latin1"))?.[1];
    return (Number.parseInt(flags ?? "0", 8) & closedOnExec) !== 0;
  } catch {
    // The descriptor by which the others were listed is closed already.
    return true;
  }
}

/** Returns a descriptor of `/dev/null`, which a program gets instead of one that it must not have. */
export function emptyDescriptor(): number {
  return (empty ??= openSync("/dev/null", "r+"));
}
