import type { PreviewedEffect, Rehearsal, RehearsedCall } from "@toolmount/core";
import { countOf } from "../screen/count.ts";
import { jsonText, printable } from "../screen/printable.ts";
import type { Screen } from "../screen/screen.ts";

/** What `--json` has of a rehearsal. */
export function rehearsalFacts({ calls, stopped, digest }: Rehearsal) {
  return { calls, stopped, digest };
}

/** The list of what would change, in the order of the calls, with differences and what cannot be undone. */
export function writeRehearsal(screen: Screen, { calls, stopped, digest }: Rehearsal): void {
  for (const [at, call] of calls.entries()) {
    screen.line(
      `${at + 1} ${screen.paint("bold", printable(call.tool))} ${printable(jsonText(call.arguments, 0))}`,
    );
    for (const line of linesOf(screen, call)) screen.line(`  ${line}`);
  }
  if (stopped !== null) screen.line(screen.paint("yellow", `stopped: ${printable(stopped)}`));
  screen.line(`${countOf(calls, "call")} would change something; none did · digest ${digest.slice(0, 12)}…`);
}

function linesOf(screen: Screen, { effects, isModelled, canUndo, asks }: RehearsedCall): string[] {
  return [
    ...(isModelled ? [] : [screen.paint("yellow", "what it would change is not known")]),
    ...effects.flatMap((effect) => effectLines(screen, effect)),
    ...(canUndo === false ? [screen.paint("red", "cannot be undone")] : []),
    ...asks.map((reason) => `asks: ${printable(reason)}`),
  ];
}

function effectLines(screen: Screen, { change, target, difference }: PreviewedEffect): string[] {
  const lines = difference === undefined ? [] : difference.split("\n");
  return [
    `${change} ${printable(target)}`,
    ...lines.map((line) => `  ${screen.paint(line.startsWith("+") ? "green" : "red", printable(line))}`),
  ];
}
