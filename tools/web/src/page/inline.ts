import { inlineCode } from "./code.ts";
import { formulaOf, grouped, scriptFormula } from "./math.ts";
import {
  attributeOf,
  childrenOf,
  classesOf,
  elementsOf,
  isElement,
  textOf,
  wordsOf,
  type Element,
  type Node,
} from "./tree.ts";
import type { Writer } from "./writer.ts";

/** Nodes as a run of text. Line ends of the page are spaces; a line end of the text is a `br`. */
export function inlineOf(nodes: readonly Node[], writer: Writer): string {
  return nodes
    .map((node) => oneOf(node, writer))
    .join("")
    .replaceAll(/ {2,}/g, " ")
    .replaceAll(/ *\n */g, "\n")
    .trim();
}

function oneOf(node: Node, writer: Writer): string {
  if ("value" in node) return node.value.replaceAll(/[\s\u00a0]+/g, " ").replaceAll(/[\u00ad\u200b]/g, "");
  if (!isElement(node)) return "";
  if (node.tagName === "script" && (attributeOf(node, "type") ?? "").startsWith("math/tex"))
    return scriptFormula(node);
  return writer.isDropped(node) ? "" : elementOf(node, writer);
}

// oxlint-disable-next-line eslint/complexity -- one case for each element of HTML that is more than its text
function elementOf(element: Element, writer: Writer): string {
  const inner = () =>
    childrenOf(element)
      .map((child) => oneOf(child, writer))
      .join("");
  switch (element.tagName) {
    case "br":
      return "\n";
    case "wbr":
      return "";
    case "b":
    case "strong":
      return around("**", inner());
    case "i":
    case "em":
      return around("_", inner());
    case "s":
    case "del":
    case "strike":
      return around("~~", inner());
    case "code":
    case "kbd":
    case "samp":
    case "tt":
      return codeOf(element, inner);
    case "q":
      return `“${inner()}”`;
    case "sup":
      return raised("^", element, inner());
    case "sub":
      return raised("_", element, inner());
    case "rt":
      return hasParentheses(element) ? inner() : `(${inner().trim()})`;
    case "a":
    case "area":
      return linkOf(element, inner(), writer);
    case "img":
      return imageOf(element, writer);
    case "video":
    case "audio":
    case "iframe":
    case "frame":
    case "embed":
      return mediaOf(element, inner(), writer);
    case "svg":
      return drawingOf(element);
    case "math":
      return formulaOf(element);
    case "input":
      return inputOf(element);
    case "select":
      return optionsOf(element);
    case "option":
      return `${inner()} `;
    default:
      return fieldOf(element, inner());
  }
}

/** The text of an element; a field is a word of its own. */
function fieldOf(element: Element, text: string): string {
  if (attributeOf(element, "role") === "checkbox") return `${box(element)} ${text}`;
  return /^(?:label|textarea|button)$/.test(element.tagName) ? ` ${text} ` : text;
}

/** Inline code, one for each line where it has breaks. */
function codeOf(element: Element, inner: () => string): string {
  const hasBreak = [...elementsOf(element)].some(({ tagName }) => tagName === "br");
  if (!hasBreak) return inlineCode(wordsOf(element));
  const lines = inner().split("\n");
  return lines.map((line) => (line.trim() === "" ? "" : inlineCode(line.trim()))).join("\n");
}

/** Puts marks around a text, inside its outer spaces. */
function around(mark: string, text: string): string {
  const [, before = "", words = "", after = ""] = /^(\s*)(.*?)(\s*)$/s.exec(text) ?? [];
  return words === "" ? text : `${before}${mark}${words}${mark}${after}`;
}

/** An exponent or index; a reference to a note stays a link. */
function raised(mark: string, element: Element, text: string): string {
  const isNote = childrenOf(element).some((child) => isElement(child) && child.tagName === "a");
  const words = text.trim();
  return words === "" || isNote ? words : `${mark}${grouped(words)}`;
}

function hasParentheses(element: Element): boolean {
  const parent = element.parentNode;
  return parent !== null && childrenOf(parent).some((child) => isElement(child) && child.tagName === "rp");
}

