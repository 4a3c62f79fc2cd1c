import type { LockChange, LockDifference } from "@toolmount/loader";
import { countOf } from "../screen/count.ts";
import { jsonText, printable, printableLines } from "../screen/printable.ts";
import type { Screen } from "../screen/screen.ts";

/**
 * Shows how tools differ from the lock file, in the style of release notes: by module, the most important first, and equal
 * changes only once, with the complete value before and now, so that a person can review it.
 */
export function writeLockChanges(screen: Screen, changes: readonly LockChange[]): void {
  for (const [module, own] of Map.groupBy(changes, moduleOf)) {
    const versions = own.flatMap(({ before, now }) => [before?.version, now?.version]);
    const facts = [module, [...new Set(versions)].filter(Boolean).join(" → ")].filter(Boolean).join(" ");
    screen.line(`${screen.paint("bold", printable(facts))}  ${countOf(own, "tool")}`);
    const notes = Map.groupBy(own, ({ tool, change, differences }) =>
      JSON.stringify(change === "changed" ? differences : tool),
    );
    for (const same of [...notes.values()].toSorted(([a], [b]) => rankOf(a!) - rankOf(b!)))
      writeNote(screen, same);
  }
}

function moduleOf({ before, now }: LockChange): string {
  return now?.module ?? before?.module ?? "";
}

/** Returns a rank, which is lowest for changes that a person should review first. */
function rankOf({ change, now, differences }: LockChange): number {
  const { category, consequenceLevel } = now?.definition ?? {};
  const isHard = category !== "read" || consequenceLevel === "high";
  if (differences.some(({ care }) => care === "less")) return 0;
  if (differences.some(({ care }) => care === "more")) return 1;
  if (change === "added") return isHard ? 2 : 3;
  return change === "changed" ? 4 : 5;
}

/** Writes a note about tools that changed in the same way. */
function writeNote(screen: Screen, same: readonly LockChange[]): void {
  const { change, now, differences } = same[0]!;
  const names = same.map(({ tool }) => tool).join(", ");
  const { category, consequenceLevel } = now?.definition ?? {};
  const risk =
    change === "added"
      ? [category, consequenceLevel].filter((one) => typeof one === "string").join(", ")
      : "";
  const facts = risk === "" ? "" : `  ${screen.paint("dim", printable(risk))}`;
  screen.line(`  ${screen.paint("yellow", change.padEnd(7))} ${printable(names)}${facts}`);
  for (const difference of differences) writeDifference(screen, difference);
}

/** Returns how many tools changed since a lock file, and how many are not in it. People review these differently. */
export function differenceText(changes: readonly LockChange[], file: string): string {
  const added = changes.filter(({ change }) => change === "added");
  const others = changes.filter(({ change }) => change !== "added");
  const parts = [
    ...(others.length > 0 ? [`${countOf(others, "tool")} changed since ${file}`] : []),
    ...(added.length > 0
      ? [
          `${countOf(added, "tool")} ${added.length === 1 ? "is" : "are"} not in ${others.length > 0 ? "it" : file}`,
        ]
      : []),
  ];
  return parts.join(", and ");
}

/**
 * Writes the changes for commands that only look at a plan, with what they mean and the next step. Writes nothing without
 * changes.
 */
export function writeDrift(screen: Screen, changes: readonly LockChange[]): void {
  if (changes.length === 0) return;
  const what = `${differenceText(changes, "the lock file")}; calls of changed and added tools are denied:`;
  screen.line(screen.paint("yellow", `  ⚠ ${what}`));
  writeLockChanges(screen, changes);
  screen.line(`  review the changes, then run ${screen.paint("bold", "toolmount lock --accept")}`);
}

function writeDifference(screen: Screen, { path, before, now, care }: LockDifference): void {
  const text = care === undefined ? "" : `  ⚠ ${care === "less" ? milderText(path) : "it needs more care"}`;
  const mark = text === "" ? "" : screen.paint(["bold", care === "less" ? "red" : "yellow"], text);
  screen.line(`    ${screen.paint("bold", printable(path))}${mark}`);
  const [were, are] = dropEqualEnds(linesOf(before), linesOf(now));
  for (const line of were) screen.line(`      ${screen.paint("red", `- ${line}`)}`);
  for (const line of are) screen.line(`      ${screen.paint("green", `+ ${line}`)}`);
}

/** Returns a warning about a changed member that makes a tool need less care. */
function milderText(path: string): string {
  return path === "requiresConfirmation"
    ? "it asks less than before"
    : "it says that it is milder than before";
}

function linesOf(value: LockDifference["now"]): string[] {
  if (value === undefined) return [];
  return (typeof value === "string" ? printableLines(value) : jsonText(value)).split("\n");
}

/** Returns only the lines between the equal beginning and the equal end of two long texts. */
function dropEqualEnds(before: string[], now: string[]): [string[], string[]] {
  const shorter = Math.min(before.length, now.length);
  let start = 0;
  while (start < shorter && before[start] === now[start]) start++;
  let end = 0;
  while (end < shorter - start && before.at(-1 - end) === now.at(-1 - end)) end++;
  return [before.slice(start, before.length - end), now.slice(start, now.length - end)];
}
