import { printable } from "../screen/printable.ts";
import type { Screen } from "../screen/screen.ts";

/** The lines that an edit takes and adds, with the line before them. */
export function changeLines(before: string, after: string, screen: Screen): string[] {
  const old = before.split("\n");
  const now = after.split("\n");
  let from = 0;
  while (from < old.length && old[from] === now[from]) from++;
  let end = 0;
  while (end < Math.min(old.length, now.length) - from && old.at(-1 - end) === now.at(-1 - end)) end++;
  const above = from === 0 ? [] : [screen.paint("dim", `    ${printable(old[from - 1]!)}`)];
  return [
    ...above,
    ...old.slice(from, old.length - end).map((line) => screen.paint("red", `  - ${printable(line)}`)),
    ...now.slice(from, now.length - end).map((line) => screen.paint("green", `  + ${printable(line)}`)),
  ];
}
