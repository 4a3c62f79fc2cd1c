import { fencedCode, isCodeBlock } from "./code.ts";
import { box } from "./inline.ts";
import { isRoleTable, tableBlocks } from "./tables.ts";
import {
  attributeOf,
  childrenOf,
  classesOf,
  findTag,
  isElement,
  wordsOf,
  type Element,
  type Node,
} from "./tree.ts";
import { link, type Block, type Writer } from "./writer.ts";

const blockTags = new Set(
  "address article aside blockquote body center dd details dialog dir div dl dt fieldset figcaption figure footer form frameset h1 h2 h3 h4 h5 h6 header hgroup hr html legend li listing main menu nav ol optgroup p plaintext pre search section summary table tbody td tfoot th thead tr ul xmp".split(
    " ",
  ),
);

/** Returns the blocks of nodes: each block element, and each stretch of inline content between them. */
export function blocksOf(nodes: readonly Node[], writer: Writer): readonly Block[] {
  const blocks: Block[] = [];
  let run: Node[] = [];
  const endRun = () => {
    const text = writer.inline(run);
    if (text !== "") blocks.push({ text, kind: "text" });
    run = [];
  };
  for (const child of nodes) {
    if (!isElement(child) || !isBlock(child)) run.push(child);
    else {
      endRun();
      if (!writer.isDropped(child)) blocks.push(...blocksFor(child, writer));
    }
  }
  endRun();
  return blocks;
}

/** Joins blocks as Markdown. In a list item, a list follows a line of text without a blank line. */
export function joinBlocks(blocks: readonly Block[], isItem = false): string {
  return blocks
    .map(({ text, kind }, at) => (at === 0 ? "" : isItem && kind === "list" ? "\n" : "\n\n") + text)
    .join("");
}

const known = new WeakMap<Element, boolean>();

/** Whether an element is a block, or an inline element that contains one. */
function isBlock(element: Element): boolean {
  const cached = known.get(element);
  if (cached !== undefined) return cached;
  const { tagName } = element;
  const answer =
    (blockTags.has(tagName) && attributeOf(element, "role") !== "img") ||
    isCodeBlock(element) ||
    isRoleHeading(element) ||
    isRoleTable(element) ||
    (!/^(?:svg|math|select|ruby|script|style|template)$/.test(tagName) &&
      childrenOf(element).some((child) => isElement(child) && isBlock(child)));
  known.set(element, answer);
  return answer;
}

function blocksFor(element: Element, writer: Writer): readonly Block[] {
  if (isCodeBlock(element)) return oneBlock(fencedCode(element), "code");
  if (isRoleTable(element)) return tableBlocks(element, writer);
  if (isRoleHeading(element))
    return headingBlocks(element, writer, attributeOf(element, "aria-level") ?? "2");
  switch (element.tagName) {
    case "h1":
    case "h2":
    case "h3":
    case "h4":
    case "h5":
    case "h6":
      return headingBlocks(element, writer);
    case "hr":
      return oneBlock("---");
    case "ul":
    case "ol":
    case "menu":
    case "dir":
      return listBlocks(element, writer);
    case "dl":
      return definitionBlocks(element, writer);
    case "table":
      return tableBlocks(element, writer);
    case "blockquote":
      return oneBlock(quoted(joinBlocks(writer.blocks(element))));
    case "summary":
      return oneBlock(bold(writer.inline(childrenOf(element))));
    case "a":
      return linkedBlocks(element, writer);
    default:
      return containerBlocks(element, writer);
  }
}

function oneBlock(text: string, kind: Block["kind"] = "text"): readonly Block[] {
  return text === "" ? [] : [{ text, kind }];
}

/** Whether an element other than `h1` to `h6` has the role of a heading. */
function isRoleHeading(element: Element): boolean {
  return attributeOf(element, "role") === "heading" && !/^h[1-6]$/.test(element.tagName);
}

function headingBlocks(element: Element, writer: Writer, level = element.tagName.slice(1)): readonly Block[] {
  const text = writer.inline(childrenOf(element)).replaceAll("\n", " ");
  return oneBlock(text === "" ? "" : `${"#".repeat(Math.min(6, Number.parseInt(level, 10) || 2))} ${text}`);
}

function bold(text: string): string {
  return text === "" ? "" : `**${text.replaceAll("**", "")}**`;
}

