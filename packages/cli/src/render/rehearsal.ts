import type { PreviewedEffect, Rehearsal, RehearsedCall, ToolOutcome } from "@toolmount/core";
import type { ApprovedListArguments } from "@toolmount/core/internal";
import { countOf } from "../screen/count.ts";
import { originLine } from "./origin.ts";
import { jsonText, printable } from "../screen/printable.ts";
import type { Screen } from "../screen/screen.ts";

/** Returns those members of a rehearsal that `--json` prints. */
export function rehearsalFacts({ calls, stopped, digest }: Rehearsal) {
  return { calls, stopped, digest };
}

/** Writes the calls of a rehearsal in their order, with the changes that each would make and whether they can be undone. */
export function writeRehearsal(screen: Screen, { calls, stopped, digest }: Rehearsal): void {
  for (const line of listLines(screen, calls)) screen.line(line);
  if (stopped !== null) screen.line(screen.paint("yellow", `stopped: ${printable(stopped)}`));
  screen.line(`${countOf(calls, "call")} would change something; none did · digest ${digest.slice(0, 12)}…`);
}

/**
 * Returns a report to the model of how the calls of a list ended. It leaves out their results: tools wrote them, and the
 * model would take them for words of the plan.
 */
export function madeText(calls: Rehearsal["calls"], { result }: ToolOutcome): string {
  const { made = [] } = (result.data ?? result.details ?? {}) as {
    made?: readonly { status: string; code?: string }[];
  };
  const lines = made.map(({ status, code }, at) => {
    const call = calls[at]!;
    const end = code === undefined ? status : `${status} (${code})`;
    return `${at + 1}. ${call.tool} ${JSON.stringify(call.arguments)}: ${end}`;
  });
  const left = calls.length - made.length;
  return [
    "The request of the user was rehearsed before, a person approved the list of its changes, and these calls have just been made:",
    ...lines,
    ...(left > 0 ? [`${left} of the rehearsed calls were not made.`] : []),
    "Do not make them again. Tell the user what was done, and what was not.",
  ].join("\n");
}

/** Returns lines for the calls that one answer approves, from the arguments of the call that makes all of them. */
export function listedCalls(given: unknown, screen: Screen): string[] {
  const { calls = [], harmless = [], first = calls.length } = given as Partial<ApprovedListArguments>;
  const listed = calls.slice(0, first).map((call) => ({ ...call, isModelled: call.effects.length > 0 }));
  const makers = harmless.flatMap(({ tool, asks }) => asks.map((reason) => `${tool} asks: ${reason}`));
  return [...listLines(screen, listed), ...makers.map((line) => printable(line))];
}

/** Returns lines for the calls of a list, with the changes that each would make. */
function listLines(screen: Screen, calls: readonly ListedCall[]): string[] {
  return calls.flatMap((call, at) => [
    `${at + 1} ${screen.paint("bold", printable(call.tool))} ${printable(jsonText(call.arguments, 0))}`,
    ...linesOf(screen, call).map((line) => `  ${line}`),
  ]);
}

type ListedCall = Omit<RehearsedCall, "callId" | "runId">;

function linesOf(screen: Screen, { effects, isModelled, canUndo, asks, origins }: ListedCall): string[] {
  return [
    ...origins.map((origin) => `${printable(origin.argument.split(".")[0]!)}: ${originLine(origin, screen)}`),
    ...(isModelled ? [] : [screen.paint("yellow", "what it would change is not known")]),
    ...effects.flatMap((effect) => effectLines(screen, effect)),
    ...(canUndo === false ? [screen.paint("red", "cannot be undone")] : []),
    ...asks.map((reason) => `asks: ${printable(reason)}`),
  ];
}

/** Returns lines for one change that a call would make, with its difference. */
export function effectLines(screen: Screen, { change, target, difference, cost }: PreviewedEffect): string[] {
  const lines = difference === undefined ? [] : difference.split("\n");
  const price = cost === undefined ? "" : ` for ${cost.amount} ${printable(cost.currency)}`;
  return [`${change} ${printable(target)}${price}`, ...lines.map((line) => `  ${paintedLine(screen, line)}`)];
}

function paintedLine(screen: Screen, line: string): string {
  const shown = printable(line);
  if (line.startsWith("+")) return screen.paint("green", shown);
  return line.startsWith("-") ? screen.paint("red", shown) : screen.paint("dim", shown);
}
