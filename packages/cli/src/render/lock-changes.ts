import type { LockChange, LockDifference } from "@toolmount/loader";
import { countOf } from "../screen/count.ts";
import { jsonText, printable, printableLines } from "../screen/printable.ts";
import type { Screen } from "../screen/screen.ts";

/** Shows how tools differ from the lock file: each value before and now, whole, so that a person can review it. */
export function writeLockChanges(screen: Screen, changes: readonly LockChange[]): void {
  for (const { tool, change, before, now, differences } of changes) {
    const versions = [...new Set([before?.version, now?.version])].filter(Boolean).join(" → ");
    const facts = `${tool}  ${now?.module ?? before?.module ?? ""} ${versions}`.trimEnd();
    screen.line(`  ${screen.paint("yellow", change.padEnd(7))} ${printable(facts)}`);
    for (const difference of differences) writeDifference(screen, difference);
  }
}

/** How many tools changed since a lock file, and how many it never had: two things that a person reviews differently. */
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

/** The same, for commands that look at a plan: what it means, and what to do. Writes nothing when nothing changed. */
export function writeDrift(screen: Screen, changes: readonly LockChange[]): void {
  if (changes.length === 0) return;
  const what = `${differenceText(changes, "the lock file")}; calls of changed and added tools are denied:`;
  screen.line(screen.paint("yellow", `  ⚠ ${what}`));
  writeLockChanges(screen, changes);
  screen.line(`  review the changes, then run ${screen.paint("bold", "toolmount lock --accept")}`);
}

function writeDifference(screen: Screen, { path, before, now, isMilder }: LockDifference): void {
  const mark = isMilder === true ? screen.paint(["bold", "red"], `  ⚠ ${milderText(path)}`) : "";
  screen.line(`    ${screen.paint("bold", printable(path))}${mark}`);
  const [were, are] = dropEqualEnds(linesOf(before), linesOf(now));
  for (const line of were) screen.line(`      ${screen.paint("red", `- ${line}`)}`);
  for (const line of are) screen.line(`      ${screen.paint("green", `+ ${line}`)}`);
}

/** Returns what it means that a member became milder. */
function milderText(path: string): string {
  return path === "requiresConfirmation"
    ? "it asks less than before"
    : "it says that it is milder than before";
}

function linesOf(value: LockDifference["now"]): string[] {
  if (value === undefined) return [];
  return (typeof value === "string" ? printableLines(value) : jsonText(value)).split("\n");
}

/** Of a long text, only the lines between its equal beginning and its equal end. */
function dropEqualEnds(before: string[], now: string[]): [string[], string[]] {
  const shorter = Math.min(before.length, now.length);
  let start = 0;
  while (start < shorter && before[start] === now[start]) start++;
  let end = 0;
  while (end < shorter - start && before.at(-1 - end) === now.at(-1 - end)) end++;
  return [before.slice(start, before.length - end), now.slice(start, now.length - end)];
}
