/** How much of a difference is shown. */
interface LineDifferenceOptions {
  /** Most lines; how many more there are is a line of its own. */
  readonly maxLines: number;
}

/** Equal lines that are shown before and after a change. */
const around = 3;
/** Most pairs of lines that are compared; longer texts are shown as removed and added. */
const maxPairs = 4_000_000;

interface Step {
  readonly sign: " " | "-" | "+";
  readonly text: string;
}

/**
 * Compares two texts line by line: `-` marks a line that goes, `+` one that comes, and a blank one that stays. Of equal lines only
 * those around a change are there; `@@ line 40 @@`, of the second text, is where some are left out. Empty when the texts are equal.
 */
export function lineDifference(before: string, after: string, { maxLines }: LineDifferenceOptions): string {
  const lines = shownOf(compare(linesOf(before), linesOf(after)));
  const more = lines.length - maxLines;
  return [...lines.slice(0, maxLines), ...(more > 0 ? [`(${more} more lines)`] : [])].join("\n");
}

function linesOf(text: string): readonly string[] {
  return text === "" ? [] : text.replace(/\n$/, "").split("\n");
}

/** Changes with the lines around them. */
function shownOf(steps: readonly Step[]): readonly string[] {
  const shown: string[] = [];
  let line = 0;
  let last = -1;
  for (const [at, { sign, text }] of steps.entries()) {
    if (sign !== "-") line += 1;
    if (!isNear(steps, at)) continue;
    if (at > last + 1) shown.push(`@@ line ${sign === "-" ? line + 1 : line} @@`);
    shown.push(sign + text);
    last = at;
  }
  return shown;
}

function isNear(steps: readonly Step[], at: number): boolean {
  return steps.slice(Math.max(0, at - around), at + around + 1).some(({ sign }) => sign !== " ");
}

/** What is equal at both ends is not compared. */
function compare(before: readonly string[], after: readonly string[]): readonly Step[] {
  const room = Math.min(before.length, after.length);
  let start = 0;
  while (start < room && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < room - start && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  const [old, now] = [before.slice(start, before.length - end), after.slice(start, after.length - end)];
  const same = (text: string): Step => ({ sign: " ", text });
  return [
    ...before.slice(0, start).map(same),
    ...compareMiddle(old, now),
    ...before.slice(before.length - end).map(same),
  ];
}

function compareMiddle(before: readonly string[], after: readonly string[]): readonly Step[] {
  const [rows, columns] = [before.length, after.length];
  const lengths = rows * columns > maxPairs ? null : commonLengths(before, after);
  const lengthAt = (row: number, column: number) => lengths?.[row * (columns + 1) + column] ?? 0;
  const steps: Step[] = [];
  let [row, column] = [0, 0];
  while (row < rows || column < columns) {
    const isPair = row < rows && column < columns;
    if (isPair && lengths !== null && before[row] === after[column]) {
      steps.push({ sign: " ", text: before[row++]! });
      column += 1;
    } else if (column === columns || (isPair && lengthAt(row + 1, column) >= lengthAt(row, column + 1)))
      steps.push({ sign: "-", text: before[row++]! });
    else steps.push({ sign: "+", text: after[column++]! });
  }
  return steps;
}

/** For each pair of places, the length of the longest common subsequence of what follows. */
function commonLengths(before: readonly string[], after: readonly string[]): Uint32Array {
  const width = after.length + 1;
  const lengths = new Uint32Array((before.length + 1) * width);
  for (let row = before.length - 1; row >= 0; row--)
    for (let column = after.length - 1; column >= 0; column--)
      lengths[row * width + column] =
        before[row] === after[column]
          ? lengths[(row + 1) * width + column + 1]! + 1
          : Math.max(lengths[(row + 1) * width + column]!, lengths[row * width + column + 1]!);
  return lengths;
}
