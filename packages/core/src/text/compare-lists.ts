/** An element of two lists that are compared. It is in both, only in the first, or only in the second. */
export interface ListStep {
  readonly kind: "same" | "removed" | "added";
  readonly text: string;
}

/** Maximum number of pairs of elements that are compared; each takes two bytes of memory. Larger parts are shown as removed and added. */
const usualPairs = 4_000_000;

/** Returns the fewest steps that change one list to another (longest common subsequence), with removals before additions. */
export function compareLists(
  before: readonly string[],
  after: readonly string[],
  maxPairs = usualPairs,
): readonly ListStep[] {
  const room = Math.min(before.length, after.length);
  let start = 0;
  while (start < room && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < room - start && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  const [old, now] = [before.slice(start, before.length - end), after.slice(start, after.length - end)];
  const same = (text: string): ListStep => ({ kind: "same", text });
  return [
    ...before.slice(0, start).map(same),
    ...(old.length * now.length > maxPairs ? replaced(old, now) : compareMiddle(old, now)),
    ...before.slice(before.length - end).map(same),
  ];
}

function replaced(before: readonly string[], after: readonly string[]): readonly ListStep[] {
  return [
    ...before.map((text) => ({ kind: "removed", text }) as const),
    ...after.map((text) => ({ kind: "added", text }) as const),
  ];
}

function compareMiddle(before: readonly string[], after: readonly string[]): readonly ListStep[] {
  const [rows, columns] = [before.length, after.length];
  const common = commonLengths(before, after);
  const steps: ListStep[] = [];
  let [row, column] = [0, 0];
  while (row < rows && column < columns) {
    if (before[row] === after[column]) {
      steps.push({ kind: "same", text: before[row++]! });
      column += 1;
    } else if (common(row + 1, column) >= common(row, column + 1))
      steps.push({ kind: "removed", text: before[row++]! });
    else steps.push({ kind: "added", text: after[column++]! });
  }
  return [...steps, ...replaced(before.slice(row), after.slice(column))];
}

/** Returns a function for the length of the longest common subsequence of both lists from a row and a column on. */
function commonLengths(
  before: readonly string[],
  after: readonly string[],
): (row: number, column: number) => number {
  const width = after.length + 1;
  // 16 bits are enough, because the shorter list has at most the square root of `maxPairs` elements.
  const lengths = new Uint16Array((before.length + 1) * width);
  for (let row = before.length - 1; row >= 0; row--)
    for (let column = after.length - 1; column >= 0; column--)
      lengths[row * width + column] =
        before[row] === after[column]
          ? lengths[(row + 1) * width + column + 1]! + 1
          : Math.max(lengths[(row + 1) * width + column]!, lengths[row * width + column + 1]!);
  return (row, column) => lengths[row * width + column]!;
}
