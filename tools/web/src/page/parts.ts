import { admonitionOf, hasTitle } from "./blocks.ts";
import {
  attributeOf,
  childrenOf,
  classesOf,
  elementsOf,
  isElement,
  textOf,
  wordsOf,
  type Element,
} from "./tree.ts";

/** Which parts of a page are left out of its text. */
export interface Parts {
  readonly dropped: ReadonlySet<Element>;
  /** Characters of each kind of part that is left out. */
  readonly leftOut: ReadonlyMap<string, number>;
  /** The label of each panel of tabs. */
  readonly panels: ReadonlyMap<Element, string>;
}

/** Smallest share of the text that the main part must have. With less, the text beside it is read, too. */
const minShare = 0.4;

/** If a page has fewer characters besides its navigation, its purpose is the navigation, which is then read. */
const minText = 20;

/** Decides which parts of a page are read. With `whole`, only parts that no reader sees are left out. */
export function partsOf(body: Element, whole: boolean): Parts {
  const dropped = new Set<Element>();
  const leftOut = new Map<string, number>();
  const panels = labelPanels(body, dropped);
  dropAll(body, (element) => (isHidden(element, panels) ? "hidden text" : null), { dropped, leftOut });
  if (whole) return { dropped, leftOut, panels };
  const landmarks = { dropped: new Set(dropped), leftOut: new Map(leftOut) };
  dropAll(body, landmarkOf, landmarks);
  dropBeside(body, landmarks);
  const isTooLittle = sizeOf(body, landmarks.dropped) < minText;
  return { ...(isTooLittle ? { dropped, leftOut } : landmarks), panels };
}

interface Ledger {
  readonly dropped: Set<Element>;
  readonly leftOut: Map<string, number>;
}

function dropAll(parent: Element, why: (element: Element) => string | null, ledger: Ledger): void {
  for (const child of childrenOf(parent)) {
    if (!isElement(child) || ledger.dropped.has(child)) continue;
    const reason = why(child);
    if (reason === null) dropAll(child, why, ledger);
    else drop(child, reason, ledger);
  }
}

function drop(element: Element, reason: string, { dropped, leftOut }: Ledger): void {
  const size = sizeOf(element, dropped);
  dropped.add(element);
  const isShownTwice =
    classesOf(element).some((name) => /^(?:katex-html|mjx-.*)$/.test(name)) || element.tagName === "mjx-math";
  if (size > 0 && !isShownTwice) leftOut.set(reason, (leftOut.get(reason) ?? 0) + size);
}

/** Returns the number of characters of an element that are read, without white space. */
function sizeOf(element: Element, dropped: ReadonlySet<Element>): number {
  if (dropped.has(element) || /^(?:script|style|template)$/.test(element.tagName)) return 0;
  let size = 0;
  for (const child of childrenOf(element)) {
    if (isElement(child)) size += sizeOf(child, dropped);
    else if ("value" in child) size += textOf(child).replaceAll(/\s+/g, "").length;
  }
  return size;
}

function isHidden(element: Element, panels: ReadonlyMap<Element, string>): boolean {
  if (panels.has(element) || attributeOf(element, "role") === "tabpanel") return false;
  const { tagName } = element;
  if (tagName === "dialog" && attributeOf(element, "open") === undefined) return true;
  if (tagName === "datalist" || attributeOf(element, "aria-hidden") === "true") return true;
  const hidden = attributeOf(element, "hidden");
  if (hidden !== undefined && hidden !== "until-found") return true;
  return /(?:^|;)\s*(?:display:\s*none|visibility:\s*hidden)/i.test(attributeOf(element, "style") ?? "");
}

/** Returns the kind of a part that is on every page of a site, such as navigation; null for content. */
function landmarkOf(element: Element): string | null {
  const role = attributeOf(element, "role") ?? "";
  const { tagName } = element;
  if (tagName === "nav" || role === "navigation") return "navigation";
  if (role === "search" || tagName === "search") return "search form";
  const kind = kindBesideContent(element, role);
  return kind === null || isInContent(element) ? null : kind;
}

/** Returns the kind of a part that, outside of the main part, does not belong to the content; null for others. */
function kindBesideContent(element: Element, role: string): string | null {
  const { tagName } = element;
  if (tagName === "header" || role === "banner") return hasTitle(element) ? null : "page header";
  if (tagName === "footer" || role === "contentinfo") return "page footer";
  const isAside = tagName === "aside" || role === "complementary";
  return isAside && admonitionOf(element) === null ? "aside" : null;
}

function isContent({ tagName, attrs }: Element): boolean {
  return (
    tagName === "main" ||
    tagName === "article" ||
    attrs.some(
      ({ name, value }) => (name === "role" && value === "main") || (name === "id" && contentId.test(value)),
    )
  );
}

const contentId = /^(?:content|main|main-content|maincontent|mw-content-text|bodycontent)$/i;

function isInContent({ parentNode }: Element): boolean {
  for (let up = parentNode; up !== null && "tagName" in up; up = up.parentNode)
    if (isContent(up)) return true;
  return false;
}

/** Leaves out what is next to the main part, except for titles and warnings about the whole page. */
function dropBeside(body: Element, ledger: Ledger): void {
  const main = mainOf(body);
  if (main === null) return;
  if (sizeOf(main, ledger.dropped) < minShare * sizeOf(body, ledger.dropped)) return;
  for (let inner = main; inner !== body; inner = inner.parentNode as Element) {
    for (const sibling of childrenOf(inner.parentNode!)) {
      if (!isElement(sibling) || sibling === inner || ledger.dropped.has(sibling)) continue;
      if (!hasTitle(sibling) && admonitionOf(sibling) === null)
        drop(sibling, "text beside the main part", ledger);
    }
  }
}

/** Returns the main part: the `main`, else the article or element whose id matches `contentId`. Null if none or several. */
function mainOf(body: Element): Element | null {
  const all = [...elementsOf(body)].filter(isContent);
  const mains = all.filter(
    (element) => element.tagName === "main" || attributeOf(element, "role") === "main",
  );
  const outer = (mains.length > 0 ? mains : all).filter(
    (one) => !all.some((other) => other !== one && mains.length === 0 && isAbove(other, one)),
  );
  return outer.length === 1 ? outer[0]! : null;
}

function isAbove(upper: Element, element: Element): boolean {
  for (let up = element.parentNode; up !== null && "tagName" in up; up = up.parentNode)
    if (up === upper) return true;
  return false;
}

/** Finds the labels of tab panels, and leaves out the tabs themselves. */
function labelPanels(body: Element, dropped: Set<Element>): ReadonlyMap<Element, string> {
  const labels = new Map<Element, string>();
  const all = [...elementsOf(body)];
  for (const list of all.filter((element) => attributeOf(element, "role") === "tablist")) {
    const tabs = withRole(list, "tab").map(wordsOf);
    let scope = list.parentNode;
    for (let up = 0; up < 2 && scope !== null && "tagName" in scope; up++, scope = scope.parentNode) {
      const panels = withRole(scope, "tabpanel");
      if (panels.length !== tabs.length || tabs.length === 0) continue;
      for (const [at, panel] of panels.entries()) labels.set(panel, tabs[at]!);
      dropped.add(list);
      break;
    }
  }
  return labels;
}

function withRole(parent: Element, role: string): readonly Element[] {
  return [...elementsOf(parent)].filter((element) => attributeOf(element, "role") === role);
}
