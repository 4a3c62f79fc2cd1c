import { constants } from "node:fs";
import { open, type FileHandle } from "node:fs/promises";
import { dirname, isAbsolute, resolve } from "node:path";
import type { Json, JsonObject } from "@toolmount/core";
import { findPlace, type Path, type PlanMap } from "../diagnostics/positions.ts";

const maxBytes = 64 * 1024;

/** The value of `${file:…}`: the text of a file, or why it could not be read. */
type FileValue =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly problem: string };

export type FileValues = ReadonlyMap<string, FileValue>;

const reference = /\$(\$\{)|\$\{file:([^{}$]*)\}/g;

/** Reads the files that texts of the plan name as `${file:path}`, each once. A path is relative to the file that names it. */
export async function readFileValues(value: JsonObject, map: PlanMap, folder: string): Promise<FileValues> {
  const paths = new Set<string>();
  collect(value, [], (text, path) => {
    for (const [, escaped, written] of text.matchAll(reference))
      if (escaped === undefined && written !== undefined)
        paths.add(resolveFileValue(written, path, map, folder));
  });
  return new Map(await Promise.all([...paths].map(async (path) => [path, await readText(path)] as const)));
}

export function resolveFileValue(written: string, path: Path, map: PlanMap, folder: string): string {
  if (isAbsolute(written)) return written;
  const place = findPlace(map, path);
  return resolve(place === undefined ? folder : dirname(place.text.file), written);
}

function collect(value: Json, path: Path, visit: (text: string, path: Path) => void): void {
  if (typeof value === "string") return value.includes("${file:") ? visit(value, path) : undefined;
  if (typeof value !== "object" || value === null) return;
  for (const [key, inner] of Object.entries(value))
    collect(inner, [...path, Array.isArray(value) ? Number(key) : key], visit);
}

/** Reads a file, without the line end at its end that editors and `echo` add. */
async function readText(path: string): Promise<FileValue> {
  try {
    // Opening is non-blocking, because opening a pipe without a writer would wait forever.
    const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      return await readStart(file);
    } finally {
      await file.close();
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ERR_ENCODING_INVALID_ENCODED_DATA") return { ok: false, problem: "it is not UTF-8" };
    return {
      ok: false,
      problem: code === "ENOENT" ? "the file does not exist" : `it cannot be read (${code ?? "unknown"})`,
    };
  }
}

async function readStart(file: FileHandle): Promise<FileValue> {
  if (!(await file.stat()).isFile()) return { ok: false, problem: "it is not a file" };
  const { buffer, bytesRead } = await file.read(Buffer.alloc(maxBytes + 1), 0, maxBytes + 1, 0);
  if (bytesRead > maxBytes) return { ok: false, problem: `it has more than ${maxBytes} bytes` };
  const text = new TextDecoder("utf-8", { fatal: true }).decode(buffer.subarray(0, bytesRead));
  return { ok: true, text: text.replace(/\r?\n$/, "") };
}
