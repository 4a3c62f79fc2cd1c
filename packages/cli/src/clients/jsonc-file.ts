import type { Node } from "jsonc-parser";

/**
 * Returns the text of JSON with comments after the value at `path` was replaced or, if `value` is undefined, removed. Comments and
 * the style of the file stay, also a comma after the last member, which the library's own edit would double.
 */
export async function editJsonc(text: string, path: readonly string[], value: unknown): Promise<string> {
  const { applyEdits, modify } = await import("jsonc-parser");
  const indent = /^([ \t]+)"/m.exec(text)?.[1] ?? "  ";
  const formattingOptions = { insertSpaces: !indent.includes("\t"), tabSize: indent.length, eol: "\n" };
  const before = await innermost(text, path);
  const comma = before === undefined ? undefined : await lastComma(text, before);
  const plain = comma === undefined ? text : text.slice(0, comma) + text.slice(comma + 1);
  const name: unknown = before?.children?.at(-1)?.children?.[0]?.value;
  // Where the last member is removed, formatting would only change the one before it.
  const options = value === undefined && name === path.at(-1) ? {} : { formattingOptions };
  const edited = applyEdits(plain, modify(plain, [...path], value, options));
  const last = comma === undefined ? undefined : (await innermost(edited, path))?.children?.at(-1);
  const after = last === undefined ? undefined : last.offset + last.length;
  const whole = after === undefined ? edited : `${edited.slice(0, after)},${edited.slice(after)}`;
  return whole.endsWith("\n") ? whole : `${whole}\n`;
}

/** Returns the innermost object that is there on the way to a member. */
async function innermost(text: string, path: readonly string[]): Promise<Node | undefined> {
  const { findNodeAtLocation, parseTree } = await import("jsonc-parser");
  const root = parseTree(text, [], { allowTrailingComma: true });
  if (root === undefined) return undefined;
  const ways = path.map((_, at) => path.slice(0, path.length - 1 - at));
  return ways.map((way) => findNodeAtLocation(root, way)).find((node) => node?.type === "object");
}

/** Returns the offset of the comma after the last member of an object, outside of comments. */
async function lastComma(text: string, { offset, length, children = [] }: Node): Promise<number | undefined> {
  const last = children.at(-1);
  if (last === undefined) return undefined;
  const { createScanner } = await import("jsonc-parser");
  const begin = last.offset + last.length;
  const scanner = createScanner(text.slice(begin, offset + length - 1), true);
  scanner.scan();
  const at = begin + scanner.getTokenOffset();
  return text[at] === "," ? at : undefined;
}
