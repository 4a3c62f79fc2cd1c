import { cutText, widthOf } from "../screen/table.ts";
import { printable } from "../screen/printable.ts";
import { agoOf } from "../screen/relative-time.ts";
import { wrapped } from "../screen/wrap.ts";
import type { AuditedCall } from "@toolmount/record";

export interface LineOptions {
  /** The current time, in milliseconds since the epoch. */
  readonly now: number;
  /** Columns of the terminal; undefined if text of any width fits. */
  readonly columns: number | undefined;
  /** Returns the names of the arguments that are shown, which decide what the tool touches; null to show all arguments. */
  readonly control: (tool: string) => readonly string[] | null;
}

/** Maximum width of an aligned column without a terminal; one long call would fill every other line with spaces. */
const maxAligned = 80;

/**
 * Returns a line with columns for each call: when, call, user, decision, result. If one of the lines is too wide for the
 * terminal, each call has a line with the time, its result and the call. The user and the decision are then on up to two lines
 * below.
 */
export function callLines(calls: readonly AuditedCall[], options: LineOptions): string[] {
  const { columns = Number.POSITIVE_INFINITY } = options;
  const rows = calls.map((call) =>
    [
      agoOf(call.at, options.now),
      printCall(call, options.control),
      call.user ?? "–",
      decisionOf(call),
      [endOf(call), call.error].filter(Boolean).join(" "),
    ].map(printable),
  );
  const widest = columns === Number.POSITIVE_INFINITY ? maxAligned : columns;
  const widths = [0, 1, 2, 3].map((at) =>
    Math.min(widest, Math.max(0, ...rows.map((row) => widthOf(row[at]!)))),
  );
  const pad = (cell: string, at: number) => cell + " ".repeat(Math.max(0, (widths[at] ?? 0) - widthOf(cell)));
  const lines = rows.map((row) => row.map(pad).join("  ").trimEnd());
  if (lines.every((line) => widthOf(line) <= columns)) return lines;
  return calls.flatMap((call, at) => blockOf(call, rows[at]!, columns));
}

function blockOf(
  call: AuditedCall,
  [when, request, user, decision]: readonly string[],
  columns: number,
): string[] {
  const head = cutText(`${when}  ${endOf(call)}  ${request}`, columns);
  const by = [user, decision, call.error ?? ""].filter((part) => part !== "").join(" · ");
  const below = wrapped({ columns }, printable(by), 2).split("\n");
  // A single word may be longer than a line.
  return [head, ...below.map((line) => cutText(line, columns))];
}

/** The text before a call that was only rehearsed, or before an undo of an earlier call. */
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

/** Returns how a call ended: its status with its code, or with the time that it took. */
function endOf({ status, code, durationMs }: AuditedCall): string {
  const time = status === "ok" && durationMs !== null ? `${Math.round(durationMs)} ms` : null;
  return [status, code, time].filter((part) => part !== null && part !== "").join(" ");
}
