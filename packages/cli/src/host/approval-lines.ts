import { systemClock, type ApprovalView, type StandingGrant } from "@toolmount/core";
import { listTool } from "@toolmount/core/internal";
import { placeText } from "@toolmount/core/record";
import { countOf } from "../screen/count.ts";
import { listedCalls } from "../render/rehearsal.ts";
import { jsonText, printable } from "../screen/printable.ts";
import { agoOf, timeOf } from "../screen/relative-time.ts";
import type { Screen } from "../screen/screen.ts";

/** Shortens an id so far that it still differs from the other shown ids. */
type Shorten = (id: string) => string;

/** Returns the lines of a question: the call with its arguments, the reasons for the question, and its state. */
export function viewLines(
  {
    id,
    tool,
    arguments: given,
    place,
    reasons,
    info,
    createdAt,
    expiresAt,
    decision,
    runnable,
  }: ApprovalView,
  short: Shorten,
  screen: Screen,
): string[] {
  const now = systemClock.now();
  const of = [info.userId, info.sessionId].flatMap((part) => (part === undefined ? [] : [printable(part)]));
  return [
    `${printable(tool)}  ${short(id)}`,
    ...reasons.map(
      ({ reason, rule }) => `  because ${printable(rule === undefined ? reason : `${reason} (${rule})`)}`,
    ),
    ...(place === undefined
      ? []
      : [`  in ${printable(placeText(place))}`, `  toolmount program show ${short(id)} shows the program`]),
    ...(of.length === 0 ? [] : [`  for ${of.join(" in ")}`]),
    `  asked ${agoOf(createdAt, now)}, ends in ${timeOf(expiresAt - now)}`,
    ...(decision === null ? [] : [`  approved by ${printable(decision.by)}; its caller has not run it yet`]),
    ...(decision !== null && runnable ? [`  toolmount approvals run ${short(id)} runs it`] : []),
    ...(tool === listTool ? listedCalls(given, screen) : jsonText(given).split("\n")).map(
      (line) => `    ${line}`,
    ),
    "",
  ];
}

/** Returns the lines of a remembered approval: which calls it answers, who gave it, and how it was used. */
export function standingLines(one: StandingGrant, short: Shorten): string[] {
  const { id, tool, by, at, userId, expiresAt, uses, usedAt } = one;
  const now = systemClock.now();
  const whose = userId === null ? "" : `, for calls of ${userId}`;
  const used =
    uses === 0 ? "not used yet" : `used ${countOf(uses, "time")}, the last ${agoOf(usedAt ?? at, now)}`;
  const end = expiresAt === null ? "until it is revoked" : `until ${new Date(expiresAt).toISOString()}`;
  return [
    `${printable(tool)}  ${short(id)}`,
    `  ${printable(`${scopeText(one)}${whose}`)}`,
    `  approved by ${printable(by)} ${agoOf(at, now)}, ${used}, ${end}`,
    "",
  ];
}

function scopeText({ scope, pattern, sessionId }: StandingGrant): string {
  if (pattern !== null)
    return `where ${Object.entries(pattern)
      .map(([name, value]) => `${name} is ${textOfValue(value)}`)
      .join(" and ")}`;
  return scope === "session"
    ? `with the same arguments, in session ${sessionId ?? ""}`
    : "with the same arguments";
}

function textOfValue(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
