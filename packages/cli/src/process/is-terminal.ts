import { fstatSync, statSync } from "node:fs";

/** Whether a descriptor is a terminal. What Node has for terminals takes 3 ms to load, so it is asked only about devices. */
export function isTerminal(fd: number): boolean {
  return mayBeTerminal(fd) && process.getBuiltinModule("node:tty").isatty(fd);
}

function mayBeTerminal(fd: number): boolean {
  try {
    const device = fstatSync(fd);
    return device.isCharacterDevice() && device.rdev !== statSync("/dev/null").rdev;
  } catch {
    // A system without that path.
    return true;
  }
}
