import {
  attributeOf,
  childrenOf,
  classesOf,
  elementsOf,
  findTag,
  isElement,
  wordsOf,
  type Element,
} from "./tree.ts";
import { link, type Writer } from "./writer.ts";

/** Returns the name that an element without text states for people who cannot see it. */
export function nameOf(element: Element): string {
  return (
    attributeOf(element, "aria-label") ??
    attributeOf(element, "title") ??
    attributeOf(element, "alt") ??
    ""
  ).trim();
}

/** Attributes in which pages have the address of an image, also of one that a script loads late. */
const sources = ["data-src", "data-original", "data-lazy-src", "data-lazy", "src"];

export function imageOf(element: Element, writer: Writer): string {
  const alt = attributeOf(element, "alt")?.replaceAll(/\s+/g, " ").trim();
  if (alt === "") return "";
  const isSign =
    alt !== undefined &&
    /^\P{ASCII}{1,8}$/u.test(alt) &&
    classesOf(element).some((name) => name.includes("emoji"));
  if (isSign) return alt;
  if (alt !== undefined && classesOf(element).some((name) => /^(?:tex|math|latex|mwe-math.*)$/.test(name)))
    return `$${alt}$`;
  const address = [...sources.map((name) => attributeOf(element, name)), ...setsOf(element)]
    .map((source) => writer.address(source === "" ? undefined : source))
    .find((found) => found !== null);
  if (address !== undefined) return `!${link(alt ?? "", address)}`;
  return alt === undefined ? "" : `(image: ${alt})`;
}

/** Returns the first address of each source set of an image, and of the picture that contains it. */
function setsOf(image: Element): readonly (string | undefined)[] {
  const { parentNode: parent } = image;
  const isPicture = parent !== null && "tagName" in parent && parent.tagName === "picture";
  return [image, ...(isPicture ? childrenOf(parent).filter(isElement) : [])].map((element) => {
    const set = attributeOf(element, "srcset") ?? attributeOf(element, "data-srcset");
    return set?.trim().split(/[\s,]/)[0];
  });
}

export function mediaOf(element: Element, inner: string, writer: Writer): string {
  let source = attributeOf(element, "src") ?? attributeOf(element, "data-src");
  for (const each of elementsOf(element))
    source ??= each.tagName === "source" ? attributeOf(each, "src") : undefined;
  const address = writer.address(source);
  if (address === null) return inner;
  const kind =
    element.tagName === "iframe" || element.tagName === "embed" ? "embedded page" : element.tagName;
  return ` [${nameOf(element) || attributeOf(element, "name") || kind}](${address}) `;
}

/** Returns the words that an SVG drawing shows; if it shows none, its title. */
export function drawingOf(element: Element): string {
  const words: string[] = [];
  for (const each of elementsOf(element))
    if (each.tagName === "text" || each.tagName === "foreignObject") words.push(wordsOf(each));
  const shown = words.filter(Boolean);
  if (shown.length > 0) return ` (drawing: ${shown.join(", ")}) `;
  const title = findTag(element, "title");
  return title === undefined ? "" : ` ${wordsOf(title)} `;
}
