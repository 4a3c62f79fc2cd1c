import type { Element, Node } from "./tree.ts";

/** A block of Markdown. In the item of a list, a block of the kind `list` follows the text without a blank line between them. */
export interface Block {
  readonly text: string;
  readonly kind: "text" | "list" | "code";
}

/** Functions that the writers for the kinds of elements share. */
export interface Writer {
  /** Returns the blocks in an element. */
  blocks(parent: Element): readonly Block[];
  /** Returns nodes as inline text. */
  inline(nodes: readonly Node[]): string;
  /** Returns an absolute address that a reader can follow; null for others. */
  address(text: string | undefined): string | null;
  /** Whether an element is left out. */
  isDropped(element: Element): boolean;
}

/** Returns a link in Markdown, or only the address if the text is the same. */
export function link(text: string, address: string): string {
  if (text === address) return text;
  return /[()]/.test(address) ? `[${text}](<${address}>)` : `[${text}](${address})`;
}