/** Returns the blocks of a link that contains blocks, such as a card. The first line of its text becomes the link. */
function linkedBlocks(element: Element, writer: Writer): readonly Block[] {
  const [first, ...rest] = writer.blocks(element);
  const address = writer.address(attributeOf(element, "href"));
  if (address === null || first === undefined) return first === undefined ? [] : [first, ...rest];
  const [, mark = "", line = "", more = ""] = /^(#+ |- )?([^\n]*)(.*)$/s.exec(first.text) ?? [];
  if (first.kind === "code" || /\]\(/.test(line)) return [first, ...rest, { text: address, kind: "text" }];
  return [{ ...first, text: `${mark}${link(line, address)}${more}` }, ...rest];
}

function containerBlocks(element: Element, writer: Writer): readonly Block[] {
  const blocks = writer.blocks(element);
  const kind = admonitionOf(element);
  if (kind === null || blocks.length === 0) return blocks;
  const text = joinBlocks(blocks);
  const isNamed = text
    .replaceAll(/[^\p{L}]+/gu, " ")
    .trim()
    .toLowerCase()
    .startsWith(kind);
  return oneBlock(quoted(isNamed ? text : `[!${kind.toUpperCase()}]\n${text}`));
}

const kinds =
  "note tip info important warning caution danger attention hint error success seealso deprecated";
const kindName = new RegExp(`(?:^|[-_])(${kinds.replaceAll(" ", "|")})$`);
const boxName =
  /^(?:theme-|markdown-|starlight-|doc-|md-|sl-|rst-)*(?:admonition(?:block)?|alert|callout|aside|notice|custom-block|note-?box|message-box)(?:$|[-_])/;

/** Returns the kind of a box such as a warning, judged by its class or role; null for other elements. */
export function admonitionOf(element: Element): string | null {
  if (!/^(?:div|aside|section|p|blockquote|td|[a-z]+-[a-z-]+)$/.test(element.tagName)) return null;
  const classes = classesOf(element);
  const isBox =
    classes.some((name) => boxName.test(name)) ||
    /^(?:note|alert)$/.test(attributeOf(element, "role") ?? "") ||
    classes.some((name) => ` ${kinds} `.includes(` ${name} `));
  if (!isBox || wordsOf(element).length > 8000) return null;
  for (const name of classes) {
    const kind = kindName.exec(name)?.[1];
    if (kind !== undefined) return kind;
  }
  const type = attributeOf(element, "type") ?? "";
  if (` ${kinds} `.includes(` ${type} `)) return type;
  return attributeOf(element, "role") === "alert" ? "important" : "note";
}

function quoted(text: string): string {
  if (text === "") return "";
  return text
    .split("\n")
    .map((line) => (line === "" ? ">" : `> ${line}`))
    .join("\n");
}

function listBlocks(list: Element, writer: Writer): readonly Block[] {
  const items: string[] = [];
  let number = firstNumber(list);
  const step = attributeOf(list, "reversed") === undefined ? 1 : -1;
  for (const child of childrenOf(list)) {
    const blocks = itemBlocks(child, writer);
    if (blocks.length === 0) continue;
    if (isElement(child)) number = Number.parseInt(attributeOf(child, "value") ?? "", 10) || number;
    const marker = list.tagName === "ol" ? `${numberOf(number, attributeOf(list, "type"))}. ` : "- ";
    items.push(
      marker + joinBlocks(blocks, true).replaceAll(/\n(?=[^\n])/g, `\n${" ".repeat(marker.length)}`),
    );
    number += step;
  }
  const isLoose = items.some((item) => item.includes("\n\n"));
  return oneBlock(items.join(isLoose ? "\n\n" : "\n"), "list");
}

/** Returns the blocks of a list's child. A checkbox is put into the line of its text. */
function itemBlocks(child: Node, writer: Writer): readonly Block[] {
  if (!isElement(child) || child.tagName !== "li") return blocksOf([child], writer);
  if (writer.isDropped(child)) return [];
  const [first, second, ...rest] = [...boxOf(child), ...writer.blocks(child)];
  if (first === undefined || second === undefined) return first === undefined ? [] : [first];
  const isBox = /^\[[x ]\]$/.test(first.text) && second.kind === "text";
  return isBox ? [{ ...second, text: `${first.text} ${second.text}` }, ...rest] : [first, second, ...rest];
}

function boxOf(item: Element): readonly Block[] {
  return attributeOf(item, "role") === "checkbox" ? [{ text: box(item), kind: "text" }] : [];
}

function firstNumber(list: Element): number {
  const start = Number.parseInt(attributeOf(list, "start") ?? "", 10);
  if (!Number.isNaN(start) || attributeOf(list, "reversed") === undefined) return start || 1;
  return childrenOf(list).filter((child) => isElement(child) && child.tagName === "li").length;
}

/** Returns the number of an item, or its letter if the list counts with letters. */
function numberOf(number: number, type: string | undefined): string {
  if ((type !== "a" && type !== "A") || number < 1 || number > 26) return String(number);
  return String.fromCodePoint(type.codePointAt(0)! + number - 1);
}

function definitionBlocks(list: Element, writer: Writer): readonly Block[] {
  const lines: Block[] = [];
  for (const child of childrenOf(list)) {
    const tag = isElement(child) && !writer.isDropped(child) ? child.tagName : "";
    if (tag === "dd") {
      const text = joinBlocks(writer.blocks(child as Element));
      if (text !== "") lines.push({ text: `: ${text.replaceAll(/\n(?=[^\n])/g, "\n  ")}`, kind: "text" });
    } else if (tag === "div") lines.push(...definitionBlocks(child as Element, writer));
    else lines.push(...blocksOf([child], writer));
  }
  const text = lines.map((line, at) => (at > 0 && line.text.startsWith(": ") ? "\n" : "\n\n") + line.text);
  return oneBlock(text.join("").trim());
}

/** Whether an element contains a heading of the first level. */
export function hasTitle(element: Element): boolean {
  return findTag(element, "h1") !== undefined;
}
