import type { Screen } from "./screen.ts";
import { tableLines } from "./markdown-table.ts";
import { widthOf } from "./table.ts";
import { wrapped } from "./wrap.ts";

/** Shows Markdown at a terminal while it arrives. */
interface MarkdownWriter {
  /** Writes a piece of the text, in which control characters must already be escaped. */
  write(text: string): void;
  /** Ends the text, even in the middle of a line. */
  end(): void;
}

/**
 * Maximum number of rows of a line that is drawn again once it is complete. The beginning of a longer line may have left the
 * screen, so the line stays unformatted.
 */
const maxRows = 12;

/**
 * Writes Markdown that arrives in pieces to a terminal. A line is shown as it arrives, and drawn again with its format once it is
 * complete. A table is drawn once it has ended.
 */
export function createMarkdownWriter(screen: Screen): MarkdownWriter {
  const render = createRenderer(screen);
  let line = "";
  let shown = "";
  let isLong = false;
  const showStart = () => {
    if (isLong || line.startsWith("|")) return;
    screen.write(line.slice(shown.length));
    shown = line;
    isLong = rowsOf(shown, screen) > maxRows;
  };
  const finish = () => {
    if (isLong) screen.write(`${line.slice(shown.length)}\n`);
    else {
      const rendered = render.line(line);
      const up = rowsOf(shown, screen) - 1;
      const erase = shown === "" ? "" : `${up > 0 ? `\u001b[${up}A` : ""}\r\u001b[J`;
      // Text that formatting does not change is not drawn again.
      if (shown !== "" && rendered === `${line}\n`) screen.write(`${line.slice(shown.length)}\n`);
      else screen.write(erase + rendered);
    }
    [line, shown, isLong] = ["", "", false];
  };
  return {
    write(text) {
      const [first = "", ...rest] = text.replaceAll("\t", "    ").split("\n");
      line += first;
      for (const next of rest) {
        finish();
        line = next;
      }
      if (line !== "") showStart();
    },
    end() {
      if (line !== "") finish();
      screen.write(render.end());
    },
  };
}

function rowsOf(text: string, { columns = 80 }: Screen): number {
  return Math.max(1, Math.ceil(widthOf(text) / columns));
}

/** Creates the formatter of complete lines. It collects the lines of a table and draws them when the table has ended. */
function createRenderer(screen: Screen) {
  let isCode = false;
  let table: string[] = [];
  const text = (lines: readonly string[]) => lines.map((line) => `${line}\n`).join("");
  const end = () => {
    const rows = tableLines(table, screen);
    table = [];
    return text(rows);
  };
  const reset = () => {
    isCode = false;
    return end();
  };
  return {
    /** Returns the rest of a text, and closes a code fence that the text left open. */
    end: reset,
    line(line: string): string {
      if (!isCode && line.trimStart().startsWith("|")) {
        table.push(line);
        return "";
      }
      const before = end();
      const fence = /^\s*(?:```|~~~)\s*(\S*)/.exec(line);
      // Lines of code are not broken, because people copy them.
      if (fence === null)
        return before + text(isCode ? [`  ${screen.paint("cyan", line)}`] : blockLines(line, screen));
      isCode = !isCode;
      return before + (isCode && fence[1] !== "" ? text([screen.paint("dim", `  ${fence[1]}`)]) : "");
    },
  };
}

/** Draws a line outside of code: a heading, an item of a list, a quotation, a rule, or a part of a paragraph. */
function blockLines(text: string, screen: Screen): string[] {
  const heading = /^#{1,6}\s+(.*?)\s*#*$/.exec(text);
  if (heading !== null) return hang("", screen.paint("bold", heading[1]!.replaceAll("**", "")), screen);
  if (/^\s*(?:-{3,}|\*{3,}|_{3,})\s*$/.test(text))
    return [screen.paint("dim", "─".repeat(Math.min(40, screen.columns ?? 40)))];
  const item = /^(\s*)(?:[-*+]|(\d+[.)]))\s+(.*)$/.exec(text);
  if (item !== null) return hang(`${item[1]}${item[2] ?? "•"} `, inline(item[3]!, screen), screen);
  const quote = /^>\s?(.*)$/.exec(text);
  if (quote !== null) return hang("  ", screen.paint("dim", quote[1]!), screen);
  return hang("", inline(text, screen), screen);
}

/** Puts a mark before a text. Further lines are indented as far as the first. */
function hang(mark: string, text: string, { columns }: Screen): string[] {
  const room = columns === undefined ? undefined : columns - mark.length;
  const lines = wrapped({ columns: room }, text).split("\n");
  return lines.map((line, at) => (at === 0 ? mark : " ".repeat(mark.length)) + line);
}

/** Formats bold text, code, and links with their address. Code keeps its marks and is matched first, so nothing in it is bold. */
function inline(text: string, screen: Screen): string {
  return text.replaceAll(
    /(`+)(?:[^`]|(?!\1)`)+\1|\*\*(?=\S)(.+?)(?<=\S)\*\*|\[([^\]]+)\]\((\S+?)\)/g,
    (all, _marks, bold?: string, label?: string, address?: string) => {
      if (bold !== undefined) return screen.paint("bold", bold);
      if (label !== undefined) return label === address ? label : `${label} (${address})`;
      return screen.paint("cyan", all);
    },
  );
}
