/**
 * Where the interface is drawn: the document of the server's own page, or shadow roots in a product's. There its keys
 * belong to that page, and links lead to the server's page, whose address is `page`.
 */
export const drawn: { roots: ReadonlySet<ParentNode>; isEmbedded: boolean; page: string } = {
  roots: new Set([document]),
  isEmbedded: false,
  page: "",
};

/** The elements that a selector finds, wherever the interface is drawn. */
export function findAll(selector: string): Element[] {
  return [...drawn.roots].flatMap((root) => [...root.querySelectorAll(selector)]);
}

/** The element that has the focus, also inside of a shadow root. */
export function focusedIn(root: Node): Element | null {
  const tree = root.getRootNode();
  return tree instanceof ShadowRoot || tree instanceof Document ? tree.activeElement : null;
}
