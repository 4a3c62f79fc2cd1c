import { compareLists } from "@toolmount/core/text";
import { printable } from "../screen/printable.ts";
import type { Screen } from "../screen/screen.ts";

/** Returns the lines that an edit removes and adds. Each group follows the unchanged line before it. */
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
  /** The index of the old line before which the change is, from 0. */
  readonly from: number;
  readonly taken: readonly string[];
  readonly added: readonly string[];
}

/** Maximum number of pairs of lines that are compared, so that the comparison uses at most 32 MB. */
const maxPairs = 16_000_000;

/**
 * Returns the differences of two texts, with as many unchanged lines as possible. If the texts are too long for that, everything
 * between their equal beginnings and ends counts as one difference.
 */
function changesOf(old: readonly string[], now: readonly string[]): readonly Change[] {
  const changes: { from: number; taken: string[]; added: string[] }[] = [];
  let from = 0;
  let isOpen = false;
  for (const { kind, text } of compareLists(old, now, maxPairs)) {
    if (kind !== "same" && !isOpen) changes.push({ from, taken: [], added: [] });
    isOpen = kind !== "same";
    if (kind === "removed") changes.at(-1)!.taken.push(text);
    if (kind === "added") changes.at(-1)!.added.push(text);
    if (kind !== "added") from += 1;
  }
  return changes;
}
