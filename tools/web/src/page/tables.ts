import { inlineCode, isCodeBlock } from "./code.ts";
import { attributeOf, childrenOf, elementsOf, findTag, isElement, textOf, type Element } from "./tree.ts";
import type { Block, Writer } from "./writer.ts";

/** Maximum number of columns or rows of one cell, and of characters that spans add. A page can state any number. */
const most = { span: 100, added: 500_000 };

interface Row {
  readonly cells: readonly string[];
  readonly isHead: boolean;
}

/** Returns a table with each cell in its column. A cell that spans several rows is repeated in each of them. */
export function tableBlocks(table: Element, writer: Writer): readonly Block[] {
  const rows = rowsOf(table);
  const captions = childrenOf(table).filter((child) => isElement(child) && child.tagName === "caption");
  const above = captions.flatMap((caption) => writer.blocks(caption as Element));
  if (isLayout(table, rows))
    return [...above, ...rows.flatMap((row) => cellsOf(row).flatMap((cell) => writer.blocks(cell)))];
  const grid = gridOf(rows, writer).filter(({ cells }) => cells.some((cell) => cell !== ""));
  return grid.length === 0 ? above : [...above, { text: markdownOf(grid), kind: "text" }];
}

function markdownOf(grid: readonly Row[]): string {
  const width = Math.max(...grid.map(({ cells }) => cells.length));
  const firstBody = grid.findIndex(({ isHead }) => !isHead);
  const heads = firstBody < 0 ? grid.slice(0, 1) : grid.slice(0, firstBody);
  const head = Array.from({ length: width }, (_, column) =>
    [...new Set(heads.map(({ cells }) => cells[column] ?? ""))].filter(Boolean).join(" / "),
  );
  const body = grid
    .slice(heads.length)
    .map(({ cells }) => Array.from({ length: width }, (_, at) => cells[at] ?? ""));
  return [head, head.map(() => "---"), ...body].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

/** Returns the rows, with their cells in the right columns. */
function gridOf(rows: readonly Element[], writer: Writer): readonly Row[] {
  const below = new Map<number, { text: string; rows: number }>();
  let budget = most.added;
  return rows.map((row) => {
    const cells: string[] = [];
    const fillFromAbove = () => {
      for (let held = below.get(cells.length); held !== undefined; held = below.get(cells.length)) {
        budget -= held.text.length + 1;
        if (held.rows === 1 || budget < 0) below.delete(cells.length);
        else held.rows--;
        cells.push(held.text);
      }
    };
    const own = cellsOf(row);
    const isHead = own.every(isHeadCell) || isIn(row, "thead");
    for (const cell of own) {
      fillFromAbove();
      const text = cellText(cell, writer);
      const [columns, high] = [spanOf(cell, "colspan"), spanOf(cell, "rowspan")];
      for (let at = 0; at < columns && (at === 0 || budget > 0); at++) {
        const shown = at === 0 || isHead ? text : "";
        budget -= at === 0 ? 0 : shown.length + 1;
        if (high > 1) below.set(cells.length, { text: shown, rows: high - 1 });
        cells.push(shown);
      }
    }
    fillFromAbove();
    return { cells, isHead };
  });
}

function spanOf(cell: Element, name: string): number {
  const span = Number.parseInt(attributeOf(cell, name) ?? "1", 10);
  return Math.min(most.span, Math.max(1, span || 1));
}

/** Returns the content of a cell in one line. */
function cellText(cell: Element, writer: Writer): string {
  const lines = writer
    .blocks(cell)
    .flatMap(({ text, kind }) => (kind === "code" ? codeLines(text) : text.split("\n").flatMap(innerRow)));
  return lines
    .filter((line) => line.trim() !== "")
    .join("<br>")
    .replaceAll("|", String.raw`\|`);
}

/** Returns a fenced block as lines of inline code. */
function codeLines(fenced: string): readonly string[] {
  return fenced.split("\n").slice(1, -1).map(inlineCode);
}

/** Returns the cells of a row in an inner table, one after the other. */
function innerRow(line: string): readonly string[] {
  if (!/^\| .* \|$/.test(line)) return [line];
  const cells = line.slice(2, -2).split(" | ");
  return cells.every((cell) => /^(?:---|\s*)$/.test(cell)) ? [] : [cells.filter(Boolean).join(", ")];
}

/**
 * Whether a table is only used for layout: its role says so; or it has no head cells and contains other tables, has only one
 * column, or has only one row, with blocks in it.
 */
function isLayout(table: Element, rows: readonly Element[]): boolean {
  const role = attributeOf(table, "role");
  if (role === "presentation" || role === "none") return true;
  if (rows.some((row) => cellsOf(row).some(isHeadCell))) return false;
  for (const element of elementsOf(table))
    if (element.tagName === "table" && !isCodeBlock(element)) return true;
  return rows.every((row) => cellsOf(row).length <= 1) || (rows.length === 1 && hasBlocks(rows[0]!));
}

function hasBlocks(row: Element): boolean {
  return findTag(row, "p", "ul", "ol", "h1", "h2", "h3", "h4", "pre") !== undefined;
}

/** Returns the rows of a table, without those of inner tables, in the order in which a browser shows them: the foot is last. */
function rowsOf(table: Element): readonly Element[] {
  const rows = rowsIn(table);
  return [...rows.filter((row) => !isIn(row, "tfoot")), ...rows.filter((row) => isIn(row, "tfoot"))];
}

function rowsIn(parent: Element): readonly Element[] {
  return childrenOf(parent)
    .filter(isElement)
    .flatMap((child) => {
      // A group comes first: one with the role of a row has rows in it all the same.
      if (["thead", "tbody", "tfoot"].includes(child.tagName) || roleOf(child) === "rowgroup")
        return rowsIn(child);
      return child.tagName === "tr" || roleOf(child) === "row" ? [child] : [];
    });
}

function cellsOf(row: Element): readonly Element[] {
  return childrenOf(row)
    .filter(isElement)
    .filter((cell) => cell.tagName === "td" || cell.tagName === "th" || cellRole.test(roleOf(cell)));
}

/** Whether an element has the role of a table, and all its text is in cells. */
export function isRoleTable(element: Element): boolean {
  if (!/^(?:table|grid|treegrid)$/.test(roleOf(element))) return false;
  const cells = rowsIn(element).flatMap(cellsOf);
  return cells.length > 0 && sizeOfAll(cells) === sizeOfAll([element]);
}

function sizeOfAll(elements: readonly Element[]): number {
  return elements.map(textOf).join("").replaceAll(/\s+/g, "").length;
}

const cellRole = /^(?:cell|gridcell|columnheader|rowheader)$/;

function isHeadCell(cell: Element): boolean {
  return cell.tagName === "th" || roleOf(cell) === "columnheader";
}

function roleOf(element: Element): string {
  return attributeOf(element, "role") ?? "";
}

function isIn(row: Element, tag: string): boolean {
  return row.parentNode !== null && "tagName" in row.parentNode && row.parentNode.tagName === tag;
}
