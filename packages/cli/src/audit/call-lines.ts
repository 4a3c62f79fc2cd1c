import { cutText, widthOf } from "../screen/table.ts";
import { printable } from "../screen/printable.ts";
import { agoOf } from "../screen/relative-time.ts";
import type { AuditedCall } from "@toolmount/record";

/** How lines of calls are made. */
export interface LineOptions {
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Columns of the terminal; undefined where text of any width fits. */
  readonly columns: number | undefined;
  /** The arguments that decide what a tool touches, by tool; other arguments are not shown. */
  readonly control: (tool: string) => readonly string[] | null;
}

/** The share of the terminal that a cell may take. */
const shares = { call: 0.38, user: 0.12, decision: 0.28 } as const;

/** Calls as lines, one each, in columns that fit the terminal together: when, call, user, decision, result. */
export function callLines(calls: readonly AuditedCall[], options: LineOptions): string[] {
  const { columns } = options;
  const most = (share: number) => (columns === undefined ? Number.POSITIVE_INFINITY : columns * share);
  const rows = calls.map((call) => [
    agoOf(call.at, options.now),
    cutText(printable(printCall(call, options.control)), most(shares.call)),
    cutText(printable(call.user ?? "–"), most(shares.user)),
    cutText(printable(decisionOf(call)), most(shares.decision)),
    printable(resultOf(call)),
  ]);
  const widths = [0, 1, 2, 3].map((at) => Math.max(0, ...rows.map((row) => widthOf(row[at]!))));
  return rows.map((row) => {
    const cells = row.map((cell, at) => cell + " ".repeat(Math.max(0, (widths[at] ?? 0) - widthOf(cell))));
    return cutText(cells.join("  ").trimEnd(), columns ?? Number.POSITIVE_INFINITY);
  });
}

/** What comes before a call that was only rehearsed, or that undid an earlier one. */
const marks: Readonly<Record<AuditedCall["kind"], string>> = {
  call: "",
  rehearsal: "rehearsed: ",
  undo: "undo: ",
};

function printCall(call: AuditedCall, control: LineOptions["control"]): string {
  return marks[call.kind] + printRequest(call, control);
}

function printRequest({ tool, arguments: given }: AuditedCall, control: LineOptions["control"]): string {
  if (given === null) return tool;
  if (typeof given === "string") return `${tool}(${given})`;
  const names = control(tool) ?? Object.keys(given);
  const shown = names.filter((name) => given[name] !== undefined);
  const parts = shown.map((name) => `${name}: ${printValue(given[name])}`);
  return `${tool}(${parts.join(", ")}${shown.length < Object.keys(given).length ? ", …" : ""})`;
}

function printValue(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

/** Returns what decided: the policy, or the person whom it asked. */
function decisionOf({ answer, rules, approvedBy, deniedBy, allowedBy, status }: AuditedCall): string {
  if (answer === "allow") return allowedBy === null ? "allowed" : `allowed by ${allowedBy}`;
  if (answer === "deny") return "denied";
  const asked = `asked: ${rules.join(", ")}`;
  const by = deniedBy ?? approvedBy ?? allowedBy;
  if (status === "waiting") return by === null ? asked : `${asked}; answered by ${by}`;
  // A call may be cancelled while its question waits.
  if (by === null) return `${asked}; ${status === "denied" ? "denied" : "not answered"}`;
  const word = status === "denied" ? "denied" : approvedBy === null ? "allowed" : "approved";
  return `${asked}; ${word} by ${by}`;
}

function resultOf({ status, code, error, durationMs }: AuditedCall): string {
  const time = durationMs === null ? "" : `${Math.round(durationMs)} ms`;
  return [status, code, status === "ok" ? time : error]
    .filter((part) => part !== null && part !== "")
    .join(" ");
}
