import { closeSync, fstatSync, ftruncateSync, openSync, readSync, writeFileSync } from "node:fs";

/**
 * Adds a line at the end of a file. A new file is readable only for its owner. First removes an incomplete last line, which a
 * killed process or a full disk may have left. Throws the errors of the file system.
 */
export function addLine(file: string, line: string): void {
  const descriptor = openSync(file, "a+", 0o600);
  try {
    const { size } = fstatSync(descriptor);
    const whole = wholeLines(descriptor, size);
    if (whole < size) ftruncateSync(descriptor, whole);
    writeFileSync(descriptor, `${line}\n`);
  } finally {
    closeSync(descriptor);
  }
}

/** Returns the number of bytes up to the end of the last complete line. */
function wholeLines(descriptor: number, size: number): number {
  const chunk = Buffer.alloc(4_096);
  for (let end = size; end > 0; end -= chunk.length) {
    const from = Math.max(0, end - chunk.length);
    const read = readSync(descriptor, chunk, 0, end - from, from);
    const at = chunk.subarray(0, read).lastIndexOf("\n");
    if (at !== -1) return from + at + 1;
  }
  return 0;
}
