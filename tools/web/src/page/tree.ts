import { parse, type DefaultTreeAdapterTypes } from "parse5";

export type Node = DefaultTreeAdapterTypes.ChildNode;
export type Element = DefaultTreeAdapterTypes.Element;
type Parent = DefaultTreeAdapterTypes.ParentNode;

/**
 * Parses a page like a browser without scripts: the content of `noscript` counts, and a declarative shadow root replaces the
 * children of its host.
 */
export function parsePage(source: string, isXml: boolean): Element {
  const document = parse(isXml ? closeEmptyElements(source) : source, { scriptingEnabled: false });
  const root = document.childNodes.find(isElement)!;
  composeShadowRoots(root);
  return root;
}

export function isElement(node: Node): node is Element {
  return "tagName" in node;
}

export function childrenOf(node: Parent | Node): readonly Node[] {
  return "childNodes" in node ? node.childNodes : [];
}

/** Returns the value of an attribute; undefined if the element does not have it. */
export function attributeOf(element: Element, name: string): string | undefined {
  return element.attrs.find((attribute) => attribute.name === name)?.value;
}

export function classesOf(element: Element): readonly string[] {
  return (attributeOf(element, "class") ?? "").toLowerCase().split(/\s+/).filter(Boolean);
}

/** Yields the elements below a node, in document order. */
export function* elementsOf(node: Parent | Node): Generator<Element> {
  for (const child of childrenOf(node)) {
    if (!isElement(child)) continue;
    yield child;
    yield* elementsOf(child);
  }
}

/** Returns the first element below a node that has one of these tags. */
export function findTag(node: Parent | Node, ...tags: readonly string[]): Element | undefined {
  for (const element of elementsOf(node)) if (tags.includes(element.tagName)) return element;
  return undefined;
}

const silent = new Set(["script", "style", "template"]);

/** Returns the text of a node, except for scripts, styles and templates. */
export function textOf(node: Parent | Node): string {
  if ("value" in node) return node.value;
  if ("tagName" in node && silent.has(node.tagName)) return "";
  return childrenOf(node).map(textOf).join("");
}

/** Returns the text of a node with collapsed white space. */
export function wordsOf(node: Parent | Node): string {
  return textOf(node).replaceAll(/\s+/g, " ").trim();
}

const voidElements = /^(?:area|base|br|col|embed|hr|img|input|link|meta|source|track|wbr)$/i;

/** Gives empty elements of XHTML an end tag, because HTML reads `<script/>` as a start tag, and makes CDATA plain text. */
function closeEmptyElements(source: string): string {
  return source
    .replaceAll(/<!\[CDATA\[(.*?)\]\]>/gs, (_all, text: string) =>
      text.replaceAll("&", "&amp;").replaceAll("<", "&lt;"),
    )
    .replaceAll(
      /<([a-z][\w:.-]*)((?:[^<>"']|"[^"]*"|'[^']*')*?)\s*\/>/gi,
      (all, name: string, rest: string) => (voidElements.test(name) ? all : `<${name}${rest}></${name}>`),
    );
}

function composeShadowRoots(host: Element): void {
  for (const child of host.childNodes) if (isElement(child)) composeShadowRoots(child);
  const root = host.childNodes.find(
    (child) =>
      isElement(child) && child.tagName === "template" && attributeOf(child, "shadowrootmode") !== undefined,
  );
  if (root === undefined || !("content" in root)) return;
  const light = host.childNodes.filter((child) => child !== root);
  host.childNodes = root.content.childNodes;
  for (const child of host.childNodes) if (isElement(child)) composeShadowRoots(child);
  fillSlots(host, light);
}

/**
 * Puts the children of an element with a shadow root into the slots that they name. A slot without such children keeps its own
 * content.
 */
function fillSlots(parent: Element, light: readonly Node[]): void {
  for (const child of parent.childNodes) {
    if (!isElement(child)) continue;
    if (child.tagName !== "slot") {
      fillSlots(child, light);
      continue;
    }
    const name = attributeOf(child, "name") ?? "";
    const given = light.filter((node) => (isElement(node) ? (attributeOf(node, "slot") ?? "") : "") === name);
    if (given.some((node) => wordsOf(node) !== "" || isElement(node))) child.childNodes = [...given];
  }
}
