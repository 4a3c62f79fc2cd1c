import { fstatSync, statSync } from "node:fs";

/**
 * Tests whether a file descriptor is a terminal. Node's terminal module takes 3 ms to load, so it is loaded only if the
 * descriptor is a device.
 */
export function isTerminal(fd: number): boolean {
  return mayBeTerminal(fd) && process.getBuiltinModule("node:tty").isatty(fd);
}

function mayBeTerminal(fd: number): boolean {
  try {
    const device = fstatSync(fd);
    return device.isCharacterDevice() && device.rdev !== statSync("/dev/null").rdev;
  } catch {
    // This system has no `/dev/null`, or the descriptor cannot be examined, so the terminal module decides.
    return true;
  }
}
