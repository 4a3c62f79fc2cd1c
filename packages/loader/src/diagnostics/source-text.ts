import type { PlanPosition } from "@toolmount/core";

/** Maximum number of bytes that a plan's text may have. Parsing 256 KB of short keys takes 0.4 s. */
export const maxPlanBytes = 256 * 1024;

export const sizeProblem = `the plan is larger than ${maxPlanBytes} bytes`;

export interface PlanText {
  readonly file: string;
  readonly text: string;
  readonly lineStarts: readonly number[];
}

export function createPlanText(file: string, text: string): PlanText {
  const lineStarts = [0];
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) lineStarts.push(at + 1);
  return { file, text, lineStarts };
}

/** Returns the line and column of an offset, both from 1. Columns count UTF-16 units, as editors do. */
export function positionAt(text: PlanText, offset: number): PlanPosition {
  const line = lineIndex(text.lineStarts, Math.min(offset, text.text.length));
  return { file: text.file, line: line + 1, column: offset - (text.lineStarts[line] ?? 0) + 1 };
}

/** Returns the index of the last line that begins at or before `offset`. */
function lineIndex(starts: readonly number[], offset: number): number {
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((starts[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
}
