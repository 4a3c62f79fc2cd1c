import { signal } from "@preact/signals";
import type { Position } from "../shapes.ts";

/** The path of the shown plan's file. */
export const planFile = signal("");

/** Returns a place in a file as text. Files in the plan's folder get a relative path. */
export function placeText({ file, line }: Position): string {
  const folder = planFile.value.replace(/[^/\\]*$/, "");
  return `${file.startsWith(folder) ? file.slice(folder.length) : file}:${line}`;
}
