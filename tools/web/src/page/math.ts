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

/** Returns a formula: its TeX if the page has it, otherwise its MathML in one line. */
export function formulaOf(math: Element): string {
  const tex = attributeOf(math, "alttext") ?? texOf(math);
  const text = (tex ?? row(childrenOf(math))).trim();
  if (text === "") return "";
  return attributeOf(math, "display") === "block" ? `$$${text}$$` : `$${text}$`;
}

/** Returns the formula in a script element of MathJax. */
export function scriptFormula(script: Element): string {
  const mark = (attributeOf(script, "type") ?? "").includes("mode=display") ? "$$" : "$";
  return `${mark}${textOf({ ...script, tagName: "math" }).trim()}${mark}`;
}

function texOf(math: Element): string | undefined {
  for (const element of elementsOf(math))
    if (element.tagName === "annotation" && attributeOf(element, "encoding") === "application/x-tex")
      return textOf(element);
  return undefined;
}

function row(nodes: readonly Node[]): string {
  return nodes.map(oneOf).join("");
}

/** Returns one element of MathML as text. */
function oneOf(node: Node): string {
  if ("value" in node) return node.value.replaceAll(/\s+/g, " ").trim();
  if (!isElement(node)) return "";
  const parts = childrenOf(node).filter(isElement).map(oneOf);
  const [first = "", second = "", third = ""] = parts;
  switch (node.tagName) {
    case "annotation":
    case "annotation-xml":
      return "";
    case "mo":
      return spaced(wordsOf(node));
    case "msup":
    case "mover":
      return `${first}^${grouped(second)}`;
    case "msub":
    case "munder":
      return `${first}_${grouped(second)}`;
    case "msubsup":
    case "munderover":
      return `${first}_${grouped(second)}^${grouped(third)}`;
    case "mfrac":
      return `${grouped(first)}/${grouped(second)}`;
    case "msqrt":
      return `√(${row(childrenOf(node))})`;
    case "mroot":
      return `root(${second}, ${first})`;
    case "mtd":
      return `${row(childrenOf(node))} `;
    case "mtr":
      return `${row(childrenOf(node)).trim()}; `;
    default:
      return row(childrenOf(node));
  }
}

/** Adds spaces around relations and sums, and removes the invisible operators of functions and products. */
function spaced(operator: string): string {
  return /^[=<>≤≥≠≈→⇒+−±×·∈∑∫-]$/u.test(operator)
    ? ` ${operator} `
    : operator.replaceAll(/[\u2061\u2062]/g, "");
}

/** Puts parentheses around an exponent or index that is more than a simple term. */
export function grouped(text: string): string {
  return /^[\p{L}\p{N}.,*′+−-]*$/u.test(text) ? text : `(${text.trim()})`;
}
