import type { Element, Node } from "./tree.ts";

/** A block of Markdown. Lists follow a line without a blank line between them. */
export interface Block {
  readonly text: string;
  readonly kind: "text" | "list" | "code";
}

/** What the writers of the kinds of elements share. */
export interface Writer {
  /** The blocks in an element. */
  blocks(parent: Element): readonly Block[];
  /** Nodes as one run of text. */
  inline(nodes: readonly Node[]): string;
  /** An absolute address that a reader can follow; null for others. */
  address(text: string | undefined): string | null;
  /** Whether an element is left out. */
  isDropped(element: Element): boolean;
}

/** A link in Markdown. */
export function link(text: string, address: string): string {
  if (text === address) return text;
  return /[()]/.test(address) ? `[${text}](<${address}>)` : `[${text}](${address})`;
}
