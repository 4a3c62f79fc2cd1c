import { printable } from "../screen/printable.ts";
import type { Screen } from "../screen/screen.ts";

/** Returns the lines that an edit takes and adds, each group with the line before it. */
export function changeLines(before: string, after: string, screen: Screen): string[] {
  const old = before.split("\n");
  const lines: string[] = [];
  let at = 0;
  for (const { from, taken, added } of changesOf(old, after.split("\n"))) {
    if (from > at || lines.length === 0)
      lines.push(
        ...old
          .slice(Math.max(from - 1, 0), from)
          .map((line) => screen.paint("dim", `    ${printable(line)}`)),
      );
    lines.push(...taken.map((line) => screen.paint("red", `  - ${printable(line)}`)));
    lines.push(...added.map((line) => screen.paint("green", `  + ${printable(line)}`)));
    at = from + taken.length;
  }
  return lines;
}

interface Change {
  /** The line of the old text before which it is, from 0. */
  readonly from: number;
  readonly taken: readonly string[];
  readonly added: readonly string[];
}

/** Most pairs of lines that are compared: two bytes each. */
const maxPairs = 16_000_000;

/** The places where two texts differ, with as many lines kept as possible; very long texts differ in one place. */
function changesOf(old: readonly string[], now: readonly string[]): readonly Change[] {
  let from = 0;
  while (from < old.length && from < now.length && old[from] === now[from]) from++;
  let end = 0;
  while (end < Math.min(old.length, now.length) - from && old.at(-1 - end) === now.at(-1 - end)) end++;
  const [taken, added] = [old.slice(from, old.length - end), now.slice(from, now.length - end)];
  if (taken.length + added.length === 0) return [];
  if (taken.length * added.length > maxPairs) return [{ from, taken, added }];
  return changesBetween(taken, added).map((change) => ({ ...change, from: from + change.from }));
}

function changesBetween(old: readonly string[], now: readonly string[]): readonly Change[] {
  const kept = keptFrom(old, now);
  const changes: Change[] = [];
  let [i, j] = [0, 0];
  while (i < old.length || j < now.length) {
    const [from, start] = [i, j];
    while (i < old.length && j < now.length && old[i] !== now[j])
      if (kept(i + 1, j) >= kept(i, j + 1)) i++;
      else j++;
    if (i === old.length || j === now.length) [i, j] = [old.length, now.length];
    if (i > from || j > start) changes.push({ from, taken: old.slice(from, i), added: now.slice(start, j) });
    [i, j] = [i + 1, j + 1];
  }
  return changes;
}

/** How many lines two texts can keep from these lines on. */
function keptFrom(old: readonly string[], now: readonly string[]): (i: number, j: number) => number {
  const width = now.length + 1;
  const table = new Uint16Array((old.length + 1) * width);
  for (let i = old.length - 1; i >= 0; i--)
    for (let j = now.length - 1; j >= 0; j--)
      table[i * width + j] =
        old[i] === now[j]
          ? table[(i + 1) * width + j + 1]! + 1
          : Math.max(table[(i + 1) * width + j]!, table[i * width + j + 1]!);
  return (i, j) => table[i * width + j]!;
}
