import { inlineCode } from "./code.ts";
import { formulaOf, grouped, scriptFormula } from "./math.ts";
import {
  attributeOf,
  childrenOf,
  elementsOf,
  isElement,
  textOf,
  wordsOf,
  type Element,
  type Node,
} from "./tree.ts";
import { drawingOf, imageOf, mediaOf, nameOf } from "./media.ts";
import { link, type Writer } from "./writer.ts";

/** Returns nodes as inline text. Line ends in the source become spaces; a `br` becomes a line end. */
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
  return writer.isDropped(node) ? "" : namedOf(node, elementOf(node, writer));
}

/** Elements that often show a symbol instead of words, such as a tick in a table. */
const signs = /^(?:abbr|b|em|i|mark|small|span|strong|svg|u|.*-.*)$/;

/** Adds the state of a checkbox to its text, and replaces a drawing or an empty sign by its name if it has one. */
function namedOf(element: Element, text: string): string {
  const role = attributeOf(element, "role");
  if (role === "checkbox") return `${box(element)} ${text}`;
  const isSign = role === "img" || (text.trim() === "" && signs.test(element.tagName));
  const name = isSign ? nameOf(element).replaceAll(/\s+/g, " ") : "";
  return name === "" ? text : ` ${name} `;
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

/** Returns the text of a form field, separated from the words around it. */
function fieldOf(element: Element, text: string): string {
  return /^(?:label|textarea|button)$/.test(element.tagName) ? ` ${text} ` : text;
}

/** Returns inline code, separately for each line if it has breaks. */
function codeOf(element: Element, inner: () => string): string {
  const hasBreak = [...elementsOf(element)].some(({ tagName }) => tagName === "br");
  if (!hasBreak) return inlineCode(wordsOf(element));
  const lines = inner().split("\n");
  return lines.map((line) => (line.trim() === "" ? "" : inlineCode(line.trim()))).join("\n");
}

/** Puts marks around a text, inside of its leading and trailing spaces. */
function around(mark: string, text: string): string {
  const [, before = "", words = "", after = ""] = /^(\s*)(.*?)(\s*)$/s.exec(text) ?? [];
  return words === "" ? text : `${before}${mark}${words}${mark}${after}`;
}

/** Returns an exponent or index with its mark. A reference to a note stays a link. */
function raised(mark: string, element: Element, text: string): string {
  const isNote = childrenOf(element).some((child) => isElement(child) && child.tagName === "a");
  const words = text.trim();
  return words === "" || isNote ? words : `${mark}${grouped(words)}`;
}

function hasParentheses(element: Element): boolean {
  const parent = element.parentNode;
  return parent !== null && childrenOf(parent).some((child) => isElement(child) && child.tagName === "rp");
}

/** Texts of links that only lead to their own heading. */
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

/** Returns the state of a checkbox or radio button, `[x]` or `[ ]`. */
export function box(element: Element): string {
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

/** Returns the options of a select element. The selected one is marked, because it need not be the first. */
function optionsOf(element: Element): string {
  const choices: string[] = [];
  for (const each of elementsOf(element)) {
    if (each.tagName === "optgroup") choices.push(`${attributeOf(each, "label") ?? ""}:`);
    if (each.tagName !== "option") continue;
    const words = textOf(each).replaceAll(/\s+/g, " ").trim();
    if (words !== "")
      choices.push(attributeOf(each, "selected") === undefined ? words : `${words} (selected)`);
  }
  return choices.length === 0 ? "" : ` (choices: ${choices.join("; ")}) `;
}
