import { signal } from "@preact/signals";
import type { Position } from "../shapes.ts";

/** The file of the plan that is shown. */
export const planFile = signal("");

/** A place in a file; files of the plan's folder are named relative to it. */
export function placeText({ file, line }: Position): string {
  const folder = planFile.value.replace(/[^/\\]*$/, "");
  return `${file.startsWith(folder) ? file.slice(folder.length) : file}:${line}`;
}
