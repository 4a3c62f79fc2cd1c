import { fstatSync, statSync } from "node:fs";

/** Tests whether a descriptor is a terminal. Node's terminal module takes 3 ms to load, so it is used only for devices. */
export function isTerminal(fd: number): boolean {
  return mayBeTerminal(fd) && process.getBuiltinModule("node:tty").isatty(fd);
}

function mayBeTerminal(fd: number): boolean {
  try {
    const device = fstatSync(fd);
    return device.isCharacterDevice() && device.rdev !== statSync("/dev/null").rdev;
  } catch {
    // This system does not have that path.
    return true;
  }
}
