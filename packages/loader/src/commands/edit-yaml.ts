import { stringify, type Node, type YAMLSeq } from "yaml";

/**
 * A plan's text with one more item at the end of a list, and everything else as it was, to the byte. Undefined for lists
 * that are not written item by item, one a line.
 */
export function appendText(text: string, list: YAMLSeq, item: unknown): string | undefined {
  const first = list.range?.[0];
  const last = list.items.at(-1) as Node | undefined;
  if (list.flow === true || first === undefined || last?.range == null || text[first] !== "-")
    return undefined;
  const indent = text.slice(lineStart(text, first), first);
  if (indent.trim() !== "") return undefined;
  const end = lineEnd(text, last.range[1]);
  const lines = stringify([item], { lineWidth: 0 }).trimEnd().split("\n");
  return `${text.slice(0, end)}\n${lines.map((line) => indent + line).join("\n")}${text.slice(end) || "\n"}`;
}

/** A plan's text without one item of a list. Undefined as in {@link appendText}, and for the only item. */
export function removeText(text: string, list: YAMLSeq, index: number): string | undefined {
  const item = list.items[index] as Node | undefined;
  if (list.flow === true || list.items.length < 2 || item?.range == null) return undefined;
  const dash = text.lastIndexOf("-", item.range[0]);
  const start = lineStart(text, dash);
  if (dash < 0 || text.slice(start, dash).trim() !== "") return undefined;
  return text.slice(0, start) + text.slice(lineEnd(text, item.range[1]) + 1);
}

function lineStart(text: string, offset: number): number {
  return text.lastIndexOf("\n", offset - 1) + 1;
}

/** The end of the line on which a value ends; what follows it there, such as a comment, is its own. */
function lineEnd(text: string, offset: number): number {
  let end = offset;
  while (end > 0 && /\s/.test(text[end - 1]!)) end--;
  const next = text.indexOf("\n", end);
  return next === -1 ? text.length : next;
}
