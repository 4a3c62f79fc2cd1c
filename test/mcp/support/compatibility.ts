import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";

const page = join(import.meta.dirname, "../../../docs/reference/mcp-compatibility.md");

/**
 * Compares a table of the page with what a test has seen; with TOOLMOUNT_WRITE=1 it writes the table instead. Rows stand
 * between the comments `<!-- NAME -->` and `<!-- end -->`.
 */
export async function compareTable(
  name: string,
  head: readonly string[],
  rows: readonly (readonly string[])[],
): Promise<void> {
  const text = await readFile(page, "utf8");
  const begin = `<!-- ${name} -->\n`;
  const start = text.indexOf(begin) + begin.length;
  const end = text.indexOf("<!-- end -->", start);
  expect(start).toBeGreaterThanOrEqual(begin.length);
  const table = render(head, rows);
  if (process.env["TOOLMOUNT_WRITE"] === "1")
    await writeFile(page, `${text.slice(0, start)}\n${table}\n${text.slice(end)}`);
  else expect(text.slice(start, end).trim()).toBe(table.trim());
}

function render(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...all.map((row) => (row[column] ?? "").length)));
  const line = (row: readonly string[]) =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |`;
  const rule = `| ${widths.map((width) => "-".repeat(width)).join(" | ")} |`;
  return `${[line(head), rule, ...rows.map(line)].join("\n")}\n`;
}
