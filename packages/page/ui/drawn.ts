/**
 * Where the interface is drawn: in the document of the server's own page, or in shadow roots of a product's page. If it is
 * embedded in a product, it uses no keys, and links lead to the server's page at the address `page`.
 */
export const drawn: { roots: ReadonlySet<ParentNode>; isEmbedded: boolean; page: string } = {
  roots: new Set([document]),
  isEmbedded: false,
  page: "",
};

/** Returns the elements that match a selector, wherever the interface is drawn. */
export function findAll(selector: string): Element[] {
  return [...drawn.roots].flatMap((root) => [...root.querySelectorAll(selector)]);
}

/** Returns the element that has the focus, even inside a shadow root. */
export function focusedIn(root: Node): Element | null {
  const tree = root.getRootNode();
  return tree instanceof ShadowRoot || tree instanceof Document ? tree.activeElement : null;
}
