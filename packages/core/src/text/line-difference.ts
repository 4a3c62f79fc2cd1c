import { compareLists, type ListStep } from "./compare-lists.ts";

/** How much of a difference is shown. */
interface LineDifferenceOptions {
  /** Maximum number of lines. If there are more, one further line says how many were left out. */
  readonly maxLines: number;
}

/** Number of equal lines that are shown before and after a change. */
const around = 3;

const signs = { same: " ", removed: "-", added: "+" } as const;

/**
 * Compares two texts line by line: `-` marks a removed line, `+` an added line, and a space an equal line. Equal lines are
 * shown only near a change; `@@ line 40 @@` says where the shown lines continue in the second text. Empty for equal texts.
 */
export function lineDifference(before: string, after: string, { maxLines }: LineDifferenceOptions): string {
  const lines = shownOf(compareLists(linesOf(before), linesOf(after)));
  const more = lines.length - maxLines;
  return [...lines.slice(0, maxLines), ...(more > 0 ? [`(${more} more lines)`] : [])].join("\n");
}

/**
 * Returns `before` with the chosen parts of its difference to `after` applied. Part 0 is the first part that
 * {@link lineDifference} shows; each `@@` begins a part.
 */
export function withParts(before: string, after: string, chosen: ReadonlySet<number>): string {
  const steps = compareLists(linesOf(before), linesOf(after));
  const parts = partsOf(steps);
  const lines = steps.filter(
    ({ kind }, at) => kind === "same" || (kind === "added") === chosen.has(parts[at]!),
  );
  // Whether the text ends with a line end depends on the part that the last line belongs to.
  const ends = before === "" || chosen.has(parts.at(-1) ?? -1) ? after : before;
  return lines.map(({ text }) => text).join("\n") + (lines.length > 0 && ends.endsWith("\n") ? "\n" : "");
}

/** For each step, returns the number of the `@@` part that it belongs to; -1 if it is not shown. */
function partsOf(steps: readonly ListStep[]): readonly number[] {
  let [part, last] = [-1, -2];
  return steps.map((_, at) => {
    if (!isNear(steps, at)) return -1;
    if (at > last + 1) part += 1;
    last = at;
    return part;
  });
}

function linesOf(text: string): readonly string[] {
  return text === "" ? [] : text.replace(/\n$/, "").split("\n");
}

/** Returns the changed lines and the lines around them. */
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
