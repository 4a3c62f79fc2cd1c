import { coverHidden } from "@toolmount/core/text";
import type { PlanPosition } from "@toolmount/core";
import type { PlanText } from "./source-text.ts";

/** Maximum number of characters of a line that a frame shows. */
const maxWidth = 120;

/** Returns the lines around a position, with a caret below it. Long lines are cut, and invisible characters are replaced. */
export function codeFrame(text: PlanText, { line, column }: Pick<PlanPosition, "line" | "column">): string {
  const first = Math.max(1, line - 2);
  const last = Math.min(text.lineStarts.length, line + 1);
  const width = String(last).length;
  const from = Math.max(0, column - 1 - maxWidth / 2);
  const rows: string[] = [];
  for (let number = first; number <= last; number++) {
    const shown = readLine(text, number, from);
    if (number === text.lineStarts.length && number !== line && shown === "") continue;
    rows.push(`${number === line ? ">" : " "} ${String(number).padStart(width)} | ${shown}`.trimEnd());
    if (number === line) rows.push(`  ${" ".repeat(width)} | ${" ".repeat(column - 1 - from)}^`);
  }
  return rows.join("\n");
}

function readLine(text: PlanText, number: number, from: number): string {
  const start = (text.lineStarts[number - 1] ?? 0) + from;
  const end = (text.lineStarts[number] ?? text.text.length + 1) - 1;
  const line = text.text.slice(start, Math.min(end, start + maxWidth)).replace(/\r$/, "");
  return coverHidden(line.replaceAll("\t", " "));
}
