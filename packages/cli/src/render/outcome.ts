import { isDeepStrictEqual } from "node:util";
import { omissionLine, type CallStatus, type ToolOutcome, type ToolResult } from "@toolmount/core";
import { exitCodes, type ExitCode } from "../process/exit-codes.ts";
import { printable, printableLines } from "../screen/printable.ts";
import type { Screen, Style } from "../screen/screen.ts";
import { contentLines } from "./content.ts";

/** Shows how a call ended: a line of facts, then the result. */
export function writeOutcome(screen: Screen, outcome: ToolOutcome): void {
  screen.line(outcomeHeadline(screen, outcome));
  for (const line of resultLines(screen, outcome.result)) screen.line(line);
  if (outcome.cancelled !== undefined) {
    const { elapsedMs } = outcome.cancelled;
    screen.line(
      screen.paint("dim", `cancelled after ${Math.round(elapsedMs)} ms, and the tool answered after it`),
    );
  }
  if (outcome.ticket !== undefined) screen.line(`ticket: ${printable(outcome.ticket)}`);
}

/** Returns status, tool, code and time on one line. */
export function outcomeHeadline(screen: Screen, { status, tool, result, durationMs }: ToolOutcome): string {
  const { sign, style } = signs[status];
  const code = result.code === undefined ? "" : ` ${printable(result.code)}`;
  const time = screen.paint("dim", `${Math.round(durationMs)} ms`);
  return `${screen.paint(style, `${sign} ${status}`)} ${screen.paint("bold", printable(tool))}${code} ${time}`;
}

/** Returns the exit code of a command that makes one call: done, pending or failed. */
export function exitCodeOfCall({ status }: ToolOutcome): ExitCode {
  if (status === "ok") return exitCodes.done;
  return status === "pending" ? exitCodes.pending : exitCodes.failed;
}

const stopped = { sign: "✖", style: "red" } as const;

const signs: Readonly<Record<CallStatus, { readonly sign: string; readonly style: Style }>> = {
  ok: { sign: "✔", style: "green" },
  pending: { sign: "…", style: "yellow" },
  cancelled: { sign: "■", style: "yellow" },
  invalid: stopped,
  not_found: stopped,
  denied: stopped,
  timed_out: stopped,
  failed: stopped,
  unknown: stopped,
};

function resultLines(screen: Screen, result: ToolResult): string[] {
  const { data = null, error, details, content = [] } = result;
  const blocks = isSaid(result) ? content.filter(({ type }) => type !== "text") : content;
  // Blocks without data have no line for the data.
  const own = data === null && blocks.length > 0 ? [] : valueLines(data, screen);
  const lines = error === undefined ? own : printableLines(error).split("\n");
  if (details !== undefined) lines.push(...valueLines({ details }, screen));
  lines.push(...contentLines(screen, blocks));
  for (const warning of result.warnings ?? [])
    lines.push(screen.paint("yellow", `warning: ${printable(warning)}`));
  for (const omission of result.omitted ?? [])
    lines.push(screen.paint("yellow", printable(omissionLine(omission))));
  return lines;
}

/** Whether the texts of a result say the same as its error or its data, as those of MCP servers often do. */
function isSaid({ data = null, error, content = [] }: ToolResult): boolean {
  const text = content.flatMap((block) => (block.type === "text" ? block.text : [])).join("\n");
  return text === (error ?? data) || (error === undefined && isDeepStrictEqual(parsed(text), data));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns lines that show a JSON value to people: keys before values, texts without quotes, one item a line. */
function valueLines(value: unknown, screen: Screen): string[] {
  if (typeof value === "string") return printableLines(value).replace(/\n$/, "").split("\n");
  if (Array.isArray(value))
    return value.length === 0 ? ["[]"] : value.flatMap((item) => itemLines(item, screen));
  if (typeof value !== "object" || value === null) return [String(value)];
  const members = Object.entries(value);
  return members.length === 0 ? ["{}"] : members.flatMap(([key, member]) => memberLines(key, member, screen));
}

function itemLines(item: unknown, screen: Screen): string[] {
  const [first = "", ...rest] = valueLines(item, screen);
  return [`- ${first}`, ...rest.map((line) => `  ${line}`)];
}

function memberLines(key: string, value: unknown, screen: Screen): string[] {
  const name = screen.paint("cyan", `${printable(key)}:`);
  const lines = valueLines(value, screen);
  const nested = typeof value === "object" && value !== null && Object.keys(value).length > 0;
  if (lines.length === 1 && !nested) return [`${name} ${lines[0]}`];
  return [name, ...lines.map((line) => `  ${line}`)];
}
