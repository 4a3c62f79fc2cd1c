import {
  chmodSync,
  closeSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { pathOfText } from "../system/file-names.ts";
import { markOf, namesIn } from "../system/mark.ts";

/** Writes a value as JSON in such a way that the file is complete or absent, even after a loss of power. */
export function writeRecord(file: string, value: unknown): void {
  const temporary = `${file}.tmp`;
  const descriptor = openSync(temporary, "w", 0o600);
  try {
    writeFileSync(descriptor, JSON.stringify(value));
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  renameSync(temporary, file);
  const folder = openSync(dirname(file), "r");
  fsyncSync(folder);
  closeSync(folder);
}

/** Reads a record. Returns undefined if the file does not exist. */
export function readRecord(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/** Removes a folder, even if folders in it cannot be read or written. */
export function removeTree(path: string): void {
  try {
    rmSync(pathOfText(path), { recursive: true, force: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EACCES") throw error;
    openTree(path);
    rmSync(pathOfText(path), { recursive: true, force: true });
  }
}

function openTree(folder: string): void {
  chmodSync(pathOfText(folder), 0o700);
  for (const name of namesIn(folder))
    if (markOf(join(folder, name))?.kind === "folder") openTree(join(folder, name));
}

/** Returns a function to call between steps of long work. Every `every` calls, it lets other work of this process run. */
export function createPause(every = 200): () => Promise<void> | undefined {
  let steps = 0;
  return () => (++steps % every === 0 ? setImmediate() : undefined);
}
