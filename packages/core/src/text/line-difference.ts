import { compareLists, type ListStep } from "./compare-lists.ts";

/** How much of a difference is shown. */
interface LineDifferenceOptions {
  /** Most lines; how many more there are is a line of its own. */
  readonly maxLines: number;
}

/** Equal lines that are shown before and after a change. */
const around = 3;

const signs = { same: " ", removed: "-", added: "+" } as const;

/**
 * Compares two texts line by line: `-` marks a line that goes, `+` one that comes, and a blank one that stays. Of equal lines only
 * those around a change are there; `@@ line 40 @@`, of the second text, is where some are left out. Empty when the texts are equal.
 */
export function lineDifference(before: string, after: string, { maxLines }: LineDifferenceOptions): string {
  const lines = shownOf(compareLists(linesOf(before), linesOf(after)));
  const more = lines.length - maxLines;
  return [...lines.slice(0, maxLines), ...(more > 0 ? [`(${more} more lines)`] : [])].join("\n");
}

function linesOf(text: string): readonly string[] {
  return text === "" ? [] : text.replace(/\n$/, "").split("\n");
}

/** Changes with the lines around them. */
function shownOf(steps: readonly ListStep[]): readonly string[] {
  const shown: string[] = [];
  let line = 0;
  let last = -1;
  for (const [at, { kind, text }] of steps.entries()) {
    if (kind !== "removed") line += 1;
    if (!isNear(steps, at)) continue;
    if (at > last + 1) shown.push(`@@ line ${kind === "removed" ? line + 1 : line} @@`);
    shown.push(signs[kind] + text);
    last = at;
  }
  return shown;
}

function isNear(steps: readonly ListStep[], at: number): boolean {
  return steps.slice(Math.max(0, at - around), at + around + 1).some(({ kind }) => kind !== "same");
}
