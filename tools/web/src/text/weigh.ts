/** How heavy a page is to take apart. */
export interface Weight {
  readonly tags: number;
  /** How deep its elements are nested, about: elements whose end may be left out do not count. */
  readonly depth: number;
}

const endless = new Set("area base br col embed hr img input link meta param source track wbr".split(" "));
const selfEnding = new Set(
  "p li dt dd tr td th thead tbody tfoot option optgroup colgroup rt rp html head body".split(" "),
);

/** Looks at a page's tags once, without building anything. */
export function weigh(html: string): Weight {
  let tags = 0;
  let now = 0;
  let depth = 0;
  for (const [tag, end, name = ""] of html.matchAll(/<(\/?)([a-zA-Z][a-zA-Z0-9-]*)[^<>]{0,2000}>?/g)) {
    tags++;
    const element = name.toLowerCase();
    if (endless.has(element) || selfEnding.has(element) || tag.endsWith("/>")) continue;
    now = Math.max(0, now + (end === "/" ? -1 : 1));
    if (now > depth) depth = now;
  }
  return { tags, depth };
}
