import { blocksOf, joinBlocks } from "./blocks.ts";
import { destinationOf, wantsScripts, type Destination } from "./destination.ts";
import { inlineOf } from "./inline.ts";
import { partsOf, type Parts } from "./parts.ts";
import {
  attributeOf,
  childrenOf,
  classesOf,
  elementsOf,
  findTag,
  parsePage,
  wordsOf,
  type Element,
} from "./tree.ts";
import type { Block, Writer } from "./writer.ts";

/** A page as text, with what the text leaves out or lacks. */
export interface LaidOutPage {
  readonly text: string;
  /** Number of characters of each kind of part that the text leaves out. */
  readonly leftOut: Readonly<Record<string, number>>;
  readonly warnings: readonly string[];
  /** Why the page has nothing to read; null when it has text. */
  readonly lack: string | null;
  /** The address to which a page with little text sends its reader. */
  readonly destination: Destination | null;
}

/** Number of characters below which a text may be only what a page shows without its scripts. */
const littleText = 200;

export interface PageOptions {
  readonly url: string;
  readonly isXml: boolean;
  /** Whether to read also the parts around the main part. */
  readonly whole: boolean;
}

/** Reads a page as Markdown: its main part or, with `whole`, every part that a reader of the page sees. */
export function layOutPage(source: string, options: PageOptions): LaidOutPage {
  const root = parsePage(source, options.isXml);
  const body = findTag(root, "body", "frameset") ?? root;
  const parts = partsOf(body, options.whole);
  const base = baseOf(root, options.url);
  const text = joinBlocks(writerFor(root, parts, base).blocks(body));
  const destination = text.length < littleText ? destinationOf(root, base) : null;
  return {
    text: withTitle(titleOf(root), text),
    leftOut: Object.fromEntries(parts.leftOut),
    destination,
    ...judge(text, root, destination),
  };
}

/** Returns whether there is something to read, and a warning if it may not be everything. */
function judge(
  text: string,
  root: Element,
  destination: Destination | null,
): Pick<LaidOutPage, "lack" | "warnings"> {
  const moved = destination === null ? "" : `; it sends its reader to ${destination.address}`;
  const isShell = wantsScripts(root);
  const why = isShell ? "the page shows its text only by scripts, which are not run" : "the page has no text";
  if (text === "") return { lack: `${why}${moved}`, warnings: [] };
  if (text.length >= littleText) return { lack: null, warnings: [] };
  if (destination !== null) return { lack: null, warnings: [`the page has little text${moved}`] };
  const needs = isShell || /\bjava-?script\b/i.test(text);
  const warning = `the page has only ${text.length} characters without its scripts; what they add was not read`;
  return { lack: null, warnings: needs ? [warning] : [] };
}

function writerFor(root: Element, { dropped, panels }: Parts, base: string): Writer {
  const writer: Writer = {
    blocks: (parent) => [...labelOf(parent, panels), ...blocksOf(childrenOf(parent), writer)],
    inline: (nodes) => inlineOf(nodes, writer),
    address: (text) => addressOf(text, base),
    isDropped: (element) => dropped.has(element) || isUnread(element),
  };
  return writer;
}

function labelOf(parent: Element, panels: Parts["panels"]): readonly Block[] {
  const label = panels.get(parent) ?? "";
  return label === "" ? [] : [{ text: `**${label}**`, kind: "text" }];
}

const unread = new Set([
  "script",
  "style",
  "template",
  "title",
  "head",
  "link",
  "meta",
  "param",
  "track",
  "canvas",
]);

/** Whether an element has no text for a reader, or is a button that copies code, or the switch of a tab. */
function isUnread(element: Element): boolean {
  if (unread.has(element.tagName)) return true;
  if (element.tagName === "button") return /^(?:copy\b.*|copied!?|)$/i.test(wordsOf(element));
  const isTab = element.tagName === "input" && attributeOf(element, "type") === "radio";
  const around = element.parentNode;
  return (
    isTab && around !== null && "tagName" in around && classesOf(around).some((name) => name.includes("tab"))
  );
}

function baseOf(root: Element, url: string): string {
  for (const element of elementsOf(root)) {
    const href = element.tagName === "base" ? attributeOf(element, "href") : undefined;
    if (href !== undefined) return URL.parse(href, url)?.href ?? url;
  }
  return url;
}

/** Returns the absolute address of a link; null for `javascript:`, `data:` and others that a reader cannot follow. */
function addressOf(text: string | undefined, base: string): string | null {
  const address = text === undefined ? null : URL.parse(text, base);
  return address !== null && /^(?:https?|mailto):$/.test(address.protocol) ? address.href : null;
}

function titleOf(root: Element): string {
  const head = findTag(root, "head") ?? root;
  for (const child of childrenOf(head))
    if ("tagName" in child && child.tagName === "title") return wordsOf(child);
  return "";
}

function withTitle(title: string, text: string): string {
  const isRepeated = text.slice(0, 2000).split("\n").includes(`# ${title}`);
  return title === "" || isRepeated ? text : `# ${title}\n\n${text}`.trim();
}