/** Signs of links that lead only to their own heading. */
const ownAnchor = /^(?:[¶#§🔗⚓\s\u200b]*|permalink|anchor|direct link to .*|link to .*)$/iu;

function linkOf(element: Element, inner: string, writer: Writer): string {
  const href = attributeOf(element, "href") ?? "";
  const words = inner.trim();
  if (href.startsWith("#") && ownAnchor.test(words)) return "";
  const text = words === "" ? nameOf(element) : words;
  const address = writer.address(href === "" ? undefined : href);
  if (address === null || text === "") return inner;
  const [, before = "", , after = ""] = /^(\s*)(.*?)(\s*)$/s.exec(inner) ?? [];
  return `${before}${link(text.replaceAll("\n", " "), address)}${after}`;
}

/** A link in Markdown. */
export function link(text: string, address: string): string {
  if (text === address) return text;
  return /[()]/.test(address) ? `[${text}](<${address}>)` : `[${text}](${address})`;
}

/** The name that an element without text has for people who cannot see it. */
function nameOf(element: Element): string {
  return (
    attributeOf(element, "aria-label") ??
    attributeOf(element, "title") ??
    attributeOf(element, "alt") ??
    ""
  ).trim();
}

/** Where pages keep the address of an image that a script loads late. */
const sources = ["data-src", "data-original", "data-lazy-src", "data-lazy", "src"];

function imageOf(element: Element, writer: Writer): string {
  const alt = attributeOf(element, "alt")?.replaceAll(/\s+/g, " ").trim();
  if (alt === "") return "";
  const isSign =
    alt !== undefined &&
    /^\P{ASCII}{1,8}$/u.test(alt) &&
    classesOf(element).some((name) => name.includes("emoji"));
  if (isSign) return alt;
  if (alt !== undefined && classesOf(element).some((name) => /^(?:tex|math|latex|mwe-math.*)$/.test(name)))
    return `$${alt}$`;
  const [first = ""] = (attributeOf(element, "srcset") ?? attributeOf(element, "data-srcset") ?? "")
    .trim()
    .split(/[\s,]/);
  const address = [...sources.map((name) => attributeOf(element, name)), first]
    .map((source) => writer.address(source === "" ? undefined : source))
    .find((found) => found !== null);
  if (address !== undefined) return `!${link(alt ?? "", address)}`;
  return alt === undefined ? "" : `(image: ${alt})`;
}

function mediaOf(element: Element, inner: string, writer: Writer): string {
  let source = attributeOf(element, "src") ?? attributeOf(element, "data-src");
  for (const each of elementsOf(element))
    source ??= each.tagName === "source" ? attributeOf(each, "src") : undefined;
  const address = writer.address(source);
  if (address === null) return inner;
  const kind =
    element.tagName === "iframe" || element.tagName === "embed" ? "embedded page" : element.tagName;
  return ` [${nameOf(element) || attributeOf(element, "name") || kind}](${address}) `;
}

/** The words in a drawing. */
function drawingOf(element: Element): string {
  const words: string[] = [];
  for (const each of elementsOf(element))
    if (each.tagName === "text" || each.tagName === "foreignObject") words.push(wordsOf(each));
  const shown = words.filter(Boolean);
  return shown.length === 0 ? "" : ` (drawing: ${shown.join(", ")}) `;
}

function box(element: Element): string {
  const isChecked =
    attributeOf(element, "checked") !== undefined || attributeOf(element, "aria-checked") === "true";
  return isChecked ? "[x]" : "[ ]";
}

function inputOf(element: Element): string {
  switch ((attributeOf(element, "type") ?? "text").toLowerCase()) {
    case "checkbox":
    case "radio":
      return ` ${box(element)} `;
    case "hidden":
    case "password":
    case "file":
    case "image":
      return "";
    default:
      return ` ${(attributeOf(element, "value") ?? "").trim()} `;
  }
}

/** The choices of a list; the chosen one stands first in many lists, so it is marked. */
function optionsOf(element: Element): string {
  const choices: string[] = [];
  for (const each of elementsOf(element)) {
    if (each.tagName !== "option") continue;
    const words = textOf(each).replaceAll(/\s+/g, " ").trim();
    if (words !== "")
      choices.push(attributeOf(each, "selected") === undefined ? words : `${words} (selected)`);
  }
  return choices.length === 0 ? "" : ` (choices: ${choices.join("; ")}) `;
}
