import {
  attributeOf,
  childrenOf,
  classesOf,
  elementsOf,
  isElement,
  textOf,
  type Element,
  type Node,
} from "./tree.ts";

const preformatted = new Set(["pre", "xmp", "listing", "plaintext"]);
const codeClass =
  /^(?:fragment|syntaxhighlighter|w3-code|cm-content|view-lines|codemirror-code|ace_text-layer)$/;
const codeTable =
  /^(?:highlighttable|lntable|rouge-table|hljs-ln|js-file-line-container|highlight|codetable|crayon-table)$/;

/** Classes of elements inside of code that are not code: line numbers, buttons, and names of languages. */
const besideCode =
  /^(?:linenos?|linenodiv|line-?numbers?(?:-rows|-wrapper)?|ln|lnt|lnlinks|gutter|hljs-ln-numbers|rouge-gutter|blob-num(?:-.*)?|react-(?:syntax-highlighter-)?line-number|src-line-numbers|copy|copy-?(?:btn|button)|clipboard-copy|sr-only|visually-hidden|cm-gutters?|codemirror-gutter-wrapper|ace_gutter)$/;
const lineClass =
  /^(?:line|code-?line|token-line|ec-line|view-line|cm-line|codemirror-line|ace_line|hljs-ln-line|crayon-line)$/;
const lineTags = new Set(["div", "p", "li", "tr", "ol", "ul", "pre", "table", "blockquote"]);
const withoutText = new Set(["button", "script", "style", "template", "svg", "clipboard-copy", "textarea"]);

/** Whether an element shows code in lines. */
export function isCodeBlock(element: Element): boolean {
  const { tagName } = element;
  if (preformatted.has(tagName) || classesOf(element).some((name) => codeClass.test(name))) return true;
  if (tagName === "table") return isCodeTable(element);
  if (tagName === "textarea") return textOf(element).includes("\n");
  return tagName === "code" && hasLines(element);
}

/** Returns a fenced block, with its language if the page names it. */
export function fencedCode(element: Element): string {
  const code = codeOf(element);
  if (code.trim() === "") return "";
  const fence = "`".repeat(Math.max(3, longestRun(code) + 1));
  return `${fence}${languageOf(element)}\n${code}\n${fence}`;
}

/** Returns the lines of an element's code, without line numbers. */
function codeOf(element: Element): string {
  const reader = { text: "", owesLineEnd: false };
  for (const child of childrenOf(element)) readCode(child, reader);
  return reader.text
    .replaceAll("\u00a0", " ")
    .replaceAll("\u200b", "")
    .replace(/^(?:[ \t]*\n)+/, "")
    .trimEnd();
}

/** Returns inline code, between as many backticks as it needs. */
export function inlineCode(text: string): string {
  if (text === "") return "";
  const fence = "`".repeat(longestRun(text) + 1);
  const pad = text.startsWith("`") || text.endsWith("`") ? " " : "";
  return `${fence}${pad}${text}${pad}${fence}`;
}

interface CodeReader {
  text: string;
  /** Whether the last line has ended and its line end has not been written yet. */
  owesLineEnd: boolean;
}

function readCode(node: Node, reader: CodeReader): void {
  if ("value" in node) return addText(node.value.replaceAll(/\r\n?/g, "\n"), reader);
  if (!isElement(node) || isBesideCode(node)) return;
  if (node.tagName === "br") return addText("\n", reader);
  const isLine = lineTags.has(node.tagName) || classesOf(node).some((name) => lineClass.test(name));
  if (!isLine) {
    for (const child of childrenOf(node)) readCode(child, reader);
    return;
  }
  if (reader.owesLineEnd || (reader.text !== "" && !reader.text.endsWith("\n"))) reader.text += "\n";
  reader.owesLineEnd = false;
  const from = reader.text.length;
  for (const child of childrenOf(node)) readCode(child, reader);
  reader.owesLineEnd ||= reader.text.length === from || !reader.text.endsWith("\n");
}

function addText(text: string, reader: CodeReader): void {
  if (text === "") return;
  if (reader.owesLineEnd && !text.startsWith("\n")) reader.text += "\n";
  reader.owesLineEnd = false;
  reader.text += text;
}

function isBesideCode(element: Element): boolean {
  if (withoutText.has(element.tagName) || attributeOf(element, "aria-hidden") === "true") return true;
  if (/user-select:\s*none/.test(attributeOf(element, "style") ?? "")) return true;
  return classesOf(element).some((name) => besideCode.test(name));
}

function isCodeTable(table: Element): boolean {
  if (!classesOf(table).some((name) => codeTable.test(name))) return false;
  for (const { tagName } of elementsOf(table)) if (tagName === "th") return false;
  return true;
}

/** Whether an element `code` outside of `pre` has several lines, and so is a block. */
function hasLines(element: Element): boolean {
  if (/white-space:\s*pre/.test(attributeOf(element, "style") ?? "")) return codeOf(element).includes("\n");
  for (const { tagName } of elementsOf(element)) if (tagName === "br" || tagName === "div") return true;
  return false;
}

const languageClass = /^(?:language|lang|highlight-source|highlight|brush:?)[-:]([a-z0-9+#._-]+);?$/;
const noLanguage = /^(?:default|none|text|plaintext|txt|wrapper|box|code)$/;

/** Returns the language that the element names, or an element in it or just around it. */
function languageOf(element: Element): string {
  const around: Element[] = [element];
  for (const inner of elementsOf(element)) {
    if (inner.tagName === "code") around.push(inner);
    if (around.length > 3) break;
  }
  let { parentNode } = element;
  for (let up = 0; up < 4 && parentNode !== null && isElement(parentNode as Node); up++) {
    around.push(parentNode as Element);
    ({ parentNode } = parentNode as Element);
  }
  for (const one of around) {
    const named = attributeOf(one, "data-lang") ?? attributeOf(one, "data-language") ?? languageInClass(one);
    if (named !== undefined && /^[\w+#.-]+$/.test(named)) return noLanguage.test(named) ? "" : named;
  }
  return "";
}

function languageInClass(element: Element): string | undefined {
  const classes = (attributeOf(element, "class") ?? "").toLowerCase().replace(/brush:\s+/, "brush:");
  for (const name of classes.split(/\s+/)) {
    const found = languageClass.exec(name)?.[1];
    if (found !== undefined) return found;
  }
  return undefined;
}

function longestRun(text: string): number {
  return Math.max(0, ...Array.from(text.matchAll(/`+/g), ([run]) => run.length));
}
